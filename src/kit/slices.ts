/**
 * Reads elements of a list: those behind `after`, or without it those behind the first `offset`; of the list in a database
 * at most `limit`. The caller takes as many as it needs, at once.
 */
export type SliceReader<Element> = (
  after: Element | undefined,
  limit: number,
  offset: number,
) => Iterable<Element>;

/** Resolves when the next slice may be read. */
export type Pause = () => Promise<void>;

/** An element of a list with its JSON text. */
export interface Entry<Element> {
  readonly element: Element;
  readonly text: string;
}

/** The part of a list that is asked for. */
interface Part {
  readonly limit: number | undefined;
  readonly offset: number;
}

/** All of a list. */
export const ALL: Part = { limit: undefined, offset: 0 };

// A slice ends with the element that reaches any of these.
const SLICE_BYTES = 64 * 1024;
const SLICE_ROWS = 500;
const SLICE_MS = 5;

/**
 * The part of a list that is asked for, in slices that end after 64 KB of text or some milliseconds, each read after the last
 * element of the one before. Elements without a text are left out. No statement stays open while the client reads: the write-ahead log
 * could not shrink meanwhile.
 */
export async function* inSlices<Element>(
  { limit, offset }: Part,
  read: SliceReader<Element>,
  toText: (element: Element) => string | undefined,
  pause: Pause,
): AsyncGenerator<readonly Entry<Element>[]> {
  let last: Element | undefined;
  let left = limit ?? Infinity;
  for (let isCut = true; isCut && left > 0;) {
    const wanted = Math.min(left, SLICE_ROWS);
    const slice: Entry<Element>[] = [];
    const until = performance.now() + SLICE_MS;
    let [count, bytes] = [0, 0];
    isCut = false;
    for (const element of read(last, wanted, last === undefined ? offset : 0)) {
      last = element;
      count += 1;
      const text = toText(element);
      if (text !== undefined) {
        slice.push({ element, text });
        bytes += Buffer.byteLength(text);
      }
      isCut = count === wanted || bytes >= SLICE_BYTES || performance.now() > until;
      if (isCut) break;
    }
    left -= count;
    yield slice;
    if (isCut && left > 0) await pause();
  }
}

/** The UTF-8 of a text that comes in pieces, with a pause whenever that has taken some milliseconds. */
export async function bytesInTurns(pieces: Iterable<string>, pause: Pause): Promise<Buffer> {
  const slices: Buffer[] = [];
  let text = '';
  let until = performance.now() + SLICE_MS;
  for (const piece of pieces) {
    text += piece;
    if (text.length >= SLICE_BYTES) {
      slices.push(Buffer.from(text));
      text = '';
    }
    if (performance.now() < until) continue;
    await pause();
    until = performance.now() + SLICE_MS;
  }
  slices.push(Buffer.from(text));
  return Buffer.concat(slices);
}
