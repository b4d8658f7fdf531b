import { createHash } from 'node:crypto';
import type { Sealer } from '../kit/input/sealed.ts';
import {
  type Entry,
  type Pieces,
  type Slice,
  type SliceReader,
  bytesInTurns,
  inSlices,
  lengthOf,
  paced,
} from '../kit/slices.ts';
import { withTag } from './conditional.ts';
import type { RequestContext } from './context.ts';
import { badRequest } from './errors.ts';
import { JSON_TYPE, type Reply, okText, stream } from './reply.ts';
import { nextLink } from './target.ts';

type Headers = Readonly<Record<string, string>>;
type Worker = Pick<RequestContext, 'work'>;
type Slices<Element> = Iterable<Slice<Element>> | AsyncIterable<Slice<Element>>;

// Together with the slice that crosses it, at most 192 KB of an array are read before the response starts.
const AHEAD_BYTES = 128 * 1024;
// A page ends with the element that reaches this many bytes, even below its limit.
const PAGE_BYTES = 1_000_000;
const COMMA = Buffer.from(',');
const ARRAY = { start: '[', end: ']' };

/** 200 with the requested part of a list as a JSON array, or as part of an object, read slice by slice. */
export function listReply<Element>(
  context: Worker,
  part: { readonly limit: number | undefined; readonly offset: number },
  read: SliceReader<Element>,
  toText: (element: Element) => string | Pieces | undefined,
  headers: Headers = {},
  around = ARRAY,
): Promise<Reply> {
  return jsonArray(context, inSlices(part, read, toText), headers, around);
}

/**
 * 200 with slices as one JSON array. The first AHEAD_BYTES are read here, so that a failure can still get an error
 * status; a shorter list is sent as a normal body. The rest is read as the client consumes it.
 */
export async function jsonArray<Element>(
  { work }: Worker,
  source: Slices<Element>,
  headers: Headers = {},
  around = ARRAY,
): Promise<Reply> {
  const [start, end] = [Buffer.from(around.start), Buffer.from(around.end)];
  const slices = paced(source, work.pause);
  let ahead: Buffer[] = [start];
  let bytes = 0;
  while (bytes < AHEAD_BYTES) {
    const slice = await slices.next();
    if (slice.done === true) return okText(Buffer.concat([...ahead, end]), headers);
    const pieces = joined(slice.value, ahead.length > 1);
    ahead.push(...pieces);
    bytes += lengthOf(pieces);
  }
  const chunks = async function* (): AsyncGenerator<Buffer> {
    try {
      yield Buffer.concat(ahead);
      // Frees the beginning while the rest is sent.
      ahead = [];
      for await (const slice of slices) if (slice.length > 0) yield Buffer.concat(joined(slice, true));
      yield end;
    } finally {
      await slices.return(undefined);
    }
  };
  return stream(200, { ...headers, 'Content-Type': JSON_TYPE }, chunks);
}

/** The pieces of all entries with commas between them, and before the first if it continues a list. */
function joined(entries: readonly Pick<Entry<unknown>, 'pieces'>[], continues: boolean): Buffer[] {
  const all: Buffer[] = [];
  for (const { pieces } of entries) {
    if (continues || all.length > 0) all.push(COMMA);
    all.push(...pieces);
  }
  return all;
}

/** 200 with a JSON text produced in pieces. */
export async function jsonPieces(
  { work }: Worker,
  pieces: Iterable<string>,
  headers: Headers = {},
): Promise<Reply> {
  return okText(await bytesInTurns(pieces, work.pause), headers);
}

/** Like `jsonPieces`, with an entity tag: a text of megabytes takes long to hash at once. */
export async function taggedPieces(
  context: Worker,
  pieces: Iterable<string>,
  headers: Headers,
): Promise<Reply> {
  const hash = createHash('sha256');
  const hashed = function* (): Generator<string> {
    for (const piece of pieces) {
      hash.update(piece);
      yield piece;
    }
  };
  const reply = await jsonPieces(context, hashed(), headers);
  return withTag(reply, hash.digest('base64url'));
}

/** The keys that order a list. */
export interface Keys<Item, Key> {
  readonly keyOf: (item: Item) => Key;
  /** The key in an opened cursor; undefined if it is not one. */
  readonly read: (opened: unknown) => Key | undefined;
}

/** Orders elements by id. */
export const BY_ID: Keys<{ readonly id: number }, number> = {
  keyOf: ({ id }) => id,
  read: (opened) => (typeof opened === 'number' ? opened : undefined),
};

/** A list read page by page, by key. */
export interface PagedList<Item, Key> {
  /** Distinguishes its cursors from those of other lists. */
  readonly scope: string;
  /** Converts a key to a cursor and back. */
  readonly cursors: Sealer;
  readonly keys: Keys<Item, Key>;
  /** Where the first page starts. */
  readonly start: Key;
  readonly read: (from: Key, limit: number) => Iterable<Item>;
  readonly total: () => number;
  readonly render: (item: Item) => object;
}

type PageContext = Pick<RequestContext, 'path' | 'query' | 'work'>;

/** The requested page, with a `Link` to the next one. Throws 400 for a cursor of another list. */
export function pageReply<Item, Key>(
  context: PageContext,
  { limit, cursor }: { readonly limit: number; readonly cursor: string | undefined },
  { scope, cursors, keys, start, read, total, render }: PagedList<Item, Key>,
  headers: Headers = {},
): Promise<Reply> {
  const from = cursor === undefined ? start : keys.read(cursors.open(scope, cursor));
  if (from === undefined) throw badRequest('Invalid cursor');
  const slices = inSlices(
    // One more than requested shows whether another page follows.
    { limit: limit + 1, offset: 0 },
    (last: Item | undefined, most) => read(last === undefined ? from : keys.keyOf(last), most),
    (item) => JSON.stringify(render(item)),
  );
  const cursorBehind = (item: Item): string => cursors.seal(scope, keys.keyOf(item));
  return writePage(context, limit, { slices, cursorBehind, total }, headers);
}

export interface PageSource<Element> {
  readonly slices: Slices<Element>;
  /** The cursor of the page that follows an element. */
  readonly cursorBehind: (element: Element) => string;
  readonly total: () => number;
  /** True if more elements follow the slices. */
  readonly isPart?: boolean;
  /** Further members of the page as JSON, each behind a comma. */
  readonly more?: string;
}

/** A page of at most `limit` elements and about a megabyte, with a `Link` to the next one. */
export async function writePage<Element>(
  { path, query, work }: PageContext,
  limit: number,
  { slices, cursorBehind, total, isPart = false, more = '' }: PageSource<Element>,
  headers: Headers = {},
): Promise<Reply> {
  const written: Entry<Element>[] = [];
  let bytes = 0;
  let isCut = false;
  for await (const entries of paced(slices, work.pause)) {
    for (const entry of entries) {
      isCut = written.length === limit || bytes >= PAGE_BYTES;
      if (isCut) break;
      written.push(entry);
      bytes += lengthOf(entry.pieces);
    }
    if (isCut) break;
  }
  const last = written.at(-1);
  const next = (isCut || isPart) && last !== undefined ? cursorBehind(last.element) : null;
  const link = next === null ? undefined : nextLink(path, query, next);
  const rest = JSON.stringify({ next_cursor: next, has_more: next !== null, total: total() });
  const end = Buffer.from(`],${rest.slice(1, -1)}${more}}`);
  const body = [Buffer.from('{"data":['), ...joined(written, false), end];
  return okText(Buffer.concat(body), { ...headers, ...(link !== undefined && { Link: link }) });
}
