import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readCsv } from '../../src/transfer/csv.ts';
import { type Encoding, inUtf8 } from '../../src/transfer/encoding.ts';
import { longTest } from '../support/size.ts';
import { inPieces, readAll } from '../support/source.ts';

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
const bigEndian = (text: string): Buffer => utf16(text).swap16();
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

interface Read {
  readonly entries: readonly unknown[];
  readonly guesses: number;
}

async function read(bytes: Uint8Array, encoding?: Encoding, size = bytes.length): Promise<Read> {
  let guesses = 0;
  const text = inUtf8(inPieces(bytes, size), encoding, () => (guesses += 1));
  const entries: unknown[] = [];
  const notes = { ignored: () => undefined, leftOut: () => undefined };
  for await (const entry of readCsv(text, notes))
    entries.push('fault' in entry ? `line ${entry.line}: ${entry.fault}` : entry.fields.get('name'));
  return { entries, guesses };
}

describe('the encoding of a CSV file', () => {
  const files: readonly [string, Uint8Array, Encoding | undefined, unknown[], number][] = [
    ['is UTF-8 where it is valid', Buffer.from('name\nCafé €\n'), undefined, ['Café €'], 0],
    ['is UTF-8 with its mark', Buffer.from('\ufeffname\nCafé\n'), undefined, ['Café'], 0],
    ['is UTF-16 by its mark', utf16('\ufeffname\nCafé 🍕\n'), undefined, ['Café 🍕'], 0],
    [
      'is UTF-16 of the other byte order by its mark',
      bigEndian('\ufeffname\nCafé 🍕\n'),
      undefined,
      ['Café 🍕'],
      0,
    ],
    [
      'is windows-1252 where it is not UTF-8',
      latin1('name\nCaf\xe9 \x80 \x93x\x94\n'),
      undefined,
      ['Café € “x”'],
      1,
    ],
    [
      'is windows-1252 where its last byte starts a character of UTF-8',
      latin1('name\nCaf\xe9'),
      undefined,
      ['Café'],
      1,
    ],
    [
      'is the one that is named, not the valid one',
      Buffer.from('name\nCafé\n'),
      'windows-1252',
      ['CafÃ©'],
      0,
    ],
    ['is the one that is named, without a mark', utf16('name\nCafé\n'), 'utf-16le', ['Café'], 0],
  ];
  for (const [title, bytes, encoding, entries, guesses] of files)
    test(`${title}, wherever it is split`, async () => {
      for (const size of [1, 2, 3, 7, 1_000])
        assert.deepEqual(await read(bytes, encoding, size), { entries, guesses }, `in pieces of ${size}`);
    });

  const lies: readonly [string, Uint8Array, Encoding | undefined, string][] = [
    [
      'UTF-8 that is none',
      latin1('name\nA\nCaf\xe9 \n'),
      'utf-8',
      'is not valid UTF-8; try --encoding windows-1252',
    ],
    ['a lone surrogate', utf16('\ufeffname\nA\nB\ud83c\nC\n'), undefined, 'holds half a character'],
    ['a lone low surrogate', bigEndian('\ufeffname\nA\nB\udf55\n'), undefined, 'holds half a character'],
    [
      'an odd number of bytes',
      Buffer.concat([utf16('\ufeffname\nA\nB'), latin1('B')]),
      undefined,
      'holds half a character',
    ],
    ['a surrogate in UTF-8', latin1('name\nA\nB\xed\xa0\xbc\n'), 'utf-8', 'holds half a character'],
  ];
  for (const [title, bytes, encoding, fault] of lies)
    test(`of ${title} is a fault of the record alone`, async () => {
      for (const size of [1, 2, 5, 1_000]) {
        const { entries } = await read(bytes, encoding, size);
        assert.deepEqual(entries.slice(0, 2), ['A', `line 3: the record ${fault}`]);
      }
    });

  longTest('is guessed by the first MiB: a record behind it that is not UTF-8 is a fault', async () => {
    const rows = `${'Café'.repeat(50)}\n`.repeat(4_200);
    const { entries, guesses } = await read(
      Buffer.concat([Buffer.from(`name\n${rows}`), latin1('Caf\xe9\nB\n')]),
      undefined,
      65_536,
    );
    assert.deepEqual([guesses, entries.length], [0, 4_202]);
    const fault = 'the record is not valid UTF-8; try --encoding windows-1252';
    assert.deepEqual(entries.slice(-2), [`line 4202: ${fault}`, 'B']);
  });

  test('does not matter to a character cut by the end of that MiB', async () => {
    const MiB = 1024 * 1024;
    const bytes = Buffer.from(`name\n${`${'x'.repeat(104_856)}\n`.repeat(10)}é\n`);
    assert.equal(bytes.indexOf('é'), MiB - 1);
    for (const size of [1_000, MiB]) assert.equal((await read(bytes, undefined, size)).guesses, 0);
  });

  test('may have a mark in the middle, which is dropped', async () => {
    const { entries } = await readAll(readCsv, 'name\nA\n\ufeffname\nB\n');
    assert.deepEqual(
      entries.map((entry) => entry['name']),
      ['A', 'name', 'B'],
    );
  });
});
