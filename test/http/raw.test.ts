import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { CLOSED, type Malformed, REFUSED, rawGet, rawPost } from '../support/malformed.ts';
import { parseAnswers, readUntilQuiet, sendRaw } from '../support/raw.ts';
import { startService } from '../support/service.ts';

const VICTIM = rawGet('/health');

const SECURITY = [
  'X-Content-Type-Options: nosniff',
  'Referrer-Policy: no-referrer',
  "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'",
];

interface Seen {
  readonly title: string;
  readonly statuses: readonly number[];
  readonly isJson: boolean;
  readonly isSafe: boolean;
}

/** Sends a request with that of a victim behind it in the same write, as a proxy may that shares its connections. */
async function sendBeforeVictim(port: number, [title, bytes]: Malformed): Promise<Seen> {
  const answers = parseAnswers(await sendRaw(port, Buffer.from(bytes + VICTIM, 'latin1')));
  const [{ head, body } = { head: '', body: '' }] = answers;
  return {
    title,
    statuses: answers.map(({ status }) => status),
    isJson: /^\{"error":"[^"]+"\}$/.test(body),
    isSafe: SECURITY.every((header) => head.includes(header)),
  };
}

describe('on a raw connection', () => {
  test(`each of ${REFUSED.length} malformed requests gets its 4xx as JSON, and the request behind it its own answer`, async (t) => {
    const { port } = await startService(t);
    const seen = await Promise.all(REFUSED.map((row) => sendBeforeVictim(port, row)));
    const expected = REFUSED.map(([title, , status]) => ({ title, statuses: [status, 200] }));
    assert.deepEqual(
      seen,
      expected.map((row) => ({ ...row, isJson: true, isSafe: true })),
    );
  });

  test(`each of ${CLOSED.length} requests whose end is in doubt gets its 4xx as JSON, and nothing behind it is read`, async (t) => {
    const { port, api } = await startService(t);
    const before = await api.get('/categories');
    const seen = await Promise.all(CLOSED.map((row) => sendBeforeVictim(port, row)));
    const expected = CLOSED.map(([title, , status]) => ({ title, statuses: [status] }));
    assert.deepEqual(
      seen,
      expected.map((row) => ({ ...row, isJson: true, isSafe: true })),
    );
    assert.deepEqual((await api.get('/categories')).body, before.body);
  });

  test('an Upgrade is not taken up: the request is served and the connection closed', async (t) => {
    const { port } = await startService(t);
    const text = await sendRaw(
      port,
      rawGet('/api/health', `Host: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n`),
    );
    const [answer] = parseAnswers(text);
    assert.equal(answer?.status, 200);
    assert.match(answer.head, /^connection: close$/im);
  });

  test('100-continue comes once the body is wanted', async (t) => {
    const { port } = await startService(t);
    const body = '{"name":"Continued"}';
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => socket.write(body));
    socket.write(rawPost(`Expect: 100-continue\r\nContent-Length: ${body.length}\r\n`));
    const answers = parseAnswers(await readUntilQuiet(socket));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [100, 201],
    );
  });

  test('100-continue does not come for a body that is refused unseen, and the connection is closed', async (t) => {
    const { port } = await startService(t);
    const answers = parseAnswers(
      await sendRaw(port, rawPost('Expect: 100-continue\r\nContent-Length: 99999999\r\n')),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [413],
    );
    assert.match(answers[0]?.head ?? '', /^connection: close$/im);
  });
});
