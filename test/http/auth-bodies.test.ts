import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LOCAL } from '../support/people.ts';
import { parseAnswers, sendRaw } from '../support/raw.ts';
import { startService } from '../support/service.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };

describe('a JSON body under /api/auth', () => {
  const LIMIT = 64 * 1024;
  const padded = (size: number): string =>
    JSON.stringify({ email: 'a@b.example', password: '' }).padEnd(size);

  test('may have 64 KB', async (t) => {
    const { api } = await startService(t, LOCAL);
    const init = { method: 'POST', headers: JSON_TYPE, body: padded(LIMIT) };
    assert.equal((await api.send('/api/auth/login', init)).status, 400);
  });

  test('is refused with 413 over that, announced or in chunks', async (t) => {
    const { api, port } = await startService(t, LOCAL);
    const body = padded(LIMIT + 1);
    const error = 'Request body is larger than 64 KB';
    for (const path of ['login', 'register', 'refresh', 'logout'] as const) {
      const answer = await api.send(`/api/auth/${path}`, { method: 'POST', headers: JSON_TYPE, body });
      assert.deepEqual([answer.status, answer.body], [413, { error }], path);
    }
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const head =
      'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n';
    const [answer] = parseAnswers(await sendRaw(port, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`));
    assert.deepEqual([answer?.status, answer?.body], [413, JSON.stringify({ error })]);
  });
});
