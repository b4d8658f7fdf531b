/**
 * Reads list elements after `after`, or, without it, after the first `offset`; at most `limit` if the list is in a
 * database. The caller consumes what it needs synchronously.
 */
export type SliceReader<Element> = (
  after: Element | undefined,
  limit: number,
  offset: number,
) => Iterable<Element>;

/** A text in UTF-8, in pieces that belong together. */
export type Pieces = readonly Buffer[];

/** A list element with its JSON text. */
export interface Entry<Element> {
  readonly element: Element;
  readonly pieces: Pieces;
}

/** Consecutive entries of a list. */
export interface Slice<Element> {
  readonly entries: readonly Entry<Element>[];
  /** True if the list continues: pause before reading the next slice. */
  readonly isCut: boolean;
}

/** Lets other requests run during a long handler. */
export interface Work {
  /**
   * Await between slices of a few milliseconds; resolves when the next one may run. Rejects with a ClientGoneError
   * once the client has gone, or with what a new request would get once the caller has lost its rights.
   */
  readonly pause: () => Promise<void>;
  /**
   * Like `pause`, right before some milliseconds of work, but undefined while this tick has done little. Many requests
   * that waited for the same thing resume in one tick, and must not do all their work in it.
   */
  readonly turn: () => Promise<void> | undefined;
}

interface Part {
  readonly limit: number | undefined;
  readonly offset: number;
}

/** The whole list. */
export const ALL: Part = { limit: undefined, offset: 0 };

// A slice ends with the element that reaches any of these limits.
const SLICE_BYTES = 64 * 1024;
const SLICE_ROWS = 500;
const SLICE_MS = 5;

/**
 * The requested part of a list in slices, each read from where the previous one ended. Skips elements without text.
 * Statements are closed between slices: an open one would stop the write-ahead log from shrinking while a client reads
 * slowly.
 */
export function* inSlices<Element>(
  { limit, offset }: Part,
  read: SliceReader<Element>,
  toText: (element: Element) => string | Pieces | undefined,
): Generator<Slice<Element>> {
  let last: Element | undefined;
  let left = limit ?? Infinity;
  for (let isCut = true; isCut;) {
    const wanted = Math.min(left, SLICE_ROWS);
    const entries: Entry<Element>[] = [];
    const until = performance.now() + SLICE_MS;
    let [count, bytes] = [0, 0];
    isCut = false;
    for (const element of read(last, wanted, last === undefined ? offset : 0)) {
      last = element;
      count += 1;
      const text = toText(element);
      if (text !== undefined) {
        const pieces = typeof text === 'string' ? [Buffer.from(text)] : text;
        entries.push({ element, pieces });
        bytes += lengthOf(pieces);
      }
      isCut = count === wanted || bytes >= SLICE_BYTES || performance.now() > until;
      if (isCut) break;
    }
    left -= count;
    isCut &&= left > 0;
    yield { entries, isCut };
  }
}

/** The bytes of a text. */
export function lengthOf(pieces: Pieces): number {
  let bytes = 0;
  for (const { length } of pieces) bytes += length;
  return bytes;
}

/** The JSON of an object before and after its last member, the list `items`. */
export function aroundItems(object: object): { readonly start: string; readonly end: string } {
  return { start: `${JSON.stringify(object).slice(0, -1)},"items":[`, end: ']}' };
}

/** The entries of each slice, pausing before a slice that continues the list. */
export async function* paced<Element>(
  slices: Iterable<Slice<Element>> | AsyncIterable<Slice<Element>>,
  pause: () => Promise<void>,
): AsyncGenerator<readonly Entry<Element>[]> {
  for await (const { entries, isCut } of slices) {
    yield entries;
    if (isCut) await pause();
  }
}

/** A text that comes in pieces, encoded as UTF-8, pausing after every few milliseconds of work. */
export async function* inTurns(pieces: Iterable<string>, pause: () => Promise<void>): AsyncGenerator<Buffer> {
  let text = '';
  let until = performance.now() + SLICE_MS;
  for (const piece of pieces) {
    text += piece;
    if (text.length < SLICE_BYTES && performance.now() < until) continue;
    yield Buffer.from(text);
    text = '';
    await pause();
    until = performance.now() + SLICE_MS;
  }
  yield Buffer.from(text);
}

/** Like `inTurns`, as a whole. */
export async function bytesInTurns(pieces: Iterable<string>, pause: () => Promise<void>): Promise<Buffer> {
  const slices = await Array.fromAsync(inTurns(pieces, pause));
  // Joining megabytes takes milliseconds, too.
  if (slices.length > 1) await pause();
  return Buffer.concat(slices);
}
