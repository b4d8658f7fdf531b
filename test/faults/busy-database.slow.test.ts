import assert from 'node:assert/strict';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { openStorage } from '../../src/storage/storage.ts';
import { atEnd } from '../support/cleanup.ts';
import { runCommand, startCommand, startServerProcess } from '../support/cli.ts';
import { LOCAL, readStored } from '../support/people.ts';
import { temporaryFolder } from '../support/service.ts';
import { holdWriteLock } from '../support/write-lock.ts';

const WAITING = 'The database is busy: another process is writing. Waiting for up to a minute …\n';

/** Runs a command on a database that another process writes to, until the command has said that it waits. */
async function runWaiting(
  t: TestContext,
  folder: string,
  args: readonly string[],
  input: string,
): Promise<number> {
  const release = holdWriteLock(t, folder);
  const child = startCommand(args, { variables: { ...LOCAL, DATA_DIR: folder } });
  let err = '';
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
    if (err.endsWith(WAITING)) release();
  });
  child.stdin.end(input);
  await once(child, 'close');
  const said = args[0] === 'import' ? 'read as csv\n' : '';
  assert.equal(err, `Data folder: ${folder}\n${WAITING}${said}`);
  return child.exitCode ?? -1;
}

describe('a command that finds the database busy', () => {
  test('waits, says so once, and does all of its work then', async (t) => {
    const folder = temporaryFolder(t);
    openStorage(folder).close();
    const rows = Array.from({ length: 50 }, (_, index) => `R ${index}`).join('\n');
    assert.equal(await runWaiting(t, folder, ['import', '-', '--format', 'csv'], `name\n${rows}\n`), 0);
    assert.equal(readStored(folder, 'SELECT id FROM restaurants').length, 50);
    assert.equal(
      await runWaiting(t, folder, ['user', 'create', 'chef@example.com'], 'the chef’s password\n'),
      0,
    );
    assert.equal(readStored(folder, `SELECT id FROM users WHERE email = 'chef@example.com'`).length, 1);
  });

  test('gives up in the end, and nothing of that write is stored', async (t) => {
    const waits: number[] = [];
    const patience = { limitMs: 300, waiting: (waitedMs: number) => waits.push(waitedMs) };
    const folder = temporaryFolder(t);
    const { connection, transactions, close } = openStorage(folder, patience);
    atEnd(t, close);
    const release = holdWriteLock(t, folder);
    const remove = connection.prepare('DELETE FROM categories');
    await assert.rejects(
      transactions.write(() => remove.run()),
      { code: 'SQLITE_BUSY' },
    );
    release();
    assert.ok(waits.length > 0);
    assert.equal(await transactions.write(() => remove.run().changes), 10);
  });
});

describe('an import while a server runs', () => {
  test('leaves the log to the server when it closes', async (t) => {
    const DATA_DIR = temporaryFolder(t);
    const { api } = await startServerProcess(t, { DATA_DIR });
    const file = join(DATA_DIR, 'many.csv');
    writeFileSync(file, `name\n${Array.from({ length: 200 }, (_, index) => `R ${index}`).join('\n')}\n`);
    const log = join(DATA_DIR, 'catalogue.db-wal');
    const { code } = await runCommand(['import', file], { variables: { DATA_DIR } });
    assert.equal(code, 0);
    assert.ok(statSync(log).size > 0);
    assert.equal((await api.post('/restaurants', { name: 'Own' })).status, 201);
  });

  test('ends while others read for long, and the server writes in between', async (t) => {
    const DATA_DIR = temporaryFolder(t);
    const { api } = await startServerProcess(t, { DATA_DIR });
    const reader = new Database(join(DATA_DIR, 'catalogue.db'), { readonly: true });
    atEnd(t, () => reader.close());
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM restaurants').get();
    const file = join(DATA_DIR, 'many.csv');
    writeFileSync(file, `name\n${Array.from({ length: 2_000 }, (_, index) => `R ${index}`).join('\n')}\n`);
    let isOver = false;
    const isFinished = (): boolean => isOver;
    const importing = runCommand(['import', file], { variables: { DATA_DIR } }).finally(
      () => (isOver = true),
    );
    const statuses: number[] = [];
    while (!isFinished()) {
      statuses.push((await api.post('/restaurants', { name: `Own ${statuses.length}` })).status);
      await pause(1);
    }
    assert.equal((await importing).code, 0);
    assert.deepEqual([...new Set(statuses)], [201]);
  });
});
