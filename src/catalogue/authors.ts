import { type Stored, isNumber, isNumberOrNull, isText } from '../storage/stored.ts';

/** The author of a rating, photo or suggestion, as the API returns it. */
export interface Author {
  readonly id: number;
  readonly username: string;
}

/** Columns common to ratings, photos and suggestions. */
export const COMMON_COLUMNS = {
  id: isNumber,
  /** Null if unknown. */
  author_id: isNumberOrNull,
  created_at: isText,
  updated_at: isText,
};

/** The names of the common fields in a response. */
export const COMMON_ANSWER: readonly string[] = ['id', 'author', 'created_at', 'updated_at'];

/** A stored record with the name of its author, null if unknown. */
export type Authored<Own extends { readonly author_id: number | null }> = Own & {
  readonly author_name: string | null;
};

type Common = Authored<Stored<typeof COMMON_COLUMNS>>;

/** Returns the author of a record as clients see it. */
export type ShowAuthor = (record: Pick<Common, 'author_id' | 'author_name'>) => Author | null;

/** With `shows` false (AUTHORS=none), returns null for every record and caller. */
export function createShowAuthor(shows: boolean): ShowAuthor {
  return ({ author_id: id, author_name: username }) =>
    shows && id !== null && username !== null ? { id, username } : null;
}

/** Throws 403 if a caller may not change or delete a record of `ownerId`. */
export type OwnerCheck = (
  caller: { readonly userId: number; readonly isAdmin: boolean } | undefined,
  ownerId: number | null,
) => void;

/** A record as clients see it: its common columns and `own`. */
export function authoredJson(record: Common, own: object, showAuthor: ShowAuthor): object {
  const { id, created_at, updated_at } = record;
  return { id, ...own, author: showAuthor(record), created_at, updated_at };
}

/** The record without the author's name, as in the change log. */
export function withoutAuthorName<Own extends { readonly author_id: number | null }>({
  author_name: _joined,
  ...stored
}: Authored<Own>): Omit<Authored<Own>, 'author_name'> {
  return stored;
}

/** The position before the newest record: "~" sorts after every ISO timestamp. */
export const NEWEST = { created_at: '~', id: 0 };
