import type { RequestContext } from './context.ts';
import { badRequest } from './errors.ts';
import { type Reply, json } from './reply.ts';
import { nextLink } from './target.ts';

/** Turns an id into a cursor and back; `open` returns undefined for a text that is no cursor of this list. */
export interface IdCursors {
  readonly seal: (scope: string, id: number) => string;
  readonly open: (scope: string, cursor: string) => unknown;
}

/** A list that is read by id, page by page. */
export interface PagedList<Item extends { readonly id: number }> {
  /** Distinguishes its cursors from those of other lists. */
  readonly scope: string;
  readonly cursors: IdCursors;
  /** Where the first page begins. */
  readonly start: number;
  readonly read: (from: number, limit: number) => readonly Item[];
  readonly total: () => number;
  readonly render: (item: Item) => object;
}

/** The page that is asked for, with a `Link` to the next one. Throws 400 for a cursor that is none of the list. */
export function pageReply<Item extends { readonly id: number }>(
  { path, query }: Pick<RequestContext, 'path' | 'query'>,
  { limit, cursor }: { readonly limit: number; readonly cursor: string | undefined },
  { scope, cursors, start, read, total, render }: PagedList<Item>,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const from = cursor === undefined ? start : cursors.open(scope, cursor);
  if (typeof from !== 'number') throw badRequest('Invalid cursor');
  const found = read(from, limit + 1);
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  const next = last ? cursors.seal(scope, last.id) : null;
  const link = next === null ? undefined : nextLink(path, query, next);
  const page = { data: items.map(render), next_cursor: next, has_more: last !== undefined, total: total() };
  return json(200, page, { ...headers, ...(link !== undefined && { Link: link }) });
}
