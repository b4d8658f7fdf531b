import type { Work } from './context.ts';

/** Reads up to `limit` elements of a list: those behind `after`, or without it those behind the first `offset`. */
export type SliceReader<Element> = (
  after: Element | undefined,
  limit: number,
  offset: number,
) => readonly Element[];

/**
 * The part of a list that is asked for, as the JSON texts of what `render` returns, in slices of `size`, each read after the
 * last element of the one before. No statement stays open while the client reads: the write-ahead log could not
 * shrink meanwhile.
 */
export async function* inSlices<Element>(
  { limit, offset }: { readonly limit: number | undefined; readonly offset: number },
  size: number,
  read: SliceReader<Element>,
  render: (element: Element) => object,
  { pause }: Work,
): AsyncGenerator<readonly string[]> {
  let last: Element | undefined;
  let left = limit ?? Infinity;
  for (;;) {
    const wanted = Math.min(left, size);
    const slice = read(last, wanted, last === undefined ? offset : 0);
    yield slice.map((element) => JSON.stringify(render(element)));
    left -= slice.length;
    if (slice.length < wanted || left === 0) return;
    last = slice.at(-1);
    await pause();
  }
}
