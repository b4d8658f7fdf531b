import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { OverloadedError, createQueue } from '../../src/memory/queue.ts';

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

describe('a queue', () => {
  test('runs so many at once, and the others in order', async () => {
    const queue = createQueue({ atOnce: 2 });
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
    const queue = createQueue({ atOnce: 1 });
    const failed = queue.run(() => Promise.reject(new RangeError('no')));
    const done = queue.run(() => Promise.resolve(7));
    await assert.rejects(failed, RangeError);
    assert.equal(await done, 7);
  });

  test('lets keys take turns', async () => {
    const queue = createQueue({ atOnce: 1 });
    const started: string[] = [];
    const keys = ['many', 'many', 'many', 'few', 'other'];
    const start = (key: string): Promise<unknown> => queue.run(() => Promise.resolve(started.push(key)), key);
    await Promise.all(keys.map(start));
    assert.deepEqual(started, ['many', 'many', 'few', 'other', 'many']);
  });

  test('refuses at once what would be one too many to wait', async () => {
    const queue = createQueue({ atOnce: 1, maxWaiting: 1 });
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
    const queue = createQueue({ atOnce: 1, maxWaitMs: 10 });
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
