import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { array, field } from '../support/client.ts';
import { countsOf, importText } from '../support/imports.ts';
import { readStored } from '../support/people.ts';
import { longTest } from '../support/size.ts';
import { startWorld } from '../support/world.ts';

type Broken = readonly (readonly [what: string, filename: string, content: string | Buffer, code: string])[];

const bytes = (start: string): Buffer => Buffer.from(`${start}${'\0'.repeat(40)}`, 'latin1');

describe('files of saved places that are broken', () => {
  const refused: Broken = [
    ['a table without a header', 'Lyon.csv', 'A,note,https://maps.example/1\n', 'no_header'],
    ['an HTML page', 'Lyon.csv', '<!DOCTYPE html>\n<html><body>Sign in</body></html>\n', 'web_page'],
    ['bookmarks', 'a.html', '<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL></DL>', 'web_page'],
    ['a picture', 'a.kml', bytes('\x89PNG\r\n'), 'picture'],
    ['a photo of a phone', 'a.csv', bytes('\0\0\0\x18ftypheic'), 'picture'],
    ['a PDF', 'a.csv', '%PDF-1.7', 'pdf'],
    ['a workbook', 'a.csv', bytes('PK\x03\x04....[Content_Types].xml...xl/workbook.xml'), 'workbook'],
    ['an old workbook', 'a.xls', bytes('\xd0\xcf\x11\xe0'), 'office'],
    ['contacts', 'a.csv', 'BEGIN:VCARD\nFN:A\nEND:VCARD\n', 'contacts'],
    ['a backup', 'a.json', bytes('SQLite format 3\0'), 'database'],
    ['another XML', 'a.kml', '<?xml version="1.0"?><rss></rss>', 'other_xml'],
    ['data of OpenStreetMap as XML', 'a.osm', '<?xml version="1.0"?>\n<osm version="0.6"></osm>', 'osm_xml'],
    [
      'labels',
      'Labeled places.json',
      '{"features":[{"type":"Feature","properties":{"name":"Home"}}]}',
      'labels',
    ],
    ['a text with many zeros', 'a.csv', bytes('name\nA'), 'not_text'],
    ['nothing but a header', 'Lyon.csv', 'Title,Note,URL\n', 'no_places'],
    ['no feature', 'Saved Places.json', '{"type":"FeatureCollection","features":[]}', 'no_places'],
    ['half an archive', 'takeout.zip', bytes('PK\x03\x04'), 'damaged'],
  ];
  const faulty: Broken = [
    [
      'JSON that ends early',
      'Saved Places.json',
      '{"type":"FeatureCollection","features":[{"type":',
      'cut_short',
    ],
    ['a zero in JSON', 'Saved Places.json', '{"Title":"A\0"}', 'not_json'],
    ['one line of 9 MB', 'Lyon.csv', `Title,Note,URL\n${'x'.repeat(9_000_000)}\n`, 'too_long'],
    ['one line of 9 MB', 'a.kml', `<kml><Document><!--${'x'.repeat(9_000_000)}`, 'rest'],
  ];
  longTest('are refused with a sentence, or have a fault, and nothing is written', async (t) => {
    const { owner, service } = await startWorld(t);
    for (const [what, filename, content, code] of refused) {
      const { status, body } = await importText(owner, content, {}, { filename });
      assert.deepEqual([status, field(body, 'code')], [400, code], what);
    }
    for (const [what, filename, content, code] of faulty) {
      const { status, body } = await importText(owner, content, {}, { filename });
      assert.deepEqual([status, countsOf(body), field(body, 'list')], [200, [0, 0, 0, 0, 1], null], what);
      assert.equal(field(array(field(body, 'faults'))[0], 'code'), code, what);
    }
    assert.deepEqual(readStored(service.folder, 'SELECT 1 FROM changes'), []);
  });
});
