import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type Ended, runCommand } from '../support/cli.ts';
import { temporaryFolder } from '../support/service.ts';

const GUESS = 'the file is not valid UTF-8, so it is read as windows-1252; --encoding names another encoding';

interface Outcome extends Ended {
  /** What stderr says of the file. */
  readonly said: readonly string[];
  readonly stored: string;
}

async function imported(
  folder: string,
  name: string,
  bytes: Buffer,
  ...args: readonly string[]
): Promise<Outcome> {
  const variables = { DATA_DIR: join(folder, 'data') };
  writeFileSync(join(folder, name), bytes);
  const ended = await runCommand(['import', join(folder, name), ...args], { variables });
  const { out: stored } = await runCommand(['export', '-', '--format', 'csv'], { variables });
  const said = ended.err.split('\n').filter((line) => line !== '' && !line.startsWith('New catalogue'));
  return { ...ended, said, stored };
}

describe('the encoding of an imported file', () => {
  const latin1 = Buffer.from('name;latitude;longitude\nCaf\xe9 \x80;48,85;2,32\n', 'latin1');

  test('is guessed as windows-1252 with a line on stderr, and decimal commas go in', async (t) => {
    const { code, said, stored } = await imported(temporaryFolder(t), 'a.csv', latin1);
    assert.deepEqual([code, said], [0, [GUESS]]);
    assert.match(stored, /,Café €,,,,,48\.85,2\.32,/);
  });

  test('is the one that is named, without a word', async (t) => {
    const { said, stored } = await imported(
      temporaryFolder(t),
      'a.csv',
      latin1,
      '--encoding',
      'Windows-1252',
    );
    assert.deepEqual(said, []);
    assert.match(stored, /,Café €,/);
  });

  test('is UTF-16 by its mark', async (t) => {
    const bytes = Buffer.from('\ufeffname\tphone\r\nCafé 🍕\t="00123"\r\n', 'utf16le');
    const { code, said, stored } = await imported(temporaryFolder(t), 'a.csv', bytes);
    assert.deepEqual([code, said], [0, []]);
    assert.match(stored, /,Café 🍕,,,00123,/);
  });

  test('is not guessed where UTF-8 is named: the row is a fault with advice', async (t) => {
    const { code, said } = await imported(temporaryFolder(t), 'a.csv', latin1, '--encoding', 'utf-8');
    const fault = 'line 2: the record is not valid UTF-8; try --encoding windows-1252';
    assert.deepEqual([code, said], [1, [fault]]);
  });

  test('is not guessed for JSON, which is UTF-8, but may be named', async (t) => {
    const folder = temporaryFolder(t);
    const bytes = Buffer.from('{"name":"Caf\xe9"}\n', 'latin1');
    assert.deepEqual((await imported(folder, 'a.ndjson', bytes)).said, [
      'line 1: the line is not valid UTF-8',
    ]);
    const { code, stored } = await imported(folder, 'a.ndjson', bytes, '--encoding', 'windows-1252');
    assert.equal(code, 0);
    assert.match(stored, /,Café,/);
  });

  test('is refused where it has no such name', async (t) => {
    const { code, said } = await imported(temporaryFolder(t), 'a.csv', latin1, '--encoding', 'latin9');
    const words = 'unknown encoding "latin9": it must be utf-8, utf-16le, windows-1252';
    assert.deepEqual([code, said[0]?.split(';')[0]], [2, words]);
  });
});
