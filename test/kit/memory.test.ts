import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { Cache, type CacheOptions } from '../../src/kit/cache.ts';
import { whileUsed } from '../../src/kit/once.ts';
import { Queue, OverloadedError, type Turn } from '../../src/kit/queue.ts';
import { type SliceReader, ALL, bytesInTurns, inSlices, paced } from '../../src/kit/slices.ts';
import { until } from '../support/until.ts';

/** A cache on a clock that the test advances, in milliseconds. */
function cacheAt(options: CacheOptions): {
  readonly cache: Cache<string, number>;
  readonly wait: (ms: number) => void;
} {
  let time = 0;
  const wait = (ms: number): void => {
    time += ms;
  };
  return { cache: new Cache({ ...options, now: () => time }), wait };
}

const count = (cache: Cache<number, number>, most: number): number =>
  Array.from({ length: most }, (_, key) => cache.get(key)).filter((value) => value !== undefined).length;

describe('a cache', () => {
  test('returns what was set, until it is deleted or replaced', () => {
    const cache = new Cache<string, number>({ maxBytes: 10_000 });
    assert.equal(cache.get('a'), undefined);
    cache.set('a', 1, 10);
    cache.set('b', 2, 10);
    assert.deepEqual([cache.get('a'), cache.get('b')], [1, 2]);
    cache.set('a', 3, 10);
    assert.equal(cache.get('a'), 3);
    cache.delete('a');
    cache.delete('never there');
    assert.deepEqual([cache.get('a'), cache.get('b'), cache.size()], [undefined, 2, 1]);
  });

  test('holds no more bytes than it may, whatever is set', () => {
    const cache = new Cache<number, number>({ maxBytes: 100_000 });
    for (let key = 0; key < 10_000; key += 1) cache.set(key, key, 400);
    const left = count(cache, 10_000);
    assert.ok(left > 90 && left <= 200, `${left} entries of 500 bytes`);
    assert.equal(cache.get(9_999), 9_999);
  });

  test('holds no more entries than it may, and at least the half of them that was used last', () => {
    const cache = new Cache<number, number>({ maxEntries: 100 });
    for (let key = 0; key < 10_000; key += 1) {
      cache.set(key, key);
      assert.ok(cache.size() <= 100);
      assert.equal(cache.get(0), 0);
    }
    for (let key = 9_999; key > 9_951; key -= 1) assert.equal(cache.get(key), key);
    assert.equal(cache.get(1), undefined);
  });

  test('deletes also what it was about to drop', () => {
    const cache = new Cache<number, number>({ maxBytes: 100_000 });
    for (let key = 0; key < 150; key += 1) cache.set(key, key, 400);
    for (let key = 0; key < 150; key += 1) cache.delete(key);
    assert.deepEqual([count(cache, 150), cache.size()], [0, 0]);
  });

  test('counts right when the same is set again and again', () => {
    const cache = new Cache<number, number>({ maxBytes: 100_000, maxEntries: 100 });
    cache.set(1, 1, 400);
    for (let round = 0; round < 10_000; round += 1) cache.set(2, round, 400);
    assert.deepEqual([cache.get(1), cache.get(2), cache.size()], [1, 9_999, 2]);
  });

  test('does not store what would take most of it, nor keeps what that replaces', () => {
    const cache = new Cache<number, number>({ maxBytes: 100_000 });
    cache.set(1, 1, 400);
    cache.set(2, 2, 400);
    cache.set(2, 3, 50_000);
    assert.deepEqual([cache.get(1), cache.get(2), cache.size()], [1, undefined, 1]);
  });

  test('forgets an entry at the end of its age, however often it was used', () => {
    const { cache, wait } = cacheAt({ maxAgeMs: 60_000 });
    cache.set('a', 1);
    wait(30_000);
    cache.set('b', 2);
    wait(29_999);
    assert.deepEqual([cache.get('a'), cache.get('b')], [1, 2]);
    wait(1);
    assert.deepEqual([cache.get('a'), cache.get('b')], [undefined, 2]);
    cache.set('b', 3);
    wait(59_999);
    assert.equal(cache.get('b'), 3);
  });

  test('removes old entries from memory as others are set', () => {
    const { cache, wait } = cacheAt({ maxAgeMs: 1_000 });
    for (let key = 0; key < 1_000; key += 1) cache.set(String(key), key);
    wait(1_000);
    cache.set('b', 1);
    wait(1_000);
    cache.set('b', 2);
    assert.equal(cache.size(), 1);
    for (let key = 0; key < 1_000; key += 1) cache.set(String(key), key);
    wait(2_000);
    cache.set('b', 3);
    assert.equal(cache.size(), 1);
  });
});

/** Work that ends when the test says so. */
function holding(): {
  readonly work: () => Promise<void>;
  readonly end: () => void;
  readonly isStarted: () => boolean;
} {
  let [started, end] = [false, (): void => undefined];
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const work = (): Promise<void> => {
    started = true;
    return ended;
  };
  return { work, end, isStarted: () => started };
}

test('what is used is the same thing until nobody has used it for a time', async () => {
  let made = 0;
  const used = whileUsed(() => (made += 1), 20);
  for (let round = 0; round < 3; round += 1) assert.equal(used(), 1);
  await until(() => used() > 1);
});

describe('a queue', () => {
  test('runs so many at once, and the others in order', async () => {
    const queue = new Queue({ atOnce: 2 });
    const all = Array.from({ length: 4 }, holding);
    const ended = all.map(({ work }) => queue.run(work));
    const started = async (): Promise<number> => {
      await nextTick();
      return all.filter(({ isStarted }) => isStarted()).length;
    };
    assert.equal(await started(), 2);
    assert.deepEqual(queue.load(), { running: 2, waiting: 2 });
    all[1]?.end();
    assert.equal(await started(), 3);
    assert.equal(all[2]?.isStarted(), true);
    for (const { end } of all) end();
    await Promise.all(ended);
    assert.deepEqual(queue.load(), { running: 0, waiting: 0 });
  });

  test('returns what work returns or throws, and goes on', async () => {
    const queue = new Queue({ atOnce: 1 });
    const failed = queue.run(() => Promise.reject(new RangeError('no')));
    const done = queue.run(() => Promise.resolve(7));
    await assert.rejects(failed, RangeError);
    assert.equal(await done, 7);
  });

  test('lets keys take turns', async () => {
    const queue = new Queue({ atOnce: 1 });
    const started: string[] = [];
    const keys = ['many', 'many', 'many', 'few', 'other'];
    const start = (key: string): Promise<unknown> => queue.run(() => Promise.resolve(started.push(key)), key);
    await Promise.all(keys.map(start));
    assert.deepEqual(started, ['many', 'many', 'few', 'other', 'many']);
  });

  test('runs one job of a key at a time, those that go first ahead, and forgets who has left', async () => {
    const queue = new Queue({ atOnce: 2, perKey: 1 });
    const started: string[] = [];
    const ends: (() => void)[] = [];
    const take = async (name: string, turn: Turn = {}): Promise<void> => {
      ends.push(await queue.take({ key: name.charAt(0), ...turn }));
      started.push(name);
    };
    const gone = new AbortController();
    const [left, late] = [{ signal: gone.signal }, { maxWaitMs: 10 }];
    void take('a1');
    const refused = [assert.rejects(take('a2', left), OverloadedError)];
    for (const name of ['a3', 'b1', 'c1']) void take(name);
    refused.push(assert.rejects(take('b2', late), OverloadedError));
    void take('d1', { goesFirst: true });
    gone.abort();
    await Promise.all(refused);
    assert.deepEqual(started, ['a1', 'b1']);
    for (let ended = 0; ended < 5; ended += 1) {
      ends[ended]?.();
      await nextTick();
    }
    assert.deepEqual(started, ['a1', 'b1', 'd1', 'a3', 'c1']);
    assert.deepEqual(queue.load(), { running: 0, waiting: 0 });
  });

  test('refuses at once what would be one too many to wait', async () => {
    const queue = new Queue({ atOnce: 1, maxWaiting: 1 });
    const [running, waiting] = [holding(), holding()];
    const ended = [queue.run(running.work), queue.run(waiting.work)];
    await assert.rejects(
      queue.run(() => Promise.resolve()),
      OverloadedError,
    );
    running.end();
    waiting.end();
    await Promise.all(ended);
    await queue.run(() => Promise.resolve());
  });

  test('refuses what has waited for too long, and never runs it', async () => {
    const queue = new Queue({ atOnce: 1, maxWaitMs: 10 });
    const [running, late] = [holding(), holding()];
    const ended = queue.run(running.work);
    await assert.rejects(queue.run(late.work), OverloadedError);
    assert.deepEqual(queue.load(), { running: 1, waiting: 0 });
    running.end();
    await ended;
    await nextTick();
    assert.equal(late.isStarted(), false);
  });
});

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
  for await (const slice of paced(inSlices(part, read, toText), pause))
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

  test('ends the statement of a slice before it hands the slice on, and where a text fails', () => {
    let isOpen = false;
    const opened = function* (after: number | undefined, limit: number): Generator<number> {
      isOpen = true;
      try {
        yield* read(after, limit, 0);
      } finally {
        isOpen = false;
      }
    };
    for (const { entries } of inSlices(ALL, opened, () => 'x'.repeat(1_000))) {
      assert.ok(entries.length > 0);
      assert.equal(isOpen, false);
    }
    const failing = inSlices(ALL, opened, () => {
      throw new Error('broken');
    });
    assert.throws(() => failing.next(), /broken/);
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
    // And once before they are joined.
    assert.equal(pauses, pieces.length + 1);
    assert.equal((await bytesInTurns([], pause)).length, 0);
  });
});
