import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { newestVersion } from '../../src/storage/migrations.ts';
import { atEnd } from '../support/cleanup.ts';
import { textOf } from '../support/client.ts';
import { rawGet } from '../support/malformed.ts';
import { readStored } from '../support/people.ts';
import { sendRaw } from '../support/raw.ts';
import { FOLLOW_TOKEN } from '../support/replicas.ts';
import { startService, temporaryFolder } from '../support/service.ts';
import { longTest } from '../support/size.ts';
import { until } from '../support/until.ts';

const TOKEN = { Authorization: `Bearer ${FOLLOW_TOKEN}` };

function epochOf(folder: string): string {
  return textOf(readStored(folder, 'SELECT epoch FROM followed_epochs')[0], 'epoch');
}

function statusesIn(text: string): string[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => String(status));
}

describe('a primary that replicas may follow', () => {
  longTest(
    'sends nothing of it to anyone without the token, and is not there without the setting',
    async (t) => {
      const primary = await startService(t, { FOLLOW_TOKEN });
      const other = await startService(t);
      for (const path of ['snapshot', 'rows', `photos/${'0'.repeat(32)}.jpg`]) {
        const url = `${primary.url}/replication/${path}`;
        assert.equal((await fetch(url)).status, 401);
        assert.equal((await fetch(url, { headers: { Authorization: 'Bearer wrong' } })).status, 401);
        assert.equal((await fetch(`${other.url}/replication/${path}`, { headers: TOKEN })).status, 404);
      }
    },
  );

  test('refuses places that are none of its own, and says why', async (t) => {
    const primary = await startService(t, { FOLLOW_TOKEN });
    const version = newestVersion();
    const ask = async (path: string): Promise<[number, unknown]> => {
      const answer = await fetch(`${primary.url}/replication/${path}`, { headers: TOKEN });
      return [answer.status, await answer.json()];
    };
    assert.deepEqual(await ask('rows?seq=0&schema=1'), [400, { error: 'epoch is required' }]);
    assert.deepEqual(await ask('rows?epoch=x&schema=1'), [400, { error: 'seq must be a number' }]);
    assert.deepEqual(await ask('snapshot'), [400, { error: 'schema must be a number' }]);
    const other = `the database of the primary has version ${version}, not 1; bring both to the same version of the service`;
    assert.deepEqual(await ask('rows?epoch=x&seq=0&schema=1'), [410, { error: other }]);
    assert.deepEqual(await ask('snapshot?schema=1'), [410, { error: other }]);
    const unknown = { error: 'the primary has begun another log' };
    assert.deepEqual(await ask(`rows?epoch=x&seq=0&schema=${version}`), [410, unknown]);
    const behind = { error: 'the primary has gone back behind this place' };
    assert.deepEqual(await ask(`rows?epoch=${epochOf(primary.folder)}&seq=99999&schema=${version}`), [
      410,
      behind,
    ]);
    const missing = await fetch(`${primary.url}/replication/photos/${'0'.repeat(32)}.jpg`, {
      headers: TOKEN,
    });
    assert.equal(missing.status, 404);
  });

  longTest('leaves nothing of a snapshot whose client goes away', async (t) => {
    const primary = await startService(t, { FOLLOW_TOKEN });
    const leftovers = (): string[] =>
      readdirSync(primary.folder).filter((name) => name.startsWith('snapshot'));
    const leaving = new AbortController();
    const asked = fetch(`${primary.url}/replication/snapshot?schema=${newestVersion()}`, {
      headers: TOKEN,
      signal: leaving.signal,
    });
    await until(() => leftovers().length > 0);
    leaving.abort();
    await assert.rejects(asked);
    await until(() => leftovers().length === 0);
    const whole = await fetch(`${primary.url}/replication/snapshot?schema=${newestVersion()}`, {
      headers: TOKEN,
    });
    assert.equal(Buffer.from(await whole.arrayBuffer()).toString('latin1', 0, 15), 'SQLite format 3');
    await until(() => leftovers().length === 0);
  });

  longTest('makes one snapshot at a time, and says when to come again', async (t) => {
    const { port } = await startService(t, { FOLLOW_TOKEN });
    const ask = (...headers: readonly string[]): string =>
      rawGet(
        `/replication/snapshot?schema=${newestVersion()}`,
        ['Host: x', `Authorization: Bearer ${FOLLOW_TOKEN}`, ...headers, ''].join('\r\n'),
      );
    const close = ask('Connection: close');
    // In one write, so that the second arrives while the first is copied.
    const answers = await sendRaw(port, ask() + close, 10_000);
    assert.deepEqual(statusesIn(answers), ['200', '503']);
    assert.match(answers, /^Retry-After: 5\r\n/m);
    assert.ok(answers.endsWith('{"error":"Another snapshot is being made"}'));
    assert.deepEqual(statusesIn(await sendRaw(port, close, 10_000)), ['200']);
  });

  test('sends rows to eight replicas at once, and to another once one has gone', async (t) => {
    const primary = await startService(t, { FOLLOW_TOKEN });
    const query = `epoch=${epochOf(primary.folder)}&seq=0&schema=${newestVersion()}`;
    const follow = (signal: AbortSignal): Promise<Response> =>
      fetch(`${primary.url}/replication/rows?${query}`, { headers: TOKEN, signal });
    const leaving = Array.from({ length: 8 }, () => new AbortController());
    atEnd(t, () => {
      for (const one of leaving) one.abort();
    });
    for (const { signal } of leaving) assert.equal((await follow(signal)).status, 200);
    const last = new AbortController();
    leaving.push(last);
    const refused = await follow(last.signal);
    // A stream has no end to wait for.
    assert.equal(refused.status, 503);
    assert.deepEqual(await refused.json(), { error: 'Too many replicas' });
    assert.equal(refused.headers.get('retry-after'), '5');
    leaving[0]?.abort();
    await until(async () => (await follow(last.signal)).status === 200);
  });

  test('has no trace of a log without the setting', async (t) => {
    const folder = temporaryFolder(t);
    const followed = await startService(t, { FOLLOW_TOKEN, DATA_DIR: folder });
    await followed.stop();
    const traces = (): unknown =>
      readStored(folder, `SELECT name FROM sqlite_schema WHERE name LIKE 'followed%'`);
    assert.ok(JSON.stringify(traces()).includes('followed_rows'));
    await startService(t, { DATA_DIR: folder });
    assert.deepEqual(traces(), []);
  });
});
