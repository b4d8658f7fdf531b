import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Socket } from 'node:net';
import { setImmediate as nextTick } from 'node:timers/promises';
import { ClientGoneError } from '../../src/http/errors.ts';
import { Scheduler } from '../../src/http/scheduler.ts';

function busyFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('long work of several clients', () => {
  test('goes on in turns of the clients, and a slice that takes long is the last of its tick', async () => {
    const scheduler = new Scheduler();
    const pause = (client: string): Promise<void> => scheduler.pause(client);
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
    const scheduler = new Scheduler();
    const pause = (client: string): Promise<void> => scheduler.pause(client);
    const went: string[] = [];
    for (let slice = 0; slice < 1_000; slice += 1) void pause('one').then(() => went.push('one'));
    let ticks = 0;
    for (; went.length < 1_000; ticks += 1) await nextTick();
    assert.ok(ticks < 500, String(ticks));
  });

  test('goes on in the next tick once the slices of this one have taken some milliseconds together', async () => {
    const scheduler = new Scheduler();
    const pause = (client: string): Promise<void> => scheduler.pause(client);
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

  test('ends at its next pause once the client has gone', async () => {
    const socket = new Socket();
    const { pause } = new Scheduler().work('one', socket);
    await pause();
    const waiting = pause();
    socket.destroy();
    await assert.rejects(waiting, ClientGoneError);
  });
});

describe('requests that arrive together', () => {
  test('wait for the next tick once those before them have taken some milliseconds', async () => {
    const scheduler = new Scheduler();
    const enter = (client: string): Promise<void> | undefined => scheduler.enter(client);
    assert.equal(enter('one'), undefined);
    assert.equal(enter('one'), undefined);
    busyFor(10);
    const waiting = enter('one');
    assert.ok(waiting instanceof Promise);
    await waiting;
    await nextTick();
    assert.equal(enter('one'), undefined);
  });

  test('wait for one slice of the long work of all clients', async () => {
    const scheduler = new Scheduler();
    let slices = 0;
    let isOver = false;
    const work = Array.from({ length: 20 }, async (_, client) => {
      while (!isOver) {
        await scheduler.pause(`long ${client}`);
        slices += 1;
        busyFor(6);
      }
    });
    while (slices < 20) await nextTick();
    void scheduler.enter('short');
    busyFor(10);
    const before = slices;
    const waiting = scheduler.enter('short');
    assert.ok(waiting instanceof Promise);
    await waiting;
    const waited = slices - before;
    isOver = true;
    await Promise.all(work);
    assert.ok(waited <= 2, String(waited));
  });

  test('take turns, too, when they have waited for the same thing and go on in one tick', async () => {
    const scheduler = new Scheduler();
    const ready = nextTick();
    const ticks: number[] = [];
    let tick = 0;
    const one = async (): Promise<void> => {
      const { turn } = scheduler.work('one', new Socket());
      await ready;
      for (let wait = turn(); wait; wait = turn()) await wait;
      ticks.push(tick);
      busyFor(10);
    };
    const all = Promise.all(Array.from({ length: 5 }, one));
    for (; ticks.length < 5; tick += 1) await nextTick();
    await all;
    assert.equal(new Set(ticks).size, 5, String(ticks));
  });

  test('do nothing when their client has gone before it was their turn', async () => {
    const scheduler = new Scheduler();
    const socket = new Socket();
    const { turn } = scheduler.work('one', socket);
    assert.equal(turn(), undefined);
    busyFor(10);
    const waiting = turn();
    socket.destroy();
    await assert.rejects(waiting ?? Promise.resolve(), ClientGoneError);
  });
});
