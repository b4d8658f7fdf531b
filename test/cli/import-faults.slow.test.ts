import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Progress } from '../../src/cli/terminal.ts';
import { type Ended, runOn } from '../support/cli.ts';
import { temporaryFolder } from '../support/service.ts';

// 30 rows that fail, for three reasons, of which one differs from row to row.
const ROWS = Array.from({ length: 10 }, (_, row) => `A${row},1,1,1\n,1,1\nSame,1,1\n`).join('');
const WIDE =
  '"the row has more cells than the header (4 instead of 3); text that has the separator in it must be in quotes"';
const PLACES = `name,latitude,longitude\nSame,1,1\n${ROWS}Good,2,2\n`;

async function importInto(folder: string, places: string, ...args: readonly string[]): Promise<Ended> {
  writeFileSync(join(folder, 'a.csv'), places);
  const { err, ...rest } = await runOn(join(folder, 'data'), 'import', join(folder, 'a.csv'), ...args);
  return { ...rest, err: err.replace(/^New catalogue in .*\n/, '') };
}

describe('the faults of an import', () => {
  test('are printed while they are few', async (t) => {
    const few = PLACES.split('\n').slice(0, 8).join('\n');
    const { err } = await importInto(temporaryFolder(t), few);
    assert.deepEqual(
      [...err.matchAll(/^line (\d): .*\n/gm)].map(([, line]) => line),
      ['3', '4', '5', '6', '7', '8'],
    );
    assert.match(err, /\nread as csv\n$/);
  });

  test('are summed up behind the first 20', async (t) => {
    const { code, out, err } = await importInto(temporaryFolder(t), PLACES);
    assert.deepEqual(
      [code, out.split('\n')[0]],
      [1, '32 rows: 2 created, 0 updated, 0 unchanged, 30 failed'],
    );
    const lines = err.trimEnd().split('\n');
    assert.equal(lines[19], 'line 22: a place without a name at 1,1');
    assert.deepEqual(lines.slice(20), [
      '30 rows failed, the first 20 are above; to list them all: --faults FILE',
      '      10  the row has more cells than the header (4 instead of 3)',
      '      10  text that has the separator in it must be in quotes',
      '      10  a place without a name at 1,1',
      '      10  the same restaurant as on line 2',
      'read as csv',
    ]);
  });

  test('are one line in that sum where they differ in numbers alone', async (t) => {
    const wide = Array.from({ length: 21 }, (_, row) => `A${',x'.repeat(row + 1)}\n`).join('');
    const { err } = await importInto(temporaryFolder(t), `name\n${wide}`);
    assert.match(err, /\n {6}21 {2}the row has more cells than the header …\n/);
  });

  test('are all in a file of their owner, with line, name and reason, where one is named', async (t) => {
    const folder = temporaryFolder(t);
    const list = join(folder, 'faults.csv');
    writeFileSync(list, 'old');
    const { err } = await importInto(folder, `${PLACES}=1+1,1,1,1\n`, '--faults', list);
    const lines = readFileSync(list, 'utf8').trimEnd().split('\r\n');
    assert.equal(lines.length, 1 + 31);
    assert.deepEqual(lines.slice(0, 4), [
      'line,name,reason',
      `3,,${WIDE}`,
      '4,,"a place without a name at 1,1"',
      '5,Same,the same restaurant as on line 2',
    ]);
    assert.equal(lines.at(-1), `34,,${WIDE}`);
    assert.match(err, new RegExp(`the first 20 are above; all are in ${list}\n`));
  });

  test('make a file with a header alone where there are none, which no one else can read', async (t) => {
    const folder = temporaryFolder(t);
    const list = join(folder, 'faults.csv');
    await importInto(folder, 'name\nA\n', '--faults', list);
    assert.equal(readFileSync(list, 'utf8'), 'line,name,reason\r\n');
    assert.equal(statSync(list).mode & 0o777, 0o600);
  });

  const refused: readonly [string, (folder: string) => string, number, RegExp][] = [
    ['standard output', () => '-', 2, /--faults takes the name of a file/],
    [
      'the imported file itself',
      (folder) => join(folder, '.', 'a.csv'),
      2,
      /must not name a file that is read/,
    ],
    ['a folder that is not there', (folder) => join(folder, 'none', 'a'), 1, /^cannot write .*no such file/m],
  ];
  for (const [title, target, code, message] of refused)
    test(`cannot go to ${title}, and then nothing is imported`, async (t) => {
      const folder = temporaryFolder(t);
      const ended = await importInto(folder, PLACES, '--faults', target(folder));
      assert.equal(ended.code, code);
      assert.match(ended.err, message);
      assert.equal(readFileSync(join(folder, 'a.csv'), 'utf8'), PLACES);
      assert.equal(existsSync(join(folder, 'data', 'catalogue.db')), false);
    });
});

describe('the progress of an import', () => {
  test('is on a terminal at once and moves on by itself until its end, also where nothing happens', (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const drawn: string[] = [];
    const progress = new Progress({ isTTY: true, write: (text) => drawn.push(text) });
    let rows = 0;
    progress.follow(() => `${rows} rows`);
    assert.deepEqual(drawn, ['\r\u001b[K0 rows']);
    rows = 7;
    t.mock.timers.tick(1_000);
    assert.ok(drawn.length > 2);
    assert.equal(drawn[1], '\r\u001b[K7 rows');
    progress.close();
    const count = drawn.length;
    assert.equal(drawn.at(-1), '\r\u001b[K');
    t.mock.timers.tick(1_000);
    assert.equal(drawn.length, count);
  });

  test('is silent where there is no terminal', () => {
    const progress = new Progress({ write: () => assert.fail('drawn') });
    progress.follow(() => 'rows');
    progress.clear();
    progress.close();
  });
});
