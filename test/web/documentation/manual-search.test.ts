import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { searchManual } from '../../../src/web/documentation/manual-search.ts';

const LONG = `${'before '.repeat(50)}the Needle in it${' after'.repeat(50)}`;
const PARTS = [
  { address: '/a', title: 'Install', text: 'With a backup and a needle.' },
  { address: '/b', title: 'Install: Backups', text: 'Every night.' },
  { address: '/c', title: 'Watch it', text: LONG },
];

const found = (query: string): string[] => searchManual(PARTS, query).map(({ address }) => address);

describe('the search for words in parts of the manual', () => {
  test('finds those with all words, in title or text, whatever their case', () => {
    assert.deepEqual(found('needle'), ['/a', '/c']);
    assert.deepEqual(found('  NEEDLE\twatch '), ['/c']);
    assert.deepEqual(found('needle gone'), []);
    assert.deepEqual(found(' '), []);
  });

  test('has those first whose titles have the words', () => {
    assert.deepEqual(found('backup'), ['/b', '/a']);
  });

  test('shows the first of the words with whole words around it', () => {
    const [, { excerpt } = { excerpt: '' }] = searchManual(PARTS, 'needle');
    assert.match(excerpt, /^… (?:before )+the Needle in it(?: after)+ …$/);
    assert.ok(excerpt.length < 210);
    for (const word of ['night', 'backups'])
      assert.deepEqual(searchManual(PARTS, word), [{ ...PARTS[1], excerpt: 'Every night.' }]);
  });

  test('shows no more than thirty', () => {
    assert.equal(searchManual(Array(40).fill(PARTS[0]), 'needle').length, 30);
  });
});
