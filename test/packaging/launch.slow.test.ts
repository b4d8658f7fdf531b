import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { isSupported } from '../../bin/launch.js';
import { CHECKOUT } from '../support/checkout.ts';
import { atEnd } from '../support/cleanup.ts';
import { type CommandOptions, type Ended, runCommand, startCommand } from '../support/cli.ts';
import { type Fault, sendJson, sending, startFakeServer } from '../support/fake-server.ts';
import { temporaryFolder } from '../support/service.ts';
import { has } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

const file = (name: string): string => readFileSync(new URL(name, CHECKOUT), 'utf8');
const LAUNCHER = file('bin/launch.js');
const PINS = [...LAUNCHER.matchAll(/'(\w+-\w+)':\s+'([\w-]+)@([\d.]+) (sha512-\S+)'/g)].map(
  ([, system = '', name = '', version = '', integrity = '']) => ({ system, name, version, integrity }),
);
const pin = PINS.find(({ system }) => system === `${process.platform}-${process.arch}`);
const { name, version, integrity } = pin ?? { name: '', version: '', integrity: '' };
const lacking = has('npm') ? 'needs a pinned Node for this platform' : 'needs the program npm';
// The Node that runs the tests may not know the flag of the pinned one.
const NODE = `#!/bin/sh\ncase $1 in --no-*) shift ;; esac\nexec '${process.execPath}' "$@"\n`;
const SHOWS = 'process.stdout.write(process.argv.slice(2).join()); process.exitCode = 3;';
// Says that it waits, and that it was stopped.
const WAITS = `
  process.stdout.write('waits');
  setInterval(() => {}, 1000);
  process.on('SIGTERM', () => { process.stdout.write(' stopped'); process.exit(5); });
`;

/** The package of a Node, which is this text. */
function packed(t: TestContext, node: string): Buffer {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'package', 'bin'), { recursive: true });
  writeFileSync(join(folder, 'package', 'package.json'), JSON.stringify({ name, version }));
  writeFileSync(join(folder, 'package', 'bin', 'node'), node, { mode: 0o755 });
  return execFileSync('tar', ['-czf', '-', '-C', folder, 'package']);
}

interface Machine {
  /** How a registry sends the package. Without it, none can be reached. */
  readonly send?: Fault;
  /** What has the pinned hash. */
  readonly pinned: Buffer;
  readonly program?: string;
}

/** A folder whose programs do not run on this Node. */
async function folderOn(t: TestContext, { send, pinned, program = SHOWS }: Machine) {
  const folder = temporaryFolder(t);
  const hash = createHash('sha512').update(pinned).digest('base64');
  const manifest = JSON.stringify({ type: 'module', engines: { node: '^99.0.0' } });
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin', 'launch.js'), LAUNCHER.replace(integrity, `sha512-${hash}`));
  writeFileSync(join(folder, 'package.json'), manifest);
  writeFileSync(join(folder, 'program.js'), program);
  const server = await startFakeServer(t, (response, asked) => {
    const dist = { tarball: `${server.url}/${name}.tgz` };
    if (asked.path.endsWith('.tgz')) send?.(response, asked);
    else sendJson(response, 200, { name, versions: { [version]: { name, version, dist } } });
  });
  const registry = send ? server.url : 'http://127.0.0.1:1';
  const options = {
    cwd: folder,
    program: join(folder, 'bin', 'launch.js'),
    variables: { HOME: folder, npm_config_registry: registry, npm_config_update_notifier: 'false' },
  };
  const run = (): Promise<Ended> => runCommand(['program.js', 'a', 'b c'], options);
  return { server, options, run, runtimes: () => readdirSync(join(folder, '.runtime')) };
}

const SENTENCE = new RegExp(
  `^Node ${process.versions.node} is not supported: npm fetches ${name}@${version} into \\.runtime, once\n` +
    `Node ${process.versions.node} is not supported, and ${name}@${version} cannot be had \\(([^()\n]+)\\): ` +
    'use Node \\^99\\.0\\.0\\.\n$',
);

describe('on a Node that is not supported', { skip: pin && has('npm') ? false : lacking }, () => {
  test('a program runs on one that npm fetches, once', async (t) => {
    const pinned = packed(t, NODE);
    const { server, run, runtimes } = await folderOn(t, { send: sending(200, pinned), pinned });
    const first = await run();
    assert.deepEqual([first.code, first.out], [3, 'a,b c']);
    assert.match(first.err, /^[^\n]* npm fetches [^\n]* into \.runtime, once\n$/);
    const asked = server.asked.length;
    assert.deepEqual(await run(), { code: 3, out: 'a,b c', err: '' });
    assert.equal(server.asked.length, asked);
    assert.deepEqual(runtimes(), [`${name}-${version}`]);
  });

  test('two that start at once do not disturb each other', async (t) => {
    const pinned = packed(t, NODE);
    const { run, runtimes } = await folderOn(t, { send: sending(200, pinned), pinned });
    for (const { code, out } of await Promise.all([run(), run()]))
      assert.deepEqual([code, out], [3, 'a,b c']);
    assert.deepEqual(runtimes(), [`${name}-${version}`]);
  });

  const other = '#!/bin/sh\necho no such library >&2\nexit 127\n';
  const troubles: readonly [string, RegExp, (good: Buffer, other: Buffer) => Machine][] = [
    ['without a registry', /^ECONNREFUSED$/, (pinned) => ({ pinned })],
    ['when the registry has none', /^E404$/, (pinned) => ({ pinned, send: sending(404, '') })],
    [
      'when the package breaks off',
      /^(?:E[A-Z_]+|[A-Z]+_\w+)$/,
      (pinned) => ({ pinned, send: sending(200, pinned.subarray(0, 100), { 'Content-Length': '999' }) }),
    ],
    [
      'when the package is another',
      /^its hash is not the pinned one$/,
      (pinned, body) => ({ pinned, send: sending(200, body) }),
    ],
    [
      'when its Node does not run here',
      /^no such library$/,
      (_, pinned) => ({ pinned, send: sending(200, pinned) }),
    ],
  ];
  for (const [title, reason, machine] of troubles)
    test(`says in a sentence which versions work, and uses nothing: ${title}`, async (t) => {
      const { run, runtimes } = await folderOn(t, machine(packed(t, NODE), packed(t, other)));
      const { code, out, err } = await run();
      assert.match(SENTENCE.exec(err)?.[1] ?? err, reason);
      assert.deepEqual([code, out, runtimes()], [1, '', []]);
    });

  test('a program is stopped by the signals that its launcher gets, and ends when npm is gone', async (t) => {
    const whole = packed(t, NODE);
    const { options } = await folderOn(t, { pinned: whole, send: sending(200, whole), program: WAITS });
    const ways: readonly [NodeJS.Signals, CommandOptions][] = [
      ['SIGTERM', options],
      ['SIGKILL', { ...options, under: ['sh', '-c', '"$@"; exit', 'npm'] }],
    ];
    for (const [signal, how] of ways) {
      const variables = { ...options.variables, npm_lifecycle_event: 'start' };
      const child = startCommand(['program.js'], { ...how, variables });
      atEnd(t, () => child.kill('SIGKILL'));
      let said = '';
      child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
      await until(() => said === 'waits');
      child.kill(signal);
      await once(child, 'close');
      assert.deepEqual([child.exitCode, said], [signal === 'SIGTERM' ? 5 : null, 'waits stopped']);
    }
  });
});

describe('the versions of Node', () => {
  const [, engines = ''] = /"node": "([^"]+)"/.exec(file('package.json')) ?? [];

  test('are those of engines, each from its least one on', () => {
    for (const range of engines.split(' || ')) {
      const [major = 0, minor = 0, patch = 0] = range.slice(1).split('.').map(Number);
      for (const accepted of [`${major}.${minor}.${patch}`, `${major}.${minor + 1}.0`])
        assert.ok(isSupported(accepted));
      if (minor > 0) assert.ok(!isSupported(`${major}.${minor - 1}.9`));
    }
    for (const refused of ['18.20.8', '20.20.2', '23.11.0', '25.9.0']) assert.ok(!isSupported(refused));
  });

  test('include all that are pinned', () => {
    assert.ok(PINS.length > 4);
    assert.deepEqual(
      PINS.filter((one) => !isSupported(one.version)),
      [],
    );
  });

  test('are the same in .nvmrc and in the image', () => {
    const recommended = file('.nvmrc').trim();
    assert.ok(isSupported(`${recommended}.0.0`));
    const bases = [...file('Dockerfile').matchAll(/^FROM .*\bnode:(\d+)/gm)].map(([, major]) => major);
    assert.deepEqual([...new Set(bases)], [recommended]);
  });
});
