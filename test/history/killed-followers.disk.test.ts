import assert from 'node:assert/strict';
import { request } from 'node:http';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createRandomWriters } from '../faults/random-writers.ts';
import { randomNumbers } from '../support/catalogue.ts';
import { allChanges, idsOf } from '../support/changes.ts';
import { startServerProcess } from '../support/cli.ts';
import { array, field, ids, textOf } from '../support/client.ts';
import { temporaryFolder } from '../support/service.ts';
import { SEED, scaled } from '../support/size.ts';
import { follow } from '../support/streams.ts';
import { until } from '../support/until.ts';

const KILLS = scaled(200);
const WRITERS = 4;
// A connection ends within a change, between two, or before its answer has started.
const MOST_BYTES = 4_000;
const MOST_MS = 40;

interface Received {
  readonly status: number;
  readonly text: string;
  /** Whether it ended by itself. */
  readonly isWhole: boolean;
}

/** The answer that a client receives until it is killed, after a random number of bytes or milliseconds. */
function receive(
  url: string,
  headers: Readonly<Record<string, string>> | undefined,
  random: () => number,
): Promise<Received> {
  const isByTime = random() < 0.5;
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let status = 0;
    let left = isByTime ? Infinity : Math.floor(random() * MOST_BYTES);
    let isWhole = false;
    const asked = request(url, { headers, agent: false }, (response) => {
      status = response.statusCode ?? 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk.subarray(0, left));
        left -= chunk.length;
        if (left <= 0) asked.destroy();
      });
      response.on('end', () => (isWhole = left >= 0));
      response.on('error', () => undefined);
    });
    const timer = isByTime ? setTimeout(() => asked.destroy(), random() * MOST_MS) : undefined;
    asked.on('error', () => undefined);
    asked.on('close', () => {
      clearTimeout(timer);
      resolve({ status, text: Buffer.concat(chunks).toString(), isWhole });
    });
    asked.end();
  });
}

describe('a follower of the changes that is killed again and again while others write', () => {
  test(`has every change once and in order after ${KILLS} lives, of the stream and of pages (seed ${SEED})`, async (t) => {
    const server = await startServerProcess(t, {
      DATA_DIR: temporaryFolder(t),
      RATE_LIMIT_PER_MINUTE: '0',
    });
    const { url, api } = server;
    const random = randomNumbers(SEED);
    let isOver = false;

    const streamed: number[] = [];
    let lastEvent = '';
    /** Follows the stream from the first change on; an event without its end does not count. */
    const followStream = async (): Promise<void> => {
      const headers = lastEvent === '' ? undefined : { 'Last-Event-ID': lastEvent };
      const { status, text } = await receive(`${url}/api/changes/stream?since=start`, headers, random);
      if (status === 429) await pause(MOST_MS);
      if (status !== 200) return;
      for (const event of text.split('\n\n').slice(0, -1)) {
        lastEvent = /^id: (.*)$/m.exec(event)?.[1] ?? lastEvent;
        const [, data] = /^data: (.*)$/m.exec(event) ?? [];
        if (event.includes('event: change') && data !== undefined)
          streamed.push(Number(field(JSON.parse(data), 'id')));
      }
    };

    const paged: number[] = [];
    let next = 'start';
    /** Asks for page after page from the first change on; a page that did not come whole does not count. */
    const followPages = async (): Promise<void> => {
      const query = `limit=${1 + Math.floor(random() * 20)}&since=${encodeURIComponent(next)}`;
      const { status, text, isWhole } = await receive(`${url}/api/changes?${query}`, {}, random);
      if (!isWhole) return;
      assert.equal(status, 200, text);
      const page: unknown = JSON.parse(text);
      paged.push(...ids(array(field(page, 'data'))));
      next = textOf(page, 'next');
    };

    const again = async (live: () => Promise<void>): Promise<void> => {
      for (let life = 0; life < KILLS && !isOver; life += 1) await live();
    };
    const following = Promise.all([again(followStream), again(followPages)]);
    const writing = createRandomWriters(SEED, WRITERS).write(server, () => isOver);
    await Promise.all([following, writing].map((one) => one.finally(() => (isOver = true))));

    const all = idsOf(await allChanges(api));
    assert.ok(streamed.length > 0 && paged.length > 0);
    const rest = await follow(t, url, { headers: { 'Last-Event-ID': lastEvent } });
    const restOfStream = (): unknown[] => rest.events.slice(1).map(({ data }) => data['id']);
    await until(() => streamed.length + restOfStream().length >= all.length);
    assert.deepEqual([...streamed, ...restOfStream()], all);
    const restOfPages = await allChanges(api, '', { from: encodeURIComponent(next) });
    assert.deepEqual([...paged, ...idsOf(restOfPages)], all);
  });
});
