import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Socket } from 'node:net';
import { setImmediate as nextTick } from 'node:timers/promises';
import { ClientGoneError } from '../../src/http/errors.ts';
import { createScheduler, createWork } from '../../src/http/scheduler.ts';

/** Work that ends when the test says so. */
function holding(): {
  readonly work: () => Promise<void>;
  readonly end: () => void;
  readonly isStarted: () => boolean;
} {
  let started = false;
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const work = (): Promise<void> => {
    started = true;
    return ended;
  };
  return { work, end, isStarted: () => started };
}

function busyFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('long work of several clients', () => {
  test('goes on in turns of the clients, and a slice that takes long is the last of its tick', async () => {
    const { pause } = createScheduler();
    const went: string[] = [];
    const clients = ['many', 'many', 'many', 'many', 'few', 'other'];
    for (const client of clients)
      void (async () => {
        for (let slice = 0; slice < 2; slice += 1) {
          await pause(client);
          went.push(client);
          busyFor(10);
        }
      })();
    const seen = new Set<number>();
    while (went.length < 2 * clients.length) {
      await nextTick();
      seen.add(went.length);
    }
    const round = ['many', 'few', 'other'];
    assert.deepEqual(went, [...round, ...round, ...Array.from({ length: 6 }, () => 'many')]);
    assert.deepEqual([...seen], [...(seen.has(0) ? [0] : []), ...went.map((_, index) => index + 1)]);
  });

  test('goes on in one tick where all slices together are short', async () => {
    const { pause } = createScheduler();
    const went: string[] = [];
    for (let slice = 0; slice < 1_000; slice += 1) void pause('one').then(() => went.push('one'));
    let ticks = 0;
    for (; went.length < 1_000; ticks += 1) await nextTick();
    assert.ok(ticks < 500, String(ticks));
  });

  test('goes on in the next tick once the slices of this one have taken some milliseconds together', async () => {
    const { pause } = createScheduler();
    const went: string[] = [];
    for (const client of ['one', 'two', 'three', 'four', 'five'])
      void (async () => {
        for (let slice = 0; slice < 8; slice += 1) {
          await pause(client);
          busyFor(3);
          went.push(client);
        }
      })();
    const counts: number[] = [];
    for (let before = 0; went.length < 40; before = went.length) {
      await nextTick();
      counts.push(went.length - before);
    }
    assert.ok(Math.max(...counts) <= 2, String(counts));
  });

  test('that holds many results runs twice for one client, four times in all', async () => {
    const { gather } = createScheduler();
    const clients = ['many', 'many', 'many', 'few', 'other', 'last'];
    const all = clients.map((client) => ({ client, ...holding() }));
    const ended = all.map(({ client, work }) => gather(client, work));
    const started = async (): Promise<boolean[]> => {
      await nextTick();
      return all.map(({ isStarted }) => isStarted());
    };
    assert.deepEqual(await started(), [true, true, false, true, true, false]);
    all[3]?.end();
    assert.deepEqual(await started(), [true, true, false, true, true, true]);
    all[0]?.end();
    assert.deepEqual(await started(), [true, true, true, true, true, true]);
    for (const { end } of all) end();
    await Promise.all(ended);
  });

  test('leaves its place to the next one when it fails', async () => {
    const { gather } = createScheduler();
    const failing = Array.from({ length: 10 }, () =>
      gather('one', () => Promise.reject(new RangeError('no'))),
    );
    assert.deepEqual(
      (await Promise.allSettled(failing)).map(({ status }) => status),
      failing.map(() => 'rejected'),
    );
    assert.equal(await gather('one', () => Promise.resolve(7)), 7);
  });

  test('ends at its next pause once the client has gone', async () => {
    const socket = new Socket();
    const { pause, gather } = createWork(createScheduler(), 'one', socket);
    await pause();
    const waiting = pause();
    socket.destroy();
    await assert.rejects(waiting, ClientGoneError);
    await assert.rejects(
      gather(() => Promise.resolve(7)),
      ClientGoneError,
    );
  });
});

describe('requests that arrive together', () => {
  test('wait for the next tick once those before them have taken some milliseconds', async () => {
    const { enter } = createScheduler();
    assert.equal(enter('one'), undefined);
    assert.equal(enter('one'), undefined);
    busyFor(10);
    const waiting = enter('one');
    assert.ok(waiting instanceof Promise);
    await waiting;
    await nextTick();
    assert.equal(enter('one'), undefined);
  });
});
