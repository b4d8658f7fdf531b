import assert from 'node:assert/strict';
import { cpSync, existsSync, renameSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { atEnd } from '../support/cleanup.ts';
import { type ServerProcess, startServerProcess } from '../support/cli.ts';
import { type Client, createClient, textOf } from '../support/client.ts';
import { importText } from '../support/imports.ts';
import { installPackage } from '../support/package.ts';
import { temporaryFolder } from '../support/service.ts';
import { has } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

const PASSWORD = 'an-onion-and-a-leek';
const person = (name: string) => ({ email: `${name}@example.com`, username: name, password: PASSWORD });
const RESTART = { error: 'The program was replaced; the service must be restarted' };

type Variables = Readonly<Record<string, string>>;

const ACCOUNTS: Variables = {
  JWT_SECRET_KEY: 'k9f2m4x7q1w8e5r3t6y0u2i4o6p8a1s3',
  ADMIN_EMAIL: 'admin@example.com',
  ADMIN_PASSWORD: PASSWORD,
};
const LOGIN = { email: 'admin@example.com', password: PASSWORD };
const PAGES = ['/', '/manual', '/manual/backup', '/manual/backup.md', '/manual?q=upgrade', '/api/docs'];

/** Installs the package with its packages themselves: behind a link they would stay where they are. */
function installCopy(t: TestContext, folder: string): string {
  const linked = installPackage(temporaryFolder(t));
  // Packages of other platforms are links to nothing.
  cpSync(linked.folder, folder, { recursive: true, dereference: true, filter: existsSync });
  return join(folder, relative(linked.folder, linked.program));
}

/** A service without its files. It was started a second time, so that nothing was loaded to make the administrator. */
async function startAndMoveFiles(t: TestContext, mode: string): Promise<ServerProcess> {
  const folder = temporaryFolder(t);
  const program = installCopy(t, folder);
  const shared = { DATA_DIR: temporaryFolder(t), HOST: '127.0.0.1', LOG_LEVEL: 'debug', AUTH_MODE: mode };
  const variables = mode === 'none' ? shared : Object.assign(shared, ACCOUNTS);
  const first = await startServerProcess(t, variables, { program });
  first.process.kill('SIGTERM');
  await first.ended;

  const server = await startServerProcess(t, variables, { program });
  await until(() => server.log().includes('"everything is loaded"'));
  renameSync(folder, `${folder}-old`);
  atEnd(t, () => {
    renameSync(`${folder}-old`, folder);
  });
  return server;
}

/** A client with the rights of an administrator. */
async function signIn({ api, url }: ServerProcess, mode: string): Promise<Client> {
  const { status, body } = await api.post('/auth/login', LOGIN);
  assert.equal(status, mode === 'none' ? 401 : 200);
  if (mode === 'none') return api;
  assert.equal((await api.post('/auth/register', person('guest'))).status, 201);
  return createClient(url, { Authorization: `Bearer ${textOf(body, 'access_token')}` });
}

describe('a service whose files are replaced', { skip: has('npm') ? false : 'needs the program npm' }, () => {
  for (const mode of ['none', 'local', 'both'])
    test(`goes on in mode ${mode}, but for what must not be done by another version`, async (t) => {
      const server = await startAndMoveFiles(t, mode);
      const own = await signIn(server, mode);
      assert.equal((await own.post('/restaurants', { name: 'Still here' })).status, 201);
      assert.equal((await own.get('/search?q=still')).status, 200);
      for (const path of PAGES) assert.equal((await fetch(`${server.url}${path}`)).status, 200, path);
      assert.equal((await own.get('/docs/swagger.json')).status, 200);

      const refused = await importText(own, 'name\nA\n');
      assert.deepEqual([refused.status, refused.body], [503, RESTART]);
    });
});
