import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { type TestContext, describe, test } from 'node:test';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atEnd } from '../support/cleanup.ts';
import { temporaryFolder } from '../support/service.ts';
import { has } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

interface Started {
  readonly npm: ChildProcess;
  readonly log: () => string;
  /** Whether the service still answers. */
  readonly answers: () => Promise<boolean>;
}

/** Runs `npm start` in a group of processes of its own, which is killed after the test. */
async function npmStart(t: TestContext): Promise<Started> {
  const { HOME = '' } = process.env;
  const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  const env = { PATH, HOME, DATA_DIR: temporaryFolder(t), PORT: '0', LOG_FORMAT: 'json' };
  const npm = spawn('npm', ['start'], { cwd: ROOT, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  atEnd(t, () => {
    try {
      process.kill(-(npm.pid ?? 0), 'SIGKILL');
    } catch {
      // All of them have ended.
    }
  });
  let log = '';
  for (const stream of [npm.stdout, npm.stderr])
    stream.on('data', (chunk: Buffer) => (log += chunk.toString()));
  await until(() => log.includes('"listening"'));
  const [, url = ''] = /"url":"([^"]+)"/.exec(log) ?? [];
  const answers = (): Promise<boolean> =>
    fetch(`${url}/api/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  assert.equal(await answers(), true);
  return { npm, log: () => log, answers };
}

describe('npm start', { skip: has('npm') ? false : 'needs the program npm' }, () => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const)
    test(`leaves no server behind when npm alone gets ${signal}`, async (t) => {
      const { npm, log, answers } = await npmStart(t);
      npm.kill(signal);
      await until(async () => !(await answers()));
      await until(() => log().includes('"stopped"'));
    });

  test('stops as it should on Ctrl-C, which reaches the server twice', async (t) => {
    const { npm, log } = await npmStart(t);
    process.kill(-(npm.pid ?? 0), 'SIGINT');
    await until(() => log().includes('"stopped"'));
    assert.equal(log().match(/"stopping"/g)?.length, 1);
  });
});
