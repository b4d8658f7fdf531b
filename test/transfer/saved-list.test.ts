import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readCsv } from '../../src/transfer/csv.ts';
import { readAll } from '../support/source.ts';

describe('a saved list of Google Takeout', () => {
  const url = 'https://www.google.com/maps/place/Chez+Nous/data=!4m2!3m1!1s0x47e66e:0x1';
  test('is recognised by its header, also behind a description', async () => {
    for (const head of ['', 'My favourites\n\n']) {
      const { entries, ignored } = await readAll(
        readCsv,
        `${head}Title,Note,URL,Tags,Comment\nChez Nous,Good,${url},x,Really\n`,
      );
      const [{ line: _where, ...entry } = {}] = entries;
      assert.deepEqual(entry, { name: 'Chez Nous', website: url, description: 'Good\nReally' });
      assert.deepEqual(ignored, ['Tags']);
    }
  });

  const places: readonly [string, number | undefined, number | undefined][] = [
    ['https://maps.google.com/?q=48.5,2.25', 48.5, 2.25],
    ['https://www.google.com/maps/search/48.5,+-2.25', 48.5, -2.25],
    ['https://www.google.com/maps/place/X/@48.5,2.25,17z', 48.5, 2.25],
    ['https://www.google.com/maps/place/X/@1,1,17z/data=!3d48.5!4d2.25', 48.5, 2.25],
    ['https://maps.google.com/?cid=1234567890', undefined, undefined],
    ['https://maps.google.com/?q=0,0', undefined, undefined],
    ['https://maps.google.com/?q=99,2', undefined, undefined],
  ];
  for (const [address, latitude, longitude] of places)
    test(`has ${latitude === undefined ? 'no place' : 'its place'} from ${address}`, async () => {
      const [entry] = (await readAll(readCsv, `Title,Note,URL\nA,,"${address}"\n`)).entries;
      assert.deepEqual(
        [entry?.['latitude'], entry?.['longitude'], entry?.['website']],
        [latitude, longitude, address],
      );
    });
});
