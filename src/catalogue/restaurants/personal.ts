/** A list of a user, by its id or the name of a built-in one. */
export type ListName = number | 'want' | 'favourites';

/** What a user notes of restaurants for no one else. The owner is null for the placeholder of mode none. */
export interface Personal {
  /** The restaurants of a list; undefined where the owner has no such list. */
  readonly listed: (ownerId: number | null, list: ListName) => readonly number[] | undefined;
  /** The restaurants where the owner has been, by the visits. */
  readonly visited: (ownerId: number | null) => readonly number[];
  /** The JSON text of `mine` of each of these restaurants, by its id; all of them are there. */
  readonly mine: (ownerId: number | null, ids: readonly number[]) => ReadonlyMap<number, string>;
}
