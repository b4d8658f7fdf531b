import assert from 'node:assert/strict';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { HashingThreads } from '../../../src/people/accounts/passwords.ts';
import { NO_PROC } from '../../support/raw.ts';
import { temporaryFolder } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';
import { until } from '../../support/until.ts';

const CHEAP = { memoryCost: 64, timeCost: 1, parallelism: 1 };
const LIBRARY = createRequire(import.meta.url).resolve('@node-rs/argon2');
const ENDS = 'this password ends the thread';
const ENDS_LATER = 'this password ends the thread when its hash is made';
const NAMES_THREAD = 'this password has the number of the thread instead of a hash';

/** A library like the real one, but for three passwords. */
function brittleLibrary(t: TestContext): string {
  const file = join(temporaryFolder(t), 'library.cjs');
  writeFileSync(
    file,
    `const { hashSync } = require(${JSON.stringify(LIBRARY)});
    const { threadId } = require('node:worker_threads');
    exports.hashSync = (password, parameters) => {
      if (password === '${ENDS}') process.exit(7);
      if (password === '${NAMES_THREAD}') return String(threadId);
      if (password === '${ENDS_LATER}') setTimeout(() => { throw new Error('out of the blue'); }, 1);
      return hashSync(password, parameters);
    };`,
  );
  return file;
}

/** The nice values of all threads of this process by their ids. */
function niceValues(): ReadonlyMap<string, number> {
  const values = readdirSync('/proc/self/task').flatMap((id): [string, number][] => {
    try {
      const stat = readFileSync(`/proc/self/task/${id}/stat`, 'utf8');
      return [[id, Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])]];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
  return new Map(values);
}

describe('threads that hash passwords', () => {
  test('make and check hashes, several at once', async () => {
    const threads = new HashingThreads();
    const hashes = await Promise.all(['one', 'two', 'three'].map((word) => threads.hash(word, CHEAP)));
    assert.deepEqual(await Promise.all(hashes.map((made) => threads.verify(made, 'two'))), [
      false,
      true,
      false,
    ]);
  });

  test('answer what the library refuses with its error, and go on', async () => {
    const threads = new HashingThreads();
    await assert.rejects(threads.verify('no hash', 'a password'), /Decoding failed/);
    await assert.rejects(threads.hash('a password', { ...CHEAP, memoryCost: 1 }), /Memory cost/);
    assert.match(await threads.hash('a password', CHEAP), /^\$argon2id\$/);
  });

  test('are replaced when they end', async (t) => {
    const threads = new HashingThreads(brittleLibrary(t));
    await threads.hash('a password', CHEAP);
    await assert.rejects(threads.hash(ENDS, CHEAP), /the thread that hashes passwords ended with 7/);
    assert.match(await threads.hash('a password', CHEAP), /^\$argon2id\$/);
  });

  longTest('are not used again when they ended with nothing to do', async (t) => {
    const threads = new HashingThreads(brittleLibrary(t));
    const first = await threads.hash(NAMES_THREAD, CHEAP);
    // On a busy machine it may end before its answer is out.
    await threads.hash(ENDS_LATER, CHEAP).catch(() => undefined);
    // Until its end is known, the thread may still answer, or fail one that comes just then.
    await until(async () => (await threads.hash(NAMES_THREAD, CHEAP).catch(() => first)) !== first);
    assert.match(await threads.hash('a password', CHEAP), /^\$argon2id\$/);
  });

  test('that cannot be started fail one call after the other, not the process', async (t) => {
    const threads = new HashingThreads(join(temporaryFolder(t), 'missing.cjs'));
    for (let time = 0; time < 2; time += 1)
      await assert.rejects(threads.hash('a password', CHEAP), /Cannot find module/);
  });

  test('have a lower priority than the rest of the process', { skip: NO_PROC }, async () => {
    const own = getPriority(0);
    const before = niceValues();
    await new HashingThreads().hash('a password', CHEAP);
    const after = niceValues();
    const started = [...after].filter(([id]) => !before.has(id)).map(([, nice]) => nice);
    assert.ok(started.includes(Math.min(19, own + 5)), String(started));
    assert.deepEqual(
      [getPriority(0), after.get(String(process.pid))],
      [own, before.get(String(process.pid))],
    );
  });
});
