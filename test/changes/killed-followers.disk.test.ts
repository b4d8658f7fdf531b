import assert from 'node:assert/strict';
import { request } from 'node:http';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { randomNumbers } from '../support/catalogue.ts';
import { array, createClient, field, ids, textOf } from '../support/client.ts';
import { readStored } from '../support/people.ts';
import { createRandomWriters } from '../support/random-writers.ts';
import { temporaryFolder } from '../support/service.ts';
import { startServerProcess } from '../support/cli.ts';
import { SEED, scaled } from '../support/size.ts';

const KILLS = scaled(200);
const WRITERS = 4;
// A connection ends within a change, between two, or before its answer has started.
const MOST_BYTES = 4_000;
const MOST_MS = 40;

/** A connection that is destroyed after so many bytes or milliseconds. */
interface Kill {
  readonly bytes: number;
  readonly ms: number;
}

interface Received {
  readonly status: number;
  readonly text: string;
  /** Whether it ended by itself. */
  readonly isWhole: boolean;
}

function randomKill(random: () => number): Kill {
  const isByTime = random() < 0.5;
  return {
    bytes: isByTime ? Infinity : Math.floor(random() * MOST_BYTES),
    ms: isByTime ? random() * MOST_MS : Infinity,
  };
}

/** The answer that a client receives until it is killed, or until `isEnough`. */
function receive(
  url: string,
  headers: Readonly<Record<string, string>>,
  kill: Kill,
  isEnough: (text: string) => boolean = () => false,
): Promise<Received> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let status = 0;
    let left = kill.bytes;
    let isWhole = false;
    const asked = request(url, { headers, agent: false }, (response) => {
      status = response.statusCode ?? 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk.subarray(0, left));
        left -= chunk.length;
        if (left <= 0 || isEnough(Buffer.concat(chunks).toString())) asked.destroy();
      });
      response.on('end', () => (isWhole = left >= 0));
      response.on('error', () => undefined);
    });
    const timer = kill.ms === Infinity ? undefined : setTimeout(() => asked.destroy(), kill.ms);
    asked.on('error', () => undefined);
    asked.on('close', () => {
      clearTimeout(timer);
      resolve({ status, text: Buffer.concat(chunks).toString(), isWhole });
    });
    asked.end();
  });
}

/** The memory of a follower from one life to the next. */
interface Follower {
  /** The changes that it has got, in the order in which they came. */
  readonly got: number[];
  kills: number;
  /** Lives once, as far as it gets; `last` is the change after which it may rest. */
  readonly live: (kill: Kill, last?: number) => Promise<void>;
}

/** Follows the stream from the first change on; an event without its end does not count. */
function streamFollower(url: string): Follower {
  const got: number[] = [];
  let cursor: string | undefined;
  return {
    got,
    kills: 0,
    async live(kill, last) {
      const headers = cursor === undefined ? {} : { 'Last-Event-ID': cursor };
      const isEnough = (text: string): boolean =>
        last !== undefined &&
        (got.at(-1) === last || (text.includes(`data: {"id":${last},`) && text.endsWith('\n\n')));
      const { status, text } = await receive(
        `${url}/api/changes/stream?since=start`,
        headers,
        kill,
        isEnough,
      );
      if (status === 429) await pause(MOST_MS);
      if (status !== 200) return;
      for (const event of text.split('\n\n').slice(0, -1)) {
        const lines = new Map(
          event.split('\n').map((line): [string, string] => {
            const colon = line.indexOf(':');
            return [line.slice(0, colon), line.slice(colon + 2)];
          }),
        );
        cursor = lines.get('id') ?? cursor;
        if (lines.get('event') === 'change')
          got.push(Number(field(JSON.parse(lines.get('data') ?? ''), 'id')));
      }
    },
  };
}

/** Asks for page after page from the first change on; a page that did not come whole does not count. */
function pageFollower(url: string, random: () => number): Follower {
  const got: number[] = [];
  let cursor = 'start';
  return {
    got,
    kills: 0,
    async live(kill) {
      const query = `limit=${1 + Math.floor(random() * 20)}&since=${encodeURIComponent(cursor)}`;
      const { status, text, isWhole } = await receive(`${url}/api/changes?${query}`, {}, kill);
      if (!isWhole) return;
      assert.equal(status, 200, text);
      const page: unknown = JSON.parse(text);
      got.push(...ids(array(field(page, 'data'))));
      cursor = textOf(page, 'next');
    },
  };
}

describe('a follower of the changes that is killed again and again while others write', () => {
  test(`has every change once and in order after ${KILLS} lives, of the stream and of pages (seed ${SEED})`, async (t) => {
    const folder = temporaryFolder(t);
    const { url } = await startServerProcess(t, { DATA_DIR: folder, RATE_LIMIT_PER_MINUTE: '0' });
    const random = randomNumbers(SEED);
    const followers = [streamFollower(url), pageFollower(url, random)];
    let hasFailed = false;
    const isOver = (): boolean => hasFailed || followers.every(({ kills }) => kills >= KILLS);
    const follow = async (follower: Follower): Promise<void> => {
      while (!isOver()) {
        await follower.live(randomKill(random));
        follower.kills += 1;
      }
    };
    const write = createRandomWriters(random, WRITERS).write(createClient(url), isOver);
    const work = [write, ...followers.map(follow)].map((one) =>
      one.catch((error: unknown) => {
        hasFailed = true;
        throw error;
      }),
    );
    await Promise.all(work);
    const all = ids(readStored(folder, 'SELECT id FROM changes ORDER BY id'));
    const last = all.at(-1) ?? 0;
    for (const follower of followers) {
      const before = follower.got.length;
      while (follower.got.at(-1) !== last) await follower.live({ bytes: Infinity, ms: Infinity }, last);
      assert.deepEqual(follower.got, all);
      t.diagnostic(JSON.stringify({ kills: follower.kills, changes: all.length, gotWhileKilled: before }));
      assert.ok(before > 0);
    }
  });
});
