import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ALL, type SliceReader, bytesInTurns, inSlices } from '../../src/memory/slices.ts';

const NUMBERS = Array.from({ length: 1_200 }, (_, index) => index);
const read: SliceReader<number> = (after, limit, offset) =>
  NUMBERS.slice(after === undefined ? offset : after + 1).slice(0, limit);

/** The slices of a list, and how often it paused between them. */
async function slicesOf(
  part: typeof ALL,
  toText: (element: number) => string | undefined,
): Promise<{ slices: number[][]; pauses: number }> {
  const slices: number[][] = [];
  let pauses = 0;
  const pause = (): Promise<void> => {
    pauses += 1;
    return Promise.resolve();
  };
  for await (const slice of inSlices(part, read, toText, pause))
    slices.push(slice.map(({ element }) => element));
  return { slices, pauses };
}

function isBusy(milliseconds: number): void {
  for (const until = performance.now() + milliseconds; performance.now() < until;);
}

describe('a list in slices', () => {
  test('is whole, with a pause between each two slices', async () => {
    const { slices, pauses } = await slicesOf(ALL, String);
    assert.deepEqual(slices.flat(), NUMBERS);
    assert.equal(pauses, slices.length - 1);
  });

  test('ends a slice with the element that reaches 64 KB, and goes on behind one that is longer', async () => {
    const long = await slicesOf({ limit: 5, offset: 0 }, () => 'x'.repeat(40_000));
    assert.deepEqual(long.slices.flat(), [0, 1, 2, 3, 4]);
    assert.ok(long.slices.every(({ length }) => length <= 2));
    const longer = await slicesOf({ limit: 3, offset: 7 }, () => 'x'.repeat(3_000_000));
    assert.deepEqual(longer.slices, [[7], [8], [9]]);
  });

  test('ends a slice after some milliseconds, however short its texts are', async () => {
    const { slices } = await slicesOf({ limit: 4, offset: 0 }, (element) => {
      isBusy(6);
      return String(element);
    });
    assert.deepEqual(slices, [[0], [1], [2], [3]]);
  });

  test('leaves out what has no text, and counts it for the part that is asked for', async () => {
    const { slices } = await slicesOf({ limit: 3, offset: 0 }, (element) =>
      element === 1 ? undefined : 'x',
    );
    assert.deepEqual(slices.flat(), [0, 2]);
  });

  test('ends the statement of a slice before it hands the slice on, and where a text fails', async () => {
    let isOpen = false;
    const opened = function* (after: number | undefined, limit: number): Generator<number> {
      isOpen = true;
      try {
        yield* read(after, limit, 0);
      } finally {
        isOpen = false;
      }
    };
    const wait = (): Promise<void> => Promise.resolve();
    for await (const slice of inSlices(ALL, opened, () => 'x'.repeat(1_000), wait)) {
      assert.ok(slice.length > 0);
      assert.equal(isOpen, false);
    }
    const failing = inSlices(
      ALL,
      opened,
      () => {
        throw new Error('broken');
      },
      wait,
    );
    await assert.rejects(failing.next(), /broken/);
    assert.equal(isOpen, false);
  });
});

describe('a text in pieces', () => {
  test('becomes its bytes, with a pause whenever that has taken some milliseconds', async () => {
    const pieces = ['食', 'x'.repeat(100_000), '', '🍜'.repeat(50_000), 'end'];
    let pauses = 0;
    const pause = (): Promise<void> => {
      pauses += 1;
      return Promise.resolve();
    };
    const slow = function* (): Generator<string> {
      for (const piece of pieces) {
        isBusy(6);
        yield piece;
      }
    };
    assert.equal((await bytesInTurns(slow(), pause)).toString(), pieces.join(''));
    assert.equal(pauses, pieces.length);
    assert.equal((await bytesInTurns([], pause)).length, 0);
  });
});
