import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { startServerProcess } from '../support/cli.ts';
import { record } from '../support/client.ts';
import { findProgram } from '../support/edge.ts';
import { sample } from '../support/images.ts';
import { LOCAL } from '../support/people.ts';
import { temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const MISSING = ['bash', 'curl'].find((name) => findProgram(name) === undefined);
const NO_SHELL = MISSING !== undefined && `no ${MISSING} in PATH: apt-get install ${MISSING} to run this`;

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
// Places need a provider, accounts another mode.
const SECTIONS: readonly string[] = [
  'Restaurants',
  'Ratings and search',
  'Categories and food types',
  'Suggestions',
  'Menu photos',
  'Health',
];

/** The shell lines of a part of README from a heading to the next one. */
function blocksOf(heading: string): string[] {
  const start = README.indexOf(`\n${heading}\n`);
  assert.notEqual(start, -1, heading);
  const end = README.indexOf('\n##', start + heading.length);
  const part = README.slice(start, end);
  return [...part.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
}

// With accounts, of which the administrator's is there.
const WITH_ACCOUNTS: readonly string[] = ['Accounts and tokens', 'Users and invitations'];
const CHEF = { ADMIN_EMAIL: 'chef@example.com', ADMIN_PASSWORD: 'a long password of the chef' };

type Logged = Readonly<Record<string, unknown>>;

/** Runs the lines of sections as if they were pasted; resolves to the requests that were logged, and the folder. */
async function walk(
  t: TestContext,
  sections: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<{ readonly requests: readonly Logged[]; readonly folder: string }> {
  const definitions = blocksOf('## Use').find((block) => block.startsWith('api='));
  const tour = sections.flatMap((section) => blocksOf(`### ${section}`)).join('\n');
  const limits = { RATE_LIMIT_PER_MINUTE: '100', RATE_LIMIT_BURST: '20' };
  const server = await startServerProcess(t, { DATA_DIR: temporaryFolder(t), ...limits, ...variables });
  let written = '';
  server.process.stdout.on('data', (chunk: Buffer) => (written += chunk.toString()));
  const requests = (): readonly Logged[] =>
    written
      .split('\n')
      .slice(0, -1)
      .map((line) => record(JSON.parse(line)))
      .filter(({ message }) => message === 'request');

  const folder = temporaryFolder(t);
  for (const name of ['menu.jpg', 'menu-small.jpg']) writeFileSync(join(folder, name), sample('baseline'));
  const script = `${definitions ?? ''}\n${tour}`.replaceAll('http://127.0.0.1:8080', server.url);
  const path = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
  await promisify(execFile)('bash', ['-euc', script], { cwd: folder, env: { PATH: path } });
  const asked = tour.match(/\bcurl /g)?.length;
  await until(() => requests().length === asked);
  return { requests: requests(), folder };
}

const refused = ({ status }: Logged): boolean => Number(status) >= 400;

describe('the tour of README', { skip: NO_SHELL }, () => {
  test('can be pasted as a whole, and each of its requests succeeds', async (t) => {
    const { requests, folder } = await walk(t, SECTIONS, {});
    assert.deepEqual(requests.filter(refused), []);
    assert.ok(requests.some(({ status }) => status === 304));
    assert.deepEqual(readFileSync(join(folder, 'seen.jpg')).subarray(0, 2), Buffer.from([0xff, 0xd8]));
  });

  for (const AUTH_MODE of ['local', 'both'])
    test(`can be pasted with its accounts in mode ${AUTH_MODE}`, async (t) => {
      const { requests } = await walk(t, WITH_ACCOUNTS, { ...LOCAL, ...CHEF, AUTH_MODE });
      assert.deepEqual(requests.filter(refused), []);
      assert.ok(requests.length > 25);
    });
});
