import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { array, field } from '../support/client.ts';
import { countsOf, importText } from '../support/imports.ts';
import { readStored } from '../support/people.ts';
import { longTest } from '../support/size.ts';
import { startWorld } from '../support/world.ts';

describe('files of saved places that are broken', () => {
  const broken: readonly (readonly [
    what: string,
    filename: string,
    content: string | Buffer,
    fault: RegExp,
  ])[] = [
    [
      'JSON that ends early',
      'Saved Places.json',
      '{"type":"FeatureCollection","features":[{"type":',
      /ends in the middle/,
    ],
    ['a table without a header', 'Lyon.csv', 'A,note,https://maps.example/1\n', /no header with a "name"/],
    ['an HTML page as CSV', 'Lyon.csv', '<!DOCTYPE html>\n<html><body>Sign in</body></html>\n', /no header/],
    ['an HTML page as JSON', 'Saved Places.json', '<!DOCTYPE html>\n<html></html>\n', /no "features" array/],
    ['an HTML page as KML', 'a.kml', '<!DOCTYPE html>\n<html></html>\n', /not KML/],
    ['a picture as KML', 'a.kml', Buffer.from('89504e470d0a1a0a', 'hex'), /not KML/],
    ['one line of 9 MB', 'Lyon.csv', `Title,Note,URL\n${'x'.repeat(9_000_000)}\n`, /longer than 1 MiB/],
    ['one line of 9 MB', 'a.kml', `<kml><Document>${'x'.repeat(9_000_000)}`, /longer than 1 MiB/],
  ];
  longTest('have a fault, and nothing is written', async (t) => {
    const { owner, service } = await startWorld(t);
    for (const [what, filename, content, fault] of broken) {
      const { status, body } = await importText(owner, content, {}, { filename });
      assert.deepEqual([status, countsOf(body), field(body, 'list')], [200, [0, 0, 0, 0, 1], null], what);
      assert.match(String(field(array(field(body, 'faults'))[0], 'reason')), fault, what);
    }
    assert.deepEqual(readStored(service.folder, 'SELECT 1 FROM changes'), []);
  });
});
