import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { describe, test } from 'node:test';
import { startServerProcess } from '../support/cli.ts';
import { createClient, textOf } from '../support/client.ts';
import { importText } from '../support/imports.ts';
import { installPackage } from '../support/package.ts';
import { temporaryFolder } from '../support/service.ts';
import { has } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

const PASSWORD = 'an-onion-and-a-leek';
const person = (name: string) => ({ email: `${name}@example.com`, username: name, password: PASSWORD });
const RESTART = { error: 'The program was replaced; the service must be restarted' };

describe(
  'a service whose files are replaced',
  {
    skip: has('npm') ? false : 'there is no npm on this machine',
  },
  () => {
    test('goes on as before, but for what must not be done by another version', async (t) => {
      const folder = temporaryFolder(t);
      const { program } = installPackage(folder);
      const variables = {
        DATA_DIR: temporaryFolder(t),
        HOST: '127.0.0.1',
        AUTH_MODE: 'local',
        JWT_SECRET_KEY: 'k9f2m4x7q1w8e5r3t6y0u2i4o6p8a1s3',
        ADMIN_EMAIL: 'admin@example.com',
        ADMIN_PASSWORD: PASSWORD,
        LOG_LEVEL: 'debug',
      };
      const first = await startServerProcess(t, variables, { program });
      first.process.kill('SIGTERM');
      await first.ended;

      const { api, url, process: server } = await startServerProcess(t, variables, { program });
      let log = '';
      server.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()));
      await until(() => log.includes('"everything is loaded"'));
      renameSync(folder, `${folder}-old`);
      t.after(() => {
        renameSync(`${folder}-old`, folder);
      });

      const login = await api.post('/auth/login', { email: 'admin@example.com', password: PASSWORD });
      assert.equal(login.status, 200);
      assert.equal((await api.post('/auth/register', person('guest'))).status, 201);
      const own = createClient(url, { Authorization: `Bearer ${textOf(login.body, 'access_token')}` });
      assert.equal((await own.post('/restaurants', { name: 'Still here' })).status, 201);
      assert.equal((await own.get('/search?q=still')).status, 200);
      for (const path of [
        '/',
        '/manual',
        '/manual/backup',
        '/manual/backup.md',
        '/manual?q=upgrade',
        '/api/docs',
      ])
        assert.equal((await fetch(`${url}${path}`)).status, 200, path);
      assert.equal((await api.get('/docs/swagger.json')).status, 200);

      const refused = await importText(own, 'name\nA\n');
      assert.deepEqual([refused.status, refused.body], [503, RESTART]);
    });
  },
);
