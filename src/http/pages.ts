import type { RequestContext } from './context.ts';
import { badRequest } from './errors.ts';
import { type Reply, okText } from './reply.ts';
import { type Entry, inSlices } from '../kit/slices.ts';
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
  readonly read: (from: Key, limit: number) => Iterable<Item>;
  readonly total: () => number;
  readonly render: (item: Item) => object;
}

type PageContext = Pick<RequestContext, 'path' | 'query' | 'work'>;
type Headers = Readonly<Record<string, string>>;

/** The page that is asked for, with a `Link` to the next one. Rejects with 400 for a cursor that is none of the list. */
export function pageReply<Item, Key>(
  context: PageContext,
  { limit, cursor }: { readonly limit: number; readonly cursor: string | undefined },
  { scope, cursors, keys, start, read, total, render }: PagedList<Item, Key>,
  headers: Headers = {},
): Promise<Reply> {
  const from = cursor === undefined ? start : keys.read(cursors.open(scope, cursor));
  if (from === undefined) throw badRequest('Invalid cursor');
  const slices = inSlices(
    // One more than asked for shows whether another page follows.
    { limit: limit + 1, offset: 0 },
    (last: Item | undefined, most) => read(last === undefined ? from : keys.keyOf(last), most),
    (item) => JSON.stringify(render(item)),
    context.work.pause,
  );
  const cursorBehind = (item: Item): string => cursors.seal(scope, keys.keyOf(item));
  return writePage(context, limit, { slices, cursorBehind, total }, headers);
}

// A page ends with the element that reaches it, even before its limit.
const PAGE_BYTES = 1_000_000;

/** What a page is written from. */
export interface PageSource<Element> {
  readonly slices: AsyncIterable<readonly Entry<Element>[]>;
  /** The cursor of the page that begins behind an element. */
  readonly cursorBehind: (element: Element) => string;
  readonly total: () => number;
  /** Whether other elements follow those of the slices. */
  readonly isPart?: boolean;
}

/** A page of at most `limit` elements and about a megabyte, with a `Link` to the next one. */
export async function writePage<Element>(
  { path, query }: Pick<PageContext, 'path' | 'query'>,
  limit: number,
  { slices, cursorBehind, total, isPart = false }: PageSource<Element>,
  headers: Headers = {},
): Promise<Reply> {
  const data: string[] = [];
  let bytes = 0;
  let last: Element | undefined;
  let isCut = false;
  for await (const slice of slices) {
    for (const { element, text } of slice) {
      isCut = data.length === limit || bytes >= PAGE_BYTES;
      if (isCut) break;
      data.push(text);
      bytes += Buffer.byteLength(text);
      last = element;
    }
    if (isCut) break;
  }
  const next = (isCut || isPart) && last !== undefined ? cursorBehind(last) : null;
  const link = next === null ? undefined : nextLink(path, query, next);
  const rest = JSON.stringify({ next_cursor: next, has_more: next !== null, total: total() });
  return okText(`{"data":[${data.join()}],${rest.slice(1)}`, {
    ...headers,
    ...(link !== undefined && { Link: link }),
  });
}
