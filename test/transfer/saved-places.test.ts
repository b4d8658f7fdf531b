import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { allChanges } from '../support/changes.ts';
import { type Client, array, field, ids } from '../support/client.ts';
import { batchOf, countsOf, importText, spooled } from '../support/imports.ts';
import { addItems, addList, addRestaurants, namesOn, putItem } from '../support/lists.ts';
import { changeStored, readStored } from '../support/people.ts';
import { longTest } from '../support/size.ts';
import { ownViews, startWorld, views, withoutUpdates } from '../support/world.ts';

const LIST = `Title,Note,URL,Tags,Comment
Chez Nous,window seat,https://www.google.com/maps/place/Chez+Nous/data=!4m2!3m1!1s0x1:0x2,,
,,"https://www.google.com/maps/search/48.5,+2.25",,
Le Bac,,https://maps.google.com/?cid=3,,ask for Anna
`;
const NAMES = ['Chez Nous', 'Le Bac'];
const NOTES = ['window seat', 'ask for Anna'];

const csv = (...names: readonly string[]): string => `Title,Note,URL\n${names.join('\n')}\n`;
const named = (filename: string): Readonly<Record<string, string>> => ({ filename });

/** Imports a file of this name, as is or as a dry run. */
async function take(api: Client, filename: string, content: string, dry = false): Promise<unknown> {
  const { status, body } = await importText(api, content, dry ? { dry_run: 'true' } : {}, { filename });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

async function notesOn(api: Client, list: number | string): Promise<unknown[]> {
  return array((await api.get(`/lists/${list}/items`)).body).map((item) => field(item, 'note'));
}

async function listNamed(api: Client, name: string): Promise<number> {
  const found = array((await api.get('/lists')).body).find((one) => field(one, 'name') === name);
  return Number(field(found, 'id'));
}

/** Saved places as JSON of Google Takeout, of the newer or the older kind. */
function collection(...features: readonly object[]): string {
  const whole = features.map((feature) => ({ type: 'Feature', ...feature }));
  return JSON.stringify({ type: 'FeatureCollection', features: whole });
}
const at = (longitude: number, latitude: number): object => ({
  geometry: { type: 'Point', coordinates: [longitude, latitude] },
});

describe('saved places that a user imports', () => {
  const lists: readonly (readonly [filename: string, list: string])[] = [
    ['Want to go.csv', 'Want to go'],
    ['Favorite places.csv', 'Favourites'],
    ['Favourites.csv', 'Favourites'],
    ['Best of Paris.csv', 'Best of Paris'],
    ['東京 🍜.csv', '東京 🍜'],
    ['مطاعم.csv', 'مطاعم'],
    ['v1.2 of Lyon.csv', 'v1.2 of Lyon'],
    [`${'x'.repeat(120)}.csv`, 'x'.repeat(100)],
  ];
  longTest('go on the list that the name of the file says, in its order, with private notes', async (t) => {
    const { owner } = await startWorld(t);
    for (const [filename, list] of lists) {
      const result = await take(owner, filename, LIST);
      assert.deepEqual(field(result, 'list'), { id: await listNamed(owner, list), name: list }, filename);
      assert.deepEqual(await namesOn(owner, await listNamed(owner, list)), NAMES, filename);
      assert.deepEqual(await notesOn(owner, await listNamed(owner, list)), NOTES, filename);
    }
    const places = array((await owner.get('/restaurants')).body);
    assert.equal(places.length, NAMES.length);
    for (const place of places) assert.equal(field(place, 'description'), null);
  });

  longTest('are counted as new or here, and a row that cannot be read is named', async (t) => {
    const { owner, other } = await startWorld(t);
    const fault = 'a place without a name at 48.5,-2.25 (https://www.google.com/maps/search/48.5,-2.25)';
    const first = await take(owner, 'Lyon.csv', LIST.replace('+2.25', '-2.25'));
    assert.deepEqual(countsOf(first), [2, 0, 0, 0, 1]);
    assert.deepEqual(field(first, 'faults'), [{ line: 3, name: null, code: 'no_name', reason: fault }]);
    assert.deepEqual(countsOf(await take(other, 'Lyon.csv', LIST)), [0, 2, 0, 0, 1]);
    assert.deepEqual(countsOf(await take(other, 'Lyon.csv', LIST)), [0, 0, 2, 0, 1]);
  });

  longTest('of Saved Places.json become a list of that name, of both kinds of files', async (t) => {
    const { owner } = await startWorld(t);
    const newer = (name: string, cid: number): object => ({
      properties: {
        date: '2023-01-02T03:04:05Z',
        google_maps_url: `http://maps.google.com/?cid=${cid}`,
        location: { name, address: `${cid} Rue`, country_code: 'FR' },
        Comment: `note ${cid}`,
      },
    });
    const older = {
      properties: {
        Title: 'Old',
        Published: '2015-01-02T03:04:05Z',
        'Google Maps URL': 'http://maps.google.com/?q=Old&ftid=0x1:0x2',
        Location: { Address: '9 Rue', 'Geo Coordinates': { Latitude: '45.5', Longitude: '4.5' } },
      },
    };
    const content = collection(
      { ...at(2.25, 48.5), ...newer('Placed', 1) },
      { ...at(0, 0), ...newer('Nowhere', 2) },
      newer('Without geometry', 3),
      older,
    );
    const result = await take(owner, 'Saved Places.json', content);
    assert.deepEqual(countsOf(result), [4, 0, 0, 0, 0]);
    const list = await listNamed(owner, 'Saved Places');
    assert.deepEqual(await namesOn(owner, list), ['Placed', 'Nowhere', 'Without geometry', 'Old']);
    assert.deepEqual(await notesOn(owner, list), ['note 1', 'note 2', 'note 3', null]);
    const items = array((await owner.get(`/lists/${list}/items`)).body);
    assert.deepEqual(
      items.map((item) => field(field(item, 'restaurant'), 'latitude')),
      [48.5, null, null, 45.5],
    );
    // The item knows when it was saved; the restaurant, which everyone sees, does not.
    assert.equal(field(items[0], 'created_at'), '2023-01-02T03:04:05.000Z');
    assert.notEqual(field(field(items[0], 'restaurant'), 'created_at'), '2023-01-02T03:04:05.000Z');
  });

  longTest(
    'of KML go on lists named like their folders, like the file, or like the document of doc.kml',
    async (t) => {
      const { owner } = await startWorld(t);
      const place = (name: string): string =>
        `<Placemark><name>${name}</name><description>&lt;b&gt;mine&lt;/b&gt;<![CDATA[<br>too]]></description></Placemark>`;
      const kml = (inside: string): string =>
        `<kml><Document><name>Trip &amp; more</name>${inside}</Document></kml>`;
      await take(owner, 'doc.kml', kml(place('A')));
      const id = await listNamed(owner, 'Trip & more');
      assert.deepEqual(await notesOn(owner, id), ['mine\ntoo']);
      const folder = `<Folder><name>Want to go</name>${place('B')}</Folder>`;
      const result = await take(owner, 'From a file.kml', kml(place('A') + folder));
      const lists = [
        { id: await listNamed(owner, 'From a file'), name: 'From a file' },
        { id: await listNamed(owner, 'Want to go'), name: 'Want to go' },
      ];
      assert.deepEqual([field(result, 'list'), field(result, 'lists')], [lists[0], lists]);
      assert.deepEqual(await namesOn(owner, 'want'), ['B']);
    },
  );

  longTest('go on the list that is chosen, which the user must own', async (t) => {
    const { owner, other } = await startWorld(t);
    const list = await addList(owner, 'Lyon');
    const send = (api: Client, chosen: string) =>
      importText(api, csv('A,,'), { list: chosen }, named('X.csv'));
    assert.deepEqual(field((await send(owner, String(list))).body, 'list'), { id: list, name: 'Lyon' });
    assert.deepEqual(await namesOn(owner, list), ['A']);
    assert.equal(field(field((await send(owner, 'New one')).body, 'list'), 'name'), 'New one');
    assert.deepEqual(
      [(await send(other, String(list))).status, (await send(owner, '9999')).status],
      [404, 404],
    );
  });

  longTest('never change a restaurant, the place of an item or a note that it has', async (t) => {
    const { owner, admin } = await startWorld(t);
    await addRestaurants(admin, 'Chez Nous', 'First', 'Le Bac');
    const before = (await admin.get('/restaurants')).body;
    const list = await addList(owner, 'Lyon');
    await addItems(owner, list, [1, 2, 3]);
    await putItem(owner, list, 1, { note: 'my own' });
    assert.deepEqual(countsOf(await take(owner, 'Lyon.csv', LIST)), [0, 1, 1, 0, 1]);
    assert.deepEqual(await namesOn(owner, list), ['Chez Nous', 'First', 'Le Bac']);
    assert.deepEqual(await notesOn(owner, list), ['my own', null, 'ask for Anna']);
    assert.deepEqual((await admin.get('/restaurants')).body, before);
  });

  longTest('keep the first 1,000 characters of a note', async (t) => {
    const { owner } = await startWorld(t);
    const content = csv(`A,${'é'.repeat(1_001)},`, `B,${'🍜'.repeat(1_000)},`, 'C,short,');
    const result = await take(owner, 'Want to go.csv', content);
    assert.deepEqual([countsOf(result), field(result, 'notes_cut')], [[3, 0, 0, 0, 0], 1]);
    assert.deepEqual(await notesOn(owner, 'want'), ['é'.repeat(1_000), '🍜'.repeat(1_000), 'short']);
  });

  longTest('are told by a dry run, which writes nothing', async (t) => {
    const { owner, other, service } = await startWorld(t);
    await take(other, 'Want to go.csv', csv('Chez Nous,,', 'Here,,'));
    const rows = (): unknown =>
      ['restaurants', 'lists', 'list_items', 'batches', 'changes'].map((table) =>
        readStored(service.folder, `SELECT * FROM ${table}`),
      );
    const before = rows();
    const result = await take(owner, 'Lyon.csv', LIST, true);
    assert.deepEqual(countsOf(result), [1, 1, 0, 0, 1]);
    assert.deepEqual(field(result, 'list'), { id: null, name: 'Lyon' });
    const want = await take(owner, 'Want to go.csv', LIST, true);
    assert.deepEqual(field(want, 'list'), { id: await listNamed(owner, 'Want to go'), name: 'Want to go' });
    assert.deepEqual([rows(), spooled(service.folder)], [before, []]);
  });

  longTest('stay off a list that is full, and are said so where there are too many lists', async (t) => {
    const { owner, service, people } = await startWorld(t);
    const { folder } = service;
    const list = await addList(owner, 'Full');
    changeStored(folder, `UPDATE lists SET item_count = 5000 WHERE id = ${list}`);
    const full = await take(owner, 'Full.csv', LIST);
    assert.deepEqual(countsOf(full), [0, 0, 0, 0, 3]);
    assert.equal(field(array(field(full, 'faults'))[0], 'reason'), 'A list has at most 5000 items');
    changeStored(
      folder,
      `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 199)
       INSERT INTO lists (user_id, kind, name, name_key, created_at, updated_at)
       SELECT ${people.owner.id}, 'own', 'L' || n, 'l' || n, '', '' FROM n`,
    );
    const many = await take(owner, 'One more.csv', LIST);
    assert.equal(field(array(field(many, 'faults'))[0], 'reason'), 'At most 200 lists');
    assert.deepEqual(field(many, 'list'), { id: null, name: 'One more' });
  });

  longTest('leave the tables of others as they were when they are undone, and lists of before', async (t) => {
    const { owner, other, admin } = await startWorld(t);
    await addRestaurants(admin, 'Chez Nous', 'First');
    const list = await addList(owner, 'Lyon');
    await addItems(owner, list, [2]);
    const before = [await views(owner), await ownViews(other)];
    const { body } = await importText(owner, LIST, {}, named('Lyon.csv'));
    const made = await importText(owner, LIST, {}, named('New.csv'));
    assert.deepEqual(await namesOn(owner, list), ['First', 'Chez Nous', 'Le Bac']);
    for (const result of [made.body, body])
      assert.equal((await owner.post(`/batches/${batchOf(result)}/revert`, {})).status, 200);
    assert.deepEqual(withoutUpdates([await views(owner), await ownViews(other)]), withoutUpdates(before));
  });

  longTest('stay where others have rated them by then, and the undo says so', async (t) => {
    const { owner, other } = await startWorld(t);
    const batch = batchOf(await take(owner, 'Lyon.csv', csv('A,,', 'B,,')));
    const rating = { restaurant_id: 1, food_rating: 5, service_rating: 5, ambiance_rating: 5 };
    await other.post('/ratings', rating);
    const { status, body } = await owner.post(`/batches/${batch}/revert`, {});
    const error = `Batch ${batch} cannot be reverted: 1 obstacle: restaurant 1 has 1 rating by now`;
    assert.deepEqual([status, body], [409, { error }]);
    assert.deepEqual(ids((await owner.get('/restaurants?sort=name')).body), [1, 2]);
  });
});

describe('the notes and names of imported lists', () => {
  longTest('are in no answer to anyone else', async (t) => {
    const { owner, other, admin, service } = await startWorld(t);
    const secret = 'Xylophon';
    await take(owner, `${secret} list.csv`, csv(`Chez Nous,${secret} note,`));
    await take(
      owner,
      'doc.kml',
      `<kml><Document><name>${secret} map</name><Placemark><name>B</name><description>${secret}</description></Placemark></Document></kml>`,
    );
    const paths = [
      ...[
        '/restaurants',
        '/restaurants/1',
        '/restaurants/1?include=photos,ratings',
        '/restaurants/paginated',
      ],
      ...['/restaurants/map?bbox=-180,-90,180,90&zoom=0', `/search?q=${secret}`, '/app-config', '/lists'],
      ...['/changes?since=start', '/changes?order=newest&batches=collapsed', '/restaurants/1/history'],
      ...['/batches', '/batches/1', '/batches/2', '/changes?batch_id=1,2', '/me/marks', '/lists/7'],
      ...['csv', 'ndjson', 'geojson', 'kml'].map((format) => `/export?format=${format}`),
    ];
    for (const api of [other, admin, service.api])
      for (const path of paths) {
        const { body } = await api.get(path);
        const text = JSON.stringify(body).replaceAll(`q=${secret}`, '');
        assert.ok(!text.includes(secret), `${path}: ${text}`);
      }
    const page = await (await fetch(`${service.url}/restaurants/1`)).text();
    assert.ok(!page.includes(secret));
    assert.match(JSON.stringify((await owner.get('/batches')).body), /Xylophon list\.csv/);
    assert.match(JSON.stringify(await allChanges(owner)), /Xylophon note/);
    // The obstacles that an administrator reads name no list.
    await owner.delete(`/lists/${await listNamed(owner, `${secret} list`)}`);
    const { status, body } = await admin.post('/batches/1/revert', {});
    assert.deepEqual([status, JSON.stringify(body).includes(secret)], [409, false]);
  });

  longTest('go with the account of their owner', async (t) => {
    const { owner, service, people } = await startWorld(t);
    await take(owner, 'Xylophon.csv', csv('Chez Nous,Xylophon,'));
    const { status } = await owner.send('/api/auth/me', {
      method: 'DELETE',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ password: people.owner.password }),
    });
    assert.equal(status, 204);
    assert.deepEqual(readStored(service.folder, 'SELECT file FROM batches'), [{ file: null }]);
  });
});

describe('files of saved places', () => {
  longTest('are read with a byte order mark, line breaks in quotes, and in other encodings', async (t) => {
    const { owner } = await startWorld(t);
    const text = '\ufeffTitle,Note,URL\r\n"Café\nNoir","two\nlines",\r\n';
    await take(owner, 'Want to go.csv', text);
    assert.deepEqual(await notesOn(owner, 'want'), ['two\nlines']);
    const inUtf16 = Buffer.from('\ufeffTitle\tNote\tURL\nБлины\t\t\n', 'utf16le');
    const { body } = await importText(owner, inUtf16, {}, named('Favourites.csv'));
    assert.deepEqual(countsOf(body), [1, 0, 0, 0, 0]);
    assert.deepEqual(await namesOn(owner, 'favourites'), ['Блины']);
  });
});
