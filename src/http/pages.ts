import type { RequestContext } from './context.ts';
import { badRequest } from './errors.ts';
import { type Reply, json } from './reply.ts';
import { nextLink } from './target.ts';

/** Turns a key of an element into a cursor and back; `open` returns undefined for a text that is no cursor of this list. */
export interface KeyCursors {
  readonly seal: (scope: string, key: unknown) => string;
  readonly open: (scope: string, cursor: string) => unknown;
}

/** The keys by which a list is ordered. */
export interface Keys<Item, Key> {
  readonly keyOf: (item: Item) => Key;
  /** The key that a cursor holds; undefined for anything else. */
  readonly read: (opened: unknown) => Key | undefined;
}

/** The ids of elements as their keys. */
export const BY_ID: Keys<{ readonly id: number }, number> = {
  keyOf: ({ id }) => id,
  read: (opened) => (typeof opened === 'number' ? opened : undefined),
};

/** A list that is read by keys, page by page. */
export interface PagedList<Item, Key> {
  /** Distinguishes its cursors from those of other lists. */
  readonly scope: string;
  readonly cursors: KeyCursors;
  readonly keys: Keys<Item, Key>;
  /** Where the first page begins. */
  readonly start: Key;
  readonly read: (from: Key, limit: number) => readonly Item[];
  readonly total: () => number;
  readonly render: (item: Item) => object;
}

/** The page that is asked for, with a `Link` to the next one. Throws 400 for a cursor that is none of the list. */
export function pageReply<Item, Key>(
  { path, query }: Pick<RequestContext, 'path' | 'query'>,
  { limit, cursor }: { readonly limit: number; readonly cursor: string | undefined },
  { scope, cursors, keys, start, read, total, render }: PagedList<Item, Key>,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const from = cursor === undefined ? start : keys.read(cursors.open(scope, cursor));
  if (from === undefined) throw badRequest('Invalid cursor');
  const found = read(from, limit + 1);
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  const next = last ? cursors.seal(scope, keys.keyOf(last)) : null;
  const link = next === null ? undefined : nextLink(path, query, next);
  const page = { data: items.map(render), next_cursor: next, has_more: last !== undefined, total: total() };
  return json(200, page, { ...headers, ...(link !== undefined && { Link: link }) });
}
