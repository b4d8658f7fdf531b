import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CHECKOUT } from '../support/checkout.ts';
import { type ServerProcess, startServerProcess } from '../support/cli.ts';
import { type Installed, installPackage } from '../support/package.ts';
import { temporaryFolder } from '../support/service.ts';
import { has } from '../support/small-disk.ts';

const ROOT = fileURLToPath(CHECKOUT);
const manifest = readFileSync(join(ROOT, 'package.json'), 'utf8');
const ACCOUNTS = {
  AUTH_MODE: 'local',
  JWT_SECRET_KEY: 'k9f2m4x7q1w8e5r3t6y0u2i4o6p8a1s3',
  HOST: '127.0.0.1',
};

describe('the package', { skip: has('npm') ? false : 'needs the program npm' }, () => {
  const folder = temporaryFolder({ after });
  let installed: Installed;
  before(() => {
    installed = installPackage(folder);
  });

  /** Starts the installed service, with its data elsewhere. */
  function start(t: TestContext, variables: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
    const settings = { DATA_DIR: temporaryFolder(t), LOG_FORMAT: 'json', ...variables };
    return startServerProcess(t, settings, { program: installed.program });
  }

  test('has what the service needs and its users read, and nothing of its development', () => {
    const folders = new Set(installed.files.map((path) => path.split('/')[0]));
    const documents = ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md'];
    assert.deepEqual([...folders].sort(), ['bin', 'dist', 'sql', 'static', ...documents].sort());
    assert.deepEqual(installed.files.filter(isForDevelopment), []);
  });

  test('leaves nothing else out of the folders that the service reads', () => {
    const kept = ['sql', 'static'].flatMap(filesIn).filter((path) => !isForDevelopment(path));
    assert.deepEqual(
      kept.filter((path) => !installed.files.includes(path)),
      [],
    );
  });

  test('cannot be published by accident, nor packed with an old build', () => {
    assert.match(manifest, /"private": true/);
    assert.match(manifest, /"prepack": "npm run build/);
  });

  test('runs where npm has put it, and says its version', () => {
    const said = execFileSync(process.execPath, [installed.program, '--version'], { encoding: 'utf8' });
    assert.equal(said.trim(), /"version": "([^"]+)"/.exec(manifest)?.[1]);
  });

  test('serves the web app with the files of the packages beside it', async (t) => {
    const { url } = await start(t);
    const [head = ''] = (await read(`${url}/restaurants/1`)).split('</head>');
    const addresses = [...head.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address = '']) => address);
    assert.ok(addresses.some((address) => address.includes('/vendor/lit-html/')));
    for (const address of addresses) await read(new URL(address, url));
  });

  test('serves the documentation, and stores what it is sent', async (t) => {
    const { url, api } = await start(t);
    assert.match(await read(`${url}/api/docs`), /<title>/);
    assert.equal((await api.post('/restaurants', { name: 'From the package' })).status, 201);
    assert.match(await read(`${url}/api/search?q=package`), /From the package/);
  });

  test('hashes passwords, in a thread that loads a package by its file', async (t) => {
    const { api } = await start(t, ACCOUNTS);
    const body = { email: 'chef@example.com', username: 'chef', password: 'an-onion-and-a-leek' };
    assert.equal((await api.post('/auth/register', body)).status, 201);
  });
});

function isForDevelopment(path: string): boolean {
  return /\.ts$|\.map$|^test\/|(?:^|\/)(?:tsconfig|node_modules)/.test(path);
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => statSync(join(ROOT, path)).isFile());
}

async function read(address: string | URL): Promise<string> {
  const answer = await fetch(address);
  assert.equal(answer.status, 200, String(address));
  return answer.text();
}
