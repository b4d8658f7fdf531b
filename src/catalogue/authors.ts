/** The author of a rating, photo or suggestion, as answers have it. */
export interface Author {
  readonly id: number;
  readonly username: string;
}

/** A stored record with the name of its author, which is null where no author is known. */
export type Authored<Stored extends { readonly author_id: number | null }> = Stored & {
  readonly author_name: string | null;
};

/** Returns the author of a record for answers. */
export type ShowAuthor = (record: Authored<{ readonly author_id: number | null }>) => Author | null;

/** Makes it; with `shows` false it returns null for every record and every caller (AUTHORS=none). */
export function createShowAuthor(shows: boolean): ShowAuthor {
  return ({ author_id: id, author_name: username }) =>
    shows && id !== null && username !== null ? { id, username } : null;
}

/** The record without the name, as the change log holds it. */
export function withoutAuthorName<Stored extends { readonly author_id: number | null }>({
  author_name: _joined,
  ...stored
}: Authored<Stored>): Omit<Authored<Stored>, 'author_name'> {
  return stored;
}
