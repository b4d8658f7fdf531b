import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { preferredCoding } from '../../src/http/negotiation.ts';

const WISHES: readonly [string, string | undefined, string | undefined][] = [
  ['no header', undefined, undefined],
  ['an empty one', '', undefined],
  ['gzip', 'gzip', 'gzip'],
  ['its old name', 'x-gzip', 'gzip'],
  ['brotli', 'br', 'br'],
  ['what browsers send', 'gzip, deflate, br, zstd', 'br'],
  ['other letters', 'GZip;Q=0.5', 'gzip'],
  ['equal weights', 'gzip;q=0.8, br;q=0.8', 'br'],
  ['gzip before brotli', 'br;q=0.4, gzip;q=0.401', 'gzip'],
  ['anything', '*', 'br'],
  ['anything but brotli', '*, br;q=0', 'gzip'],
  ['gzip before all others', '*;q=0.2, gzip;q=0.7', 'gzip'],
  ['anything that is not the body itself', 'identity;q=0, *', 'br'],
  ['not the body itself, and no other word', 'identity;q=0', undefined],
  ['the body itself', 'identity', undefined],
  ['the body itself before gzip', 'gzip;q=0.5, identity', undefined],
  ['gzip as gladly as the body itself', 'gzip, identity', 'gzip'],
  ['no gzip', 'gzip;q=0', undefined],
  ['no gzip, at length', 'gzip;q=0.000', undefined],
  ['nothing at all', '*;q=0', undefined],
  ['nothing but gzip', '*;q=0, gzip', 'gzip'],
  ['codings of others', 'deflate, zstd, compress', undefined],
  ['blanks', '\t gzip ; q=0.5 ,\tbr\t;\tq=0.4 ', 'gzip'],
  ['empty elements', ',, gzip,', 'gzip'],
  ['a name twice, of which the last counts', 'br, br;q=0', undefined],
];
const MALFORMED = [
  'gzip;q=2',
  'gzip;q=1.001',
  'gzip;q=0.1234',
  'gzip;q=-1',
  'gzip;q=',
  'gzip;q',
  'gzip;q=1;q=0',
  'gzip;level=9',
  'gzip q=1',
  'gzip;q=1e0',
  'gzip;q=.5',
  '"gzip"',
  'gzip, br;q=x',
  'gzip;',
  'gz ip',
  'gzip\0',
  'gzíp',
  '=',
];

describe('Accept-Encoding', () => {
  for (const [title, header, coding] of WISHES)
    test(`is understood where it wants ${title}`, () => {
      assert.equal(preferredCoding(header), coding);
    });

  for (const header of MALFORMED)
    test(`counts for nothing where it is malformed: ${JSON.stringify(header)}`, () => {
      assert.equal(preferredCoding(header), undefined);
    });

  test('is read in no more time than it is long', () => {
    const header = `gzip${' '.repeat(15_000)}${';'.repeat(1_000)}`;
    const before = process.cpuUsage();
    for (let count = 0; count < 10; count += 1) assert.equal(preferredCoding(header), undefined);
    assert.ok(process.cpuUsage(before).user < 5_000_000);
  });
});
