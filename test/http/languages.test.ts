import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { preferredLanguage } from '../../src/http/negotiation.ts';

const AVAILABLE = ['en', 'ar', 'de', 'es', 'fr', 'it', 'ja', 'nl', 'pt-BR'];
const LONG = 'a'.repeat(9);
// Headers with the language that they find; null for none, so that English is used.
const HEADERS: readonly (readonly [string, string | null])[] = [
  ['de', 'de'],
  ['DE', 'de'],
  ['de-AT', 'de'],
  ['de-Latn-DE-1996', 'de'],
  ['de-x-de-fr', 'de'],
  ['de;q=1.000', 'de'],
  ['de ; q=0.5', 'de'],
  [' de ,, fr', 'de'],
  [';;;,,,es', 'es'],
  ['pt', 'pt-BR'],
  ['pt-PT', 'pt-BR'],
  ['pt-br', 'pt-BR'],
  ['pt-BR,en;q=0.5', 'pt-BR'],
  ['en-GB,de;q=0.9', 'en'],
  ['en-GB;q=0.3,fr;q=0.8', 'fr'],
  ['fr;q=0.8,it;q=0.9,ja;q=0.85', 'it'],
  ['fr,it', 'fr'],
  ['ar-EG,ar;q=0.9', 'ar'],
  ['ja-JP-u-ca-japanese', 'ja'],
  ['zh-Hant-CN-x-private1-private2,nl;q=0.1', 'nl'],
  ['i-klingon,nl', 'nl'],
  ['x-de', null],
  ['zh', null],
  ['', null],
  ['*', null],
  ['xx,*;q=0.1', null],
  ['*-CH,it', 'it'],
  ['*;q=0.9,it;q=0.1', 'it'],
  ['fr;q=0', null],
  ['fr;q=0,en;q=0.1', 'en'],
  ['fr;q=0.0,de;q=0.001', 'de'],
  ['fr;q=2,de', 'de'],
  ['fr;q=-1,de', 'de'],
  ['fr;q=abc,de', 'de'],
  ['fr;q=0.1234,de;q=0.1', 'de'],
  ['fr;level=1,de', 'de'],
  ['ja_JP,ar', 'ar'],
  ['d,e,f', null],
  ['<script>,es', 'es'],
  [`${LONG},nl`, 'nl'],
  [`de-${LONG},nl`, 'nl'],
  ['de-,nl', 'nl'],
  ['-de,nl', 'nl'],
  ['e\u0000n,it', 'it'],
  [`${'xx,'.repeat(100)}it`, 'it'],
  // Anything after the first thousand characters is not read.
  [`${'xx,'.repeat(5_000)}it`, null],
];

describe('The language that an Accept-Language header prefers', () => {
  for (const [header, language] of HEADERS)
    test(`is ${language ?? 'none of ours'} for ${JSON.stringify(header.slice(0, 60))}`, () => {
      assert.equal(preferredLanguage(header, AVAILABLE) ?? null, language);
    });

  test('is none without a header', () => {
    assert.equal(preferredLanguage(undefined, AVAILABLE), undefined);
  });
});
