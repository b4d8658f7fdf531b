import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { refusedHeaders } from '../../bin/compiler.js';
import { refusedNode } from '../../bin/requirements.js';
import { CHECKOUT } from '../support/checkout.ts';
import { type FakeServer, startFakeServer } from '../support/fake-server.ts';
import { temporaryFolder } from '../support/service.ts';

const PROGRAM = fileURLToPath(new URL('bin/check-install.js', CHECKOUT));
const TOOLS = ['python3', 'make', 'g++'];

interface Machine {
  /** The programs in PATH. */
  readonly tools?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
}

/** Runs the check on a machine that has these programs and nothing else, and gets its drivers from `host`. */
async function check(t: TestContext, host: string, { tools = [], variables = {} }: Machine = {}) {
  const folder = temporaryFolder(t);
  for (const tool of tools) {
    writeFileSync(join(folder, tool), '');
    chmodSync(join(folder, tool), 0o755);
  }
  const env = { PATH: folder, HOME: folder, npm_config_better_sqlite3_binary_host: host, ...variables };
  const child = spawn(process.execPath, [PROGRAM], { env });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const code = await new Promise((resolve) => child.on('close', resolve));
  return { code, said };
}

/** A folder with the headers of a version of Node, as far as their version is asked for. */
function headersOf(t: TestContext, version: string): string {
  const folder = temporaryFolder(t);
  const [major = '', minor = '', patch = ''] = version.split('.');
  mkdirSync(join(folder, 'include', 'node'), { recursive: true });
  const parts = Object.entries({ MAJOR: major, MINOR: minor, PATCH: patch });
  const text = parts.map(([part, number]) => `#define NODE_${part}_VERSION ${number}\n`).join('');
  writeFileSync(join(folder, 'include', 'node', 'node_version.h'), text);
  return folder;
}

/** A host of drivers that answers every question with one status. */
function startHost(t: TestContext, status: number): Promise<FakeServer> {
  return startFakeServer(t, (response) => response.writeHead(status).end());
}

const COMPILING = { skip: refusedHeaders() ?? false };
const SILENT = { code: 0, said: '' };
const NONE = `No ready-made SQLite driver for Node ${process.versions.node} on ${process.platform}-${process.arch}`;

describe('the check before an install', () => {
  test('is silent where there is a ready-made driver, for which it asks as the driver itself would', async (t) => {
    const host = await startHost(t, 200);
    assert.deepEqual(await check(t, host.url), SILENT);
    const [asked, ...more] = host.asked;
    assert.equal(asked?.method, 'HEAD');
    assert.match(
      asked.path,
      new RegExp(
        String.raw`^/v([\d.]+)/better-sqlite3-v\1-node-v${process.versions.modules}-${process.platform}(musl)?-${process.arch}\.tar\.gz$`,
      ),
    );
    assert.deepEqual(more, []);
  });

  test('takes a host that leads elsewhere for one that has the driver', async (t) => {
    assert.deepEqual(await check(t, (await startHost(t, 302)).url), SILENT);
  });

  test(
    'is silent, and asks nobody, where the driver can be compiled without a network',
    COMPILING,
    async (t) => {
      const host = await startHost(t, 404);
      const machine = {
        tools: TOOLS,
        variables: { npm_config_nodedir: headersOf(t, process.versions.node) },
      };
      assert.deepEqual(await check(t, host.url, machine), SILENT);
      assert.deepEqual(host.asked, []);
    },
  );

  test('names headers of another Node, with which a driver would be compiled that may crash', async (t) => {
    const host = await startHost(t, 404);
    const folder = headersOf(t, '22.1.2');
    const { code, said } = await check(t, host.url, {
      tools: TOOLS,
      variables: { npm_config_nodedir: folder },
    });
    assert.equal(code, 1);
    const advice =
      refusedHeaders() ?? `npm_config_nodedir (${folder}) has the headers of Node 22.1.2, and this is`;
    assert.ok(said.startsWith(NONE) && said.includes(advice), said);
  });

  test('is silent where npm has kept the driver from before', async (t) => {
    const host = await startHost(t, 200);
    await check(t, host.url);
    const name = host.asked[0]?.path.split('/').at(-1) ?? '';
    const cache = temporaryFolder(t);
    mkdirSync(join(cache, '_prebuilds'));
    writeFileSync(join(cache, '_prebuilds', `abc123-${name}`), '');
    const away = await startHost(t, 404);
    assert.deepEqual(await check(t, away.url, { variables: { npm_config_cache: cache } }), SILENT);
  });

  test('is silent behind a proxy, which alone knows what can be reached', async (t) => {
    const variables = { HTTPS_PROXY: 'http://127.0.0.1:1' };
    assert.deepEqual(await check(t, 'http://127.0.0.1:1', { variables }), SILENT);
  });

  test(
    'says in one line which tools to install where there is no driver and none can be compiled',
    COMPILING,
    async (t) => {
      const host = await startHost(t, 404);
      const { code, said } = await check(t, host.url);
      assert.equal(code, 1);
      assert.ok(said.startsWith(`${NONE} (127.0.0.1:${host.port} answers 404): `), said);
      assert.match(said, /^[^\n]*: install python3, make and g\+\+ to compile it[^\n]*\.\n$/);
    },
  );

  for (const tool of TOOLS)
    test(`names only what is missing: ${tool}`, COMPILING, async (t) => {
      const tools = TOOLS.filter((other) => other !== tool);
      const { said } = await check(t, (await startHost(t, 404)).url, { tools });
      assert.ok(said.includes(`: install ${tool} to compile it`), said);
    });

  test('says so where the host cannot be reached', async (t) => {
    const { code, said } = await check(t, 'http://127.0.0.1:1');
    assert.equal(code, 1);
    assert.ok(said.startsWith(`${NONE} (127.0.0.1:1: ECONNREFUSED): `), said);
  });

  test('refuses a machine for which nobody makes the hashing of passwords', async (t) => {
    const host = await startHost(t, 200);
    const { code, said } = await check(t, host.url, { variables: { npm_config_arch: 'riscv64' } });
    assert.equal(code, 1);
    assert.equal(said, `No password hashing (@node-rs/argon2) exists for ${process.platform}-riscv64.\n`);
    assert.deepEqual(host.asked, []);
  });
});

describe('the versions of Node', () => {
  const file = (name: string): string => readFileSync(new URL(name, CHECKOUT), 'utf8');
  const [, engines = ''] = /"node": "([^"]+)"/.exec(file('package.json')) ?? [];

  test('are those of engines, each from its least one on', () => {
    for (const range of engines.split(' || ')) {
      const [major = 0, minor = 0, patch = 0] = range.slice(1).split('.').map(Number);
      for (const accepted of [`${major}.${minor}.${patch}`, `${major}.${minor + 1}.0`])
        assert.equal(refusedNode(accepted), undefined);
      if (minor > 0) assert.ok(refusedNode(`${major}.${minor - 1}.9`));
    }
    assert.equal(refusedNode('18.20.8'), `Node 18.20.8 is not supported: use ${engines}.`);
  });

  test('are told apart by whether a driver that is compiled for them runs', () => {
    for (const version of ['20.20.2', '22.23.3', '24.18.1', '25.9.0'])
      assert.equal(refusedHeaders(version), undefined);
    for (const version of ['24.19.0', '26.10.0'])
      assert.match(refusedHeaders(version) ?? '', /it would crash; .* use Node 22$/);
  });

  test('are checked by npm itself before it installs anything', () => {
    assert.match(file('.npmrc'), /^engine-strict=true$/m);
  });

  test('are the same in .nvmrc and in the image', () => {
    const version = file('.nvmrc').trim();
    assert.equal(refusedNode(`${version}.0.0`), undefined);
    const bases = [...file('Dockerfile').matchAll(/^FROM .*\bnode:(\d+)/gm)].map(([, major]) => major);
    assert.deepEqual([...new Set(bases)], [version]);
  });
});
