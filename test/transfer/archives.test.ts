import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { array, field, textOf } from '../support/client.ts';
import { encode } from '../support/encode.ts';
import { countsOf, importText } from '../support/imports.ts';
import { namesOn } from '../support/lists.ts';
import { readStored } from '../support/people.ts';
import { longTest } from '../support/size.ts';
import { startWorld } from '../support/world.ts';
import { type Zipped, zip } from '../support/zip.ts';

const link = (number: number): string => `https://www.google.com/maps/place/A/data=!1s0x1:0x${number}`;
const LIST = `Titel,Notiz,URL\nA,private,${link(1)}\nA film,,https://www.google.com/search?q=film\n`;
const review = (number: number, more: object): object => ({
  type: 'Feature',
  geometry: { type: 'Point', coordinates: [9.1, 48.1] },
  properties: {
    date: '2025-05-04T18:00:00Z',
    five_star_rating_published: 2,
    google_maps_url: `http://maps.google.com/?cid=${number}`,
    location: { name: `R${number}`, address: `Ufer ${number}` },
    review_text_published: 'cold soup',
    ...more,
  },
});
const AXES = [
  { question: 'Food', rating: 5 },
  { question: 'Service', rating: 4 },
  { question: 'Atmosphere', rating: 3 },
];
const REVIEWS = JSON.stringify({
  type: 'FeatureCollection',
  features: [review(7, {}), review(8, { questions: AXES })],
});
const HOME = '{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"Home"}}]}';
const KML = `<kml><Document><name>Trip</name><Placemark><name>K</name></Placemark></Document></kml>`;

describe('an archive', () => {
  longTest('of Google Takeout is read as it is, and a second time changes nothing', async (t) => {
    const { owner, people } = await startWorld(t);
    const content = zip(
      { name: 'Takeout/Gespeichert/Möchte ich hin.csv', content: LIST },
      { name: 'Takeout/Maps/Rezensionen.json', content: REVIEWS },
      { name: 'Takeout/Maps/Labeled places.json', content: HOME },
      { name: 'Takeout/archive_browser.html', content: '<!DOCTYPE html><html></html>' },
      { name: '__MACOSX/._x.csv', content: 'name\nB\n' },
    );
    const { status, body } = await importText(owner, content, {}, { filename: 'takeout.zip' });
    assert.deepEqual([status, countsOf(body), field(body, 'not_places')], [200, [3, 0, 0, 0, 0], 1]);
    const files = array(field(body, 'files')).map((file) => [field(file, 'read_as'), field(file, 'code')]);
    assert.deepEqual(files.sort(), [
      [null, 'labels'],
      [null, 'web_page'],
      ['reviews', null],
      ['saved_list', null],
    ]);
    assert.deepEqual(await namesOn(owner, 'want'), ['A']);
    const ratings = array((await owner.get('/ratings?user=me')).body).map((rating) =>
      ['food_rating', 'service_rating', 'ambiance_rating', 'comment', 'created_at'].map((name) =>
        field(rating, name),
      ),
    );
    const said = ['cold soup', '2025-05-04T18:00:00.000Z'];
    assert.deepEqual(ratings.sort(), [
      [2, 2, 2, ...said],
      [5, 4, 3, ...said],
    ]);
    assert.ok(people.owner);
    const again = await importText(owner, content, {}, { filename: 'takeout.zip' });
    assert.deepEqual(countsOf(again.body), [0, 0, 3, 0, 0]);
  });

  longTest('of an account, and its files alone, bring nothing private to others', async (t) => {
    const { admin } = await startWorld(t);
    const home = {
      type: 'Feature',
      geometry: null,
      properties: { name: 'Zuhause', address: 'Private Road 1' },
    };
    const place = '<Placemark><name>Home</name><address>Private Road 1</address></Placemark>';
    const activity = '[{"header":"Maps","title":"Private search","titleUrl":"https://a.example"}]';
    const photo = '{"title":"Private.jpg","description":"","photoTakenTime":{"timestamp":"1"}}';
    const files: readonly (readonly [name: string, content: string, read: unknown])[] = [
      ['Want to go.csv', `${LIST}Home,private,${link(2)}\n`, 2],
      [
        'Saved Places.json',
        HOME.replace('"name":"Home"', '"Title":"Home","Google Maps URL":"https://maps.google.com/?cid=5"'),
        1,
      ],
      ['trip.kml', `<kml><Document><name>Trip</name>${place}</Document></kml>`, 1],
      ['places.gpx', '<gpx><wpt lat="48.1" lon="9.1"><name>Trabajo</name></wpt></gpx>', 1],
      ['any.json', JSON.stringify({ type: 'FeatureCollection', features: [home] }), 'labels'],
      ['My Activity.json', activity, 'no_places'],
      ['IMG_1.jpg.json', photo, 'no_places'],
    ];
    for (const [filename, content, read] of files) {
      const { status, body } = await importText(admin, content, {}, { filename });
      assert.equal(field(body, status === 200 ? 'not_places' : 'code'), read, filename);
    }
    const content = zip(
      { name: 'Takeout/Saved/Soups.csv', content: `Title,Note,URL\nB,,${link(3)}\n` },
      { name: 'Takeout/Maps/Car.json', content: '{"name":"Private car"}' },
      { name: 'Takeout/Contacts/All.csv', content: 'name,phone\nPrivate person,1\n' },
    );
    const { body } = await importText(admin, content, {}, { filename: 'takeout.zip' });
    const codes = array(field(body, 'files')).map((file) => field(file, 'code'));
    assert.deepEqual(codes, [null, 'no_places', 'no_places']);
    const exported = String((await admin.get('/export?format=ndjson')).body);
    const names = [...exported.matchAll(/"name":"(.)"/g)].map(([, name]) => name);
    assert.deepEqual([names, /private|home|zuhause/i.test(exported)], [['A', 'B'], false]);
  });

  longTest(
    'is a KMZ, or the table of a shop, under any name, with names of files that lead nowhere',
    async (t) => {
      const { admin } = await startWorld(t);
      const kmz = await importText(
        admin,
        zip({ name: 'doc.kml', content: KML }),
        {},
        { filename: 'My trip.csv' },
      );
      assert.deepEqual([field(kmz.body, 'read_as'), field(field(kmz.body, 'list'), 'name')], ['kmz', 'Trip']);
      const table = zip({ name: '../../../etc/places.csv', content: 'name\nB\n' });
      const { body } = await importText(admin, table, {}, { filename: 'a' });
      assert.deepEqual([field(body, 'created'), field(body, 'read_as')], [1, 'zip']);
      assert.equal(field(array(field(body, 'files'))[0], 'name'), 'places.csv');
    },
  );

  longTest('of a user may have files for administrators, which are named and left out', async (t) => {
    const { owner, service } = await startWorld(t);
    const table = { name: 'places.csv', content: encode('name,phone\nСуповая,1\n', 'windows-1251') };
    const kml = { name: 'trip.kml', content: KML };
    const { status, body } = await importText(owner, zip(table, kml), {}, { filename: 'a.zip' });
    const files = array(field(body, 'files')).map((file) => [field(file, 'name'), field(file, 'code')]);
    assert.deepEqual([status, countsOf(body), field(body, 'needs')], [200, [1, 0, 0, 0, 0], []]);
    assert.deepEqual(files, [
      ['places.csv', 'admins_only'],
      ['trip.kml', null],
    ]);
    const before = readStored(service.folder, 'SELECT 1 FROM changes').length;
    const refused = await importText(owner, zip(table), {}, { filename: 'a.zip' });
    assert.deepEqual([refused.status, textOf(refused.body, 'error').startsWith('Only')], [403, true]);
    assert.equal(readStored(service.folder, 'SELECT 1 FROM changes').length, before);
  });

  const zeros = Buffer.alloc(30 * 1024 * 1024);
  const many = Array.from({ length: 1_001 }, (_, index): Zipped => ({
    name: `${index}.csv`,
    content: 'name\nA\n',
  }));
  const inner = { name: 'a.csv', content: 'name\nA\n' };
  const hostile: readonly (readonly [what: string, content: Buffer, code: string])[] = [
    [
      'that grows to more than 100 MB',
      zip(...[1, 2, 3, 4].map((n) => ({ name: `${n}.csv`, content: zeros }))),
      'too_large',
    ],
    ['that grows 1,000-fold', zip({ name: 'a.csv', content: zeros }), 'too_large'],
    ['that is larger than it says', zip({ name: 'a.csv', content: zeros, size: 100 }), 'damaged'],
    ['with 1,001 files', zip(...many), 'too_large'],
    ['within an archive', zip({ name: 'a.zip', content: zip(inner) }), 'archive_within'],
    ['with a password', zip({ ...inner, flags: 1 }), 'encrypted'],
    ['without an end', zip(inner).subarray(0, -30), 'damaged'],
    ['with a broken middle', Buffer.from(zip(inner)).fill(0xff, 35, 40), 'damaged'],
    ['with nothing in it', zip(), 'no_places'],
  ];
  longTest('is refused early where it is hostile, and harms nobody', async (t) => {
    const { owner, service } = await startWorld(t);
    for (const [what, content, code] of hostile) {
      const begun = performance.now();
      const { status, body } = await importText(owner, content, {}, { filename: 'a.zip' });
      assert.deepEqual([status, field(body, 'code')], [400, code], what);
      assert.ok(performance.now() - begun < 20_000, what);
    }
    assert.deepEqual(readStored(service.folder, 'SELECT 1 FROM changes'), []);
    assert.equal((await owner.get('/health')).status, 200);
  });
});
