import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { newestVersion } from '../../src/storage/migrations.ts';
import { textOf } from '../support/client.ts';
import { readStored } from '../support/people.ts';
import { FOLLOW_TOKEN } from '../support/replicas.ts';
import { startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const TOKEN = { Authorization: `Bearer ${FOLLOW_TOKEN}` };

describe('a primary that replicas may follow', () => {
  test('sends nothing of it to anyone without the token, and is not there without the setting', async (t) => {
    const primary = await startService(t, { FOLLOW_TOKEN });
    const other = await startService(t);
    for (const path of ['snapshot', 'rows', `photos/${'0'.repeat(32)}.jpg`]) {
      const url = `${primary.url}/replication/${path}`;
      assert.equal((await fetch(url)).status, 401);
      assert.equal((await fetch(url, { headers: { Authorization: 'Bearer wrong' } })).status, 401);
      assert.equal((await fetch(`${other.url}/replication/${path}`, { headers: TOKEN })).status, 404);
    }
  });

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
    const [epoch] = readStored(primary.folder, 'SELECT epoch FROM followed_epochs').map((row) =>
      textOf(row, 'epoch'),
    );
    const behind = { error: 'the primary has gone back behind this place' };
    assert.deepEqual(await ask(`rows?epoch=${epoch}&seq=99999&schema=${version}`), [410, behind]);
    const missing = await fetch(`${primary.url}/replication/photos/${'0'.repeat(32)}.jpg`, {
      headers: TOKEN,
    });
    assert.equal(missing.status, 404);
  });

  test('leaves nothing of a snapshot whose client goes away', async (t) => {
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
