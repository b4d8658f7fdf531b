import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomNumbers } from '../support/catalogue.ts';
import { startServerProcess } from '../support/cli.ts';
import { type Answer, type Client, array, field } from '../support/client.ts';
import { temporaryFolder } from '../support/service.ts';
import { SEED, rounds } from '../support/size.ts';
import { ratingOf } from '../support/world.ts';
import { until } from '../support/until.ts';

const ROUNDS = rounds(5);
const WRITERS = 8;
const LISTED = '/restaurants/1/ratings';

/** Rates the restaurant under a key of the same name as the comment. */
function rate(api: Client, key: string): Promise<Answer> {
  return api.post('/ratings', ratingOf(1, key), { 'Idempotency-Key': key });
}

/** Sends ratings until it breaks off, and notes the body of each answer by its key, undefined where none came. */
async function rateOn(api: Client, name: string, answers: Map<string, unknown>): Promise<void> {
  try {
    for (let count = 0; ; count += 1) {
      const key = `${name} ${count}`;
      answers.set(key, undefined);
      const { status, body } = await rate(api, key);
      assert.equal(status, 201);
      answers.set(key, body);
    }
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
  }
}

describe('a server that is killed while POSTs with keys arrive', () => {
  test(`makes each of them once, answered or not, when they are repeated after each of ${ROUNDS} starts`, async (t) => {
    const folder = temporaryFolder(t);
    const random = randomNumbers(SEED);
    let server = await startServerProcess(t, { DATA_DIR: folder });
    await server.api.post('/restaurants', { name: 'Chez Nous' });
    for (let round = 0; round < ROUNDS; round += 1) {
      const { api } = server;
      const sent = new Map<string, unknown>();
      const work = Array.from({ length: WRITERS }, (_, writer) => rateOn(api, `${round} ${writer}`, sent));
      await until(() => sent.size > 2 * WRITERS);
      await sleep(random() * 200);
      server.process.kill('SIGKILL');
      await server.ended;
      await Promise.all(work);

      server = await startServerProcess(t, { DATA_DIR: folder });
      const before = new Set(array((await server.api.get(LISTED)).body).map((one) => field(one, 'comment')));
      for (const [key, answer] of sent) {
        const { status, body, headers } = await rate(server.api, key);
        assert.equal(status, 201, key);
        assert.equal(headers.get('idempotent-replay'), before.has(key) ? 'true' : null, key);
        if (answer !== undefined) assert.deepEqual(body, answer);
      }
      const comments = array((await server.api.get(LISTED)).body).map((one) => field(one, 'comment'));
      assert.equal(new Set(comments).size, comments.length);
      assert.ok([...sent.keys()].every((key) => comments.includes(key)));
    }
    server.process.kill('SIGKILL');
    await server.ended;
  });
});
