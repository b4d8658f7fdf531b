import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { type TestContext, after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { CHECKOUT } from './checkout.ts';
import { runCommand, startServerProcess } from './cli.ts';
import { record } from './client.ts';
import { findProgram } from './edge.ts';
import { sample } from './images.ts';
import { codeBlocks, pageText, partOf } from './manual.ts';
import { temporaryFolder } from './service.ts';
import { until } from './until.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/catalogue', import.meta.url));
// Stand-ins for programs that need root, a network or a person; each says what it does instead.
const PROGRAMS = fileURLToPath(new URL('./programs', import.meta.url));
// Folders of a machine. A container has its own.
const FOLDERS = /(?<=[ =])\/(?:opt|var|etc|backups)\//g;

const row = (name: string): string => `${name},"1 Rue ${name}, Paris"\n`;
const rows = (word: string): string =>
  `name,address\n${Array.from({ length: 10 }, (_, index) => row(`${word} ${index}`)).join('')}`;
// What is imported before a page begins: a batch each.
const BATCHES = ['First', 'Second', 'Third'].map(rows);
const FILES: Readonly<Record<string, string | Buffer>> = {
  'restaurants.csv': rows('Chez'),
  'restaurants-world.csv': 'name,cuisine\nOsteria,"Italian, Pizza"\nSakura,Japanese\n',
  'broken.csv': 'name,latitude,longitude\nSouth of south,95,2\nFine,45,2\n',
  'Takeout/Saved/Want to go.csv':
    'Title,Note,URL,Comment\nLa Tour,Try the duck,https://maps.google.com/?cid=1234567890,\n',
  'Takeout/Saved Places.json': JSON.stringify({
    type: 'FeatureCollection',
    features: [
      {
        type: 'Feature',
        geometry: { type: 'Point', coordinates: [2.32, 48.85] },
        properties: { Title: 'Chez Elle', 'Google Maps URL': 'https://maps.google.com/?cid=1' },
      },
    ],
  }),
  'menu.jpg': sample('baseline'),
  'menu-small.jpg': sample('baseline'),
};

/** A reader's way through a page, or through some parts of it. */
export interface Way {
  readonly page: string;
  readonly parts?: readonly string[];
  /** The settings of the service that runs meanwhile; none runs without them. */
  readonly service?: Readonly<Record<string, string>>;
  /** Settings that a test makes. */
  readonly prepare?: (t: TestContext) => Promise<Readonly<Record<string, string>>>;
  /** What the reader has done before. */
  readonly before?: string;
  /** What has happened before lines that begin like this. */
  readonly meanwhile?: Readonly<Record<string, string>>;
}

/** A command with the folders of the machine below the folder of the test. */
function below(folder: string, command: string): string {
  return command.replaceAll(FOLDERS, (path) => folder + path);
}

export type Logged = Readonly<Record<string, unknown>>;

export interface Walked {
  readonly requests: readonly Logged[];
  readonly folder: string;
}

/** The settings of the compose file in README, with a secret of its own, as a file of variables. */
function composeSettings(): string {
  const [compose = ''] = codeBlocks(pageText('README.md'), 'yaml');
  const { environment } = record(record(record(parse(compose))['services'])['catalogue']);
  const settings = {
    ...record(environment),
    NODE_ENV: 'production',
    JWT_SECRET_KEY: randomBytes(32).toString('hex'),
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

/** A folder like a checkout after `npm ci`, with a catalogue, and another one in the volume of a container. */
async function layOut(t: TestContext): Promise<string> {
  const folder = temporaryFolder(t);
  for (const path of ['bin', 'container', 'etc/nginx/conf.d', 'etc/caddy', 'var/lib/catalogue', 'backups'])
    mkdirSync(join(folder, path), { recursive: true });
  symlinkSync(join(PROGRAMS, 'catalogue'), join(folder, 'bin/catalogue'));
  for (const [name, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  cpSync(new URL('static/proxy', CHECKOUT), join(folder, 'static/proxy'), { recursive: true });
  writeFileSync(join(folder, 'container/.env'), composeSettings());
  imported ??= importBatches();
  for (const place of ['data', 'volume']) cpSync(await imported, join(folder, place), { recursive: true });
  return folder;
}

const shared = temporaryFolder({ after });
let imported: Promise<string> | undefined;

/** A data folder with the batches, each of which a program imports. */
async function importBatches(): Promise<string> {
  const DATA_DIR = join(shared, 'data');
  for (const input of BATCHES) {
    const { code } = await runCommand(['import', '-', '--format', 'csv'], { variables: { DATA_DIR }, input });
    assert.equal(code, 0);
  }
  return DATA_DIR;
}

/** Runs the commands of a way as if they were pasted; resolves to the requests that were logged, and the folder. */
export async function walk(
  t: TestContext,
  { page, parts, service, prepare, before = '', meanwhile }: Way,
): Promise<Walked> {
  const folder = await layOut(t);
  const limits = { RATE_LIMIT_PER_MINUTE: '100', RATE_LIMIT_BURST: '20' };
  const settings = { DATA_DIR: join(folder, 'data'), ...limits, ...service, ...(await prepare?.(t)) };
  const server = service && (await startServerProcess(t, settings));

  const text = parts ? parts.map((part) => partOf(page, part)).join('\n') : pageText(page);
  const commands = codeBlocks(text, 'sh').join('\n');
  assert.ok(commands.length > 0);
  const whole = Object.entries(meanwhile ?? {}).reduce(
    (text, [line, first]) => text.replace(line, `${first}\n${line}`),
    commands,
  );
  const script = [before, whole].join('\n').replaceAll('http://127.0.0.1:8080', server?.url ?? '');
  const here = script.replaceAll(/^(?!docker ).*$/gm, (command) => below(folder, command));
  await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', here], {
    cwd: folder,
    env: {
      PATH: [PROGRAMS, dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
      CHECKOUT: fileURLToPath(CHECKOUT),
      PROGRAM,
      ROOT: folder,
      NODE: process.execPath,
      CURL: findProgram('curl'),
      SERVICE_PORT: new URL(server?.url ?? 'http://none').port,
    },
  });
  const requests = (): Logged[] =>
    (server?.log() ?? '')
      .split('\n')
      .slice(0, -1)
      .map((logged) => record(JSON.parse(logged)))
      .filter(({ message }) => message === 'request');
  // The last line of the log arrives after the answer.
  const asked = [...here.matchAll(/\bcurl .*\$?api\b/g)].length;
  if (server) await until(() => requests().length >= asked);
  return { requests: requests(), folder };
}
