import { type Stored, isNumber, isNumberOrNull, isText } from '../storage/stored.ts';

/** The author of a rating, photo or suggestion, as answers have it. */
export interface Author {
  readonly id: number;
  readonly username: string;
}

/** Columns that ratings, photos and suggestions have besides their own. */
export const COMMON_COLUMNS = {
  id: isNumber,
  /** Null when no author is known. */
  author_id: isNumberOrNull,
  created_at: isText,
  updated_at: isText,
};

/** The names of these in an answer. */
export const COMMON_ANSWER: readonly string[] = ['id', 'author', 'created_at', 'updated_at'];

/** A stored record with the name of its author, which is null where no author is known. */
export type Authored<Own extends { readonly author_id: number | null }> = Own & {
  readonly author_name: string | null;
};

type Common = Authored<Stored<typeof COMMON_COLUMNS>>;

/** Returns the author of a record for answers. */
export type ShowAuthor = (record: Pick<Common, 'author_id' | 'author_name'>) => Author | null;

/** With `shows` false it returns null for every record and every caller (AUTHORS=none). */
export function createShowAuthor(shows: boolean): ShowAuthor {
  return ({ author_id: id, author_name: username }) =>
    shows && id !== null && username !== null ? { id, username } : null;
}

/** The answer of a record, made of its common columns and of `own`. */
export function authoredJson(record: Common, own: object, showAuthor: ShowAuthor): object {
  const { id, created_at, updated_at } = record;
  return { id, ...own, author: showAuthor(record), created_at, updated_at };
}

/** The record without the name, as the change log holds it. */
export function withoutAuthorName<Own extends { readonly author_id: number | null }>({
  author_name: _joined,
  ...stored
}: Authored<Own>): Omit<Authored<Own>, 'author_name'> {
  return stored;
}

/** The place before the newest record of a list: sorts after every ISO timestamp. */
export const NEWEST = { created_at: '~', id: 0 };
