import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { randomNumbers } from '../support/catalogue.ts';
import { record } from '../support/client.ts';
import { mutate } from '../support/image-mutations.ts';
import { inTurns } from '../support/in-turns.ts';
import { LOCAL } from '../support/people.ts';
import { startWithRestaurant } from '../support/photos.ts';
import { parseAnswers } from '../support/raw.ts';
import { SEED, scaled } from '../support/size.ts';
import { recordedRequests } from './recorded.ts';

const REQUESTS = scaled(1_000);
const AT_ONCE = 16;
// What targets, numbers and JSON are made of, and what none of them may have.
const TELLING = [
  ...'% %0 %80 %F0%9F / ? & = + .. ; - 9 1e9 .'.split(' '),
  ...`" \\ { } [ ] , : \\u null true < &lt; '`.split(' '),
  ' ',
  '\0',
  '\r',
  '\x7f',
  '\xc3',
  '\xff',
  '\xed\xa0\x80',
];
const PATIENCE_MS = 10_000;

/** Changes anything; or, so that more of it gets past the parser of HTTP, bytes of the target or the body alone. */
function change(request: Buffer, round: number, random: () => number): Buffer {
  if (round % 3 === 0) return mutate(request, random);
  const body = request.indexOf('\r\n\r\n') + 4;
  const inBody = round % 3 === 1 && body < request.length;
  const [from, to] = inBody ? [body, request.length] : [request.indexOf('/') + 1, request.indexOf(' HTTP')];
  let bytes = request;
  for (let changes = 0; changes <= random() * 3; changes += 1) {
    const at = from + Math.floor(random() * (to - from));
    const other = Buffer.from(TELLING[Math.floor(random() * TELLING.length)] ?? '', 'latin1');
    // Of a body the length stays, or it would be another request that goes wrong.
    const rest = inBody ? at + other.length : at + Math.floor(random() * 3);
    bytes = Buffer.concat([bytes.subarray(0, at), other, bytes.subarray(rest)]);
  }
  return inBody ? bytes.subarray(0, request.length) : bytes;
}

/** What comes back for bytes with an end behind them; undefined when the service does not close in time. */
function exchange(port: number, bytes: Buffer): Promise<string | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1');
    const patience = setTimeout(() => {
      resolve(undefined);
      socket.destroy();
    }, PATIENCE_MS);
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(patience);
      resolve(Buffer.concat(chunks).toString('latin1'));
    });
    socket.end(bytes);
  });
}

describe('requests with bytes changed', () => {
  for (const [title, variables] of [
    ['without accounts', {}],
    ['with accounts', LOCAL],
  ] as const)
    test(`never make the service fail or hang, nor its log unreadable: ${REQUESTS} ${title} (seed ${SEED})`, async (t) => {
      // A line of the log that is no JSON fails the test where the service is made.
      const { api, port, logs } = await startWithRestaurant(t, { ...variables, LOG_LEVEL: 'info' });
      const random = randomNumbers(SEED);
      const recorded = recordedRequests();
      const statuses = new Set<number>();
      const hung: string[] = [];
      const failed: string[] = [];
      await inTurns(REQUESTS, AT_ONCE, async (turn) => {
        const bytes = change(recorded[turn % recorded.length] ?? Buffer.alloc(1), turn, random);
        const text = await exchange(port, bytes);
        if (text === undefined) hung.push(bytes.toString('latin1'));
        for (const { status, body } of parseAnswers(text ?? '')) {
          if (status >= 500 && !body.includes('is not configured')) failed.push(body);
          statuses.add(status);
        }
      });

      assert.deepEqual(hung, []);
      assert.deepEqual(failed, []);
      assert.deepEqual(
        logs.filter((line) => record(line)['level'] === 'error'),
        [],
      );
      assert.ok(recorded.length >= 200 && statuses.size > 5);
      assert.equal((await api.get('/health')).status, 200);
    });
});
