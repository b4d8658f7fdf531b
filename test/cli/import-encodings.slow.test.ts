import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cuisineWorld } from '../support/cuisines.ts';

const CSV = Buffer.from('name;latitude;longitude\nCaf\xe9 \x80;48,85;2,32\n', 'latin1');
const NDJSON = Buffer.from('{"name":"Caf\xe9"}\n', 'latin1');

interface Case {
  readonly title: string;
  readonly file: readonly [name: string, content: Buffer];
  readonly encoding?: string;
  /** What standard error says of the file. */
  readonly said: RegExp;
  readonly stored: RegExp;
}

describe('the encoding of an imported file', () => {
  const cases: readonly Case[] = [
    {
      title: 'is guessed as windows-1252 with a line on stderr, and decimal commas go in',
      file: ['a.csv', CSV],
      said: /\nthe file is read as windows-1252, by a guess; /,
      stored: /,Café €,,,,,48\.85,2\.32,/,
    },
    {
      title: 'is the one that is named, without a word',
      file: ['a.csv', CSV],
      encoding: 'Windows-1252',
      said: /^read as (?:csv|ndjson)\n(?!the file)/,
      stored: /,Café €,/,
    },
    {
      title: 'is guessed for JSON as well',
      file: ['a.ndjson', NDJSON],
      said: /\nthe file is read as windows-1252, by a guess; /,
      stored: /,Café,/,
    },
    {
      title: 'may be named for JSON',
      file: ['a.ndjson', NDJSON],
      encoding: 'windows-1252',
      said: /^read as (?:csv|ndjson)\n(?!the file)/,
      stored: /,Café,/,
    },
  ];
  for (const {
    title,
    file: [name, content],
    encoding,
    said,
    stored,
  } of cases)
    test(title, async (t) => {
      const { file, run } = cuisineWorld(t);
      const options = encoding === undefined ? [] : ['--encoding', encoding];
      const { err } = await run('import', file(name, content), ...options);
      assert.match(err.replace(/^New catalogue .*\n/, ''), said);
      assert.match((await run('export', '-', '--format', 'csv')).out, stored);
    });

  test('is refused where it has no such name', async (t) => {
    const { file, run } = cuisineWorld(t);
    const { code, err } = await run('import', file('a.csv', CSV), '--encoding', 'latin99');
    const words = 'unknown encoding "latin99": it must be a label such as utf-8, windows-1252 or shift_jis';
    assert.deepEqual([code, err.split(';')[0]], [2, words]);
  });
});
