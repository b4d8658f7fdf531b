import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRestaurants } from '../support/catalogue.ts';
import { allChanges } from '../support/changes.ts';
import { type Answer, array, field } from '../support/client.ts';
import { NO_NOTES, batchOf, importText, sendImport, spooled, textParts } from '../support/imports.ts';
import { LOCAL, readStored } from '../support/people.ts';
import { form } from '../support/photos.ts';
import { startService } from '../support/service.ts';
import { longTest } from '../support/size.ts';
import { ratingOf, startWorld } from '../support/world.ts';

const PLACES = 'name,city,stars,price_level\nChez Nous,Lyon,5,2\n,Lyon,4,\nLe Bac,Nantes,3,9\nLe Coin,,1,\n';
const COUNTS = { created: 0, updated: 0, unchanged: 0, failed: 0, duplicates: 0 };
const UNSAVED = { list: null, lists: [], unknown_total: 0, unknown: [], notes_cut: 0 };
const NOTHING = { dry_run: false, batch_id: null, ...UNSAVED, ...COUNTS, ...NO_NOTES, faults: [] };

const SAVED = JSON.stringify({
  type: 'FeatureCollection',
  features: [
    {
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [139.7, 35.7] },
      properties: {
        google_maps_url: 'https://maps.example/1',
        location: { name: 'Sakura 5', address: '1 Rue' },
      },
    },
  ],
});

describe('an import by HTTP', () => {
  longTest(
    'tells what became of the rows, and is a batch of its author with the name of the file',
    async (t) => {
      const { admin, people } = await startWorld(t);
      const { status, body, headers } = await importText(
        admin,
        PLACES,
        {},
        { filename: 'a <b>good list.csv' },
      );
      const faults = [{ line: 3, name: null, code: 'no_name', reason: 'a place without a name' }];
      const left_out = [{ field: 'price_level', reason: 'out_of_range', count: 1, line: 4, example: '9' }];
      const ignored = [{ name: 'stars', count: 4, example: '5' }];
      const result = { ...NOTHING, batch_id: 1, created: 3, failed: 1, ignored, left_out, faults };
      assert.deepEqual([status, body], [200, result]);
      assert.equal(headers.get('change'), '1');
      const batch = (await admin.get(`/batches/${batchOf(body)}`)).body;
      const actor = { id: people.admin.id, username: 'carol' };
      assert.deepEqual([field(batch, 'file'), field(batch, 'actor')], ['a good list.csv', actor]);
      const changes = await allChanges(admin);
      assert.deepEqual(
        changes.map(({ batch_id, via }) => [batch_id, via]),
        changes.map(() => [1, 'api']),
      );
    },
  );

  longTest('updates what is there, and has no batch where nothing was changed', async (t) => {
    const { api } = await startService(t);
    await importText(api, 'name,phone\nChez Nous,1\nLe Coin,2\n');
    const second = await importText(api, 'name,phone\nChez Nous,9\nLe Coin,2\n');
    assert.deepEqual(second.body, { ...NOTHING, batch_id: 2, updated: 1, unchanged: 1 });
    const third = await importText(api, 'name,phone\nChez Nous,9\nLe Coin,2\n');
    assert.deepEqual([third.body, third.headers.get('change')], [{ ...NOTHING, unchanged: 2 }, null]);
  });

  longTest('is undone as a whole, with the categories and food types that it made', async (t) => {
    const { api } = await startService(t);
    const lookups = async (): Promise<unknown> =>
      Promise.all(['/categories', '/food-types'].map(async (path) => (await api.get(path)).body));
    const before = await lookups();
    const { body } = await importText(
      api,
      'name,category,food_types\nA,Nordic,"Nettles, Moss"\nB,Nordic,Moss\n',
    );
    assert.notDeepEqual(await lookups(), before);
    assert.equal((await api.post(`/batches/${batchOf(body)}/revert`, {})).status, 200);
    assert.deepEqual([await lookups(), (await api.get('/restaurants')).body], [before, []]);
  });

  longTest('lists the first hundred faults, and counts all', async (t) => {
    const { api } = await startService(t);
    const { body } = await importText(api, `name,phone\n${',1\n'.repeat(250)}`);
    const faults = array(field(body, 'faults'));
    assert.deepEqual([field(body, 'failed'), faults.length], [250, 100]);
  });

  const named: readonly (readonly [filename: string, content: string])[] = [
    ['places.CSV', 'name\nSakura 1\n'],
    ['places.tsv', 'name\tphone\nSakura 2\t1\n'],
    ['places.ndjson', '{"name":"Sakura 3"}\n'],
    ['places.jsonl', '{"name":"Sakura 4"}\n'],
    ['Saved Places.json', SAVED],
    ['Want to go.csv', 'Title,Note,URL\nSakura 6,by the window,https://maps.google.com/?cid=1\n'],
  ];
  longTest('reads a file under the name that it has', async (t) => {
    const { api } = await startService(t);
    for (const [index, [filename, content]] of named.entries()) {
      const { body } = await importText(api, content, {}, { filename });
      assert.equal(field(body, 'created'), 1, filename);
      const made = (await api.get(`/restaurants/${index + 1}`)).body;
      assert.equal(field(made, 'name'), `Sakura ${index + 1}`, filename);
    }
  });

  longTest('reads a file of any name in the format and encoding that are named', async (t) => {
    const { api } = await startService(t);
    const texts = { format: 'csv', encoding: 'windows-1252' };
    const content = Buffer.from('name\nCaf\xe9 \x80\n', 'latin1');
    await importText(api, content, texts, { filename: 'export.dat' });
    assert.equal(field((await api.get('/restaurants/1')).body, 'name'), 'Café €');
  });

  longTest('has a fault for a file that is not in its format', async (t) => {
    const { api } = await startService(t);
    const { status, body } = await importText(api, 'no table', { format: 'geojson' });
    const [fault] = array(field(body, 'faults'));
    assert.deepEqual([status, field(body, 'failed'), field(fault, 'line')], [200, 1, 1]);
  });
});

test('ratings that an import by HTTP brings have no author', async (t) => {
  const { admin } = await startWorld(t);
  const content = JSON.stringify({ name: 'A', ratings: [ratingOf(1)] });
  assert.equal((await importText(admin, content, {}, { filename: 'a.ndjson' })).status, 200);
  const [rating] = array(field((await admin.get('/restaurants/1?include=ratings')).body, 'ratings'));
  assert.deepEqual([field(rating, 'comment'), field(rating, 'author')], ['Good soup', null]);
});

describe('a dry run of an import by HTTP', () => {
  longTest('tells what would become of the rows, and writes nothing', async (t) => {
    const { api, folder } = await startService(t);
    await importText(api, 'name\nChez Nous\n');
    const rows = (): unknown =>
      ['restaurants', 'categories', 'batches', 'changes', 'idempotency_keys'].map((table) =>
        readStored(folder, `SELECT * FROM ${table}`),
      );
    const before = rows();
    const content = 'name,category\nChez Nous,Nordic\nLe Coin,Nordic\nLe Coin,\n';
    const { body, headers } = await importText(
      api,
      content,
      { dry_run: 'true' },
      { 'Idempotency-Key': 'dry' },
    );
    const faults = [
      { line: 4, name: 'Le Coin', code: 'same_line', reason: 'the same restaurant as on line 3' },
    ];
    const result = { ...NOTHING, dry_run: true, created: 1, updated: 1, failed: 1, faults };
    assert.deepEqual([body, headers.get('change')], [result, null]);
    assert.deepEqual([rows(), spooled(folder)], [before, []]);
    const real = await importText(api, content);
    assert.deepEqual(real.body, { ...result, dry_run: false, batch_id: 2 });
  });

  longTest(
    'of many slices knows the lines of the earlier ones, and lets others write between them',
    async (t) => {
      const { api, folder } = await startService(t);
      await createRestaurants(api, [{ name: 'Place 1' }]);
      const places = Array.from({ length: 150 }, (_, index) =>
        JSON.stringify({
          name: `Place ${index}`,
          phone: '1',
          category: 'New',
          external_ids: { osm: `N${index + 1}` },
        }),
      );
      const again = places.map((line) => line.replace('Place', 'Other'));
      const types = ['category', 'food_type'].map((type) => JSON.stringify({ type, name: 'New' }));
      const content = [...types.slice(1), ...places, ...again, ...types].join('\n');
      const filename = 'many.ndjson';
      const [dry, ...meanwhile] = await Promise.all([
        importText(api, content, { dry_run: 'true' }, { filename }),
        ...Array.from({ length: 5 }, (_, index) => api.post('/restaurants', { name: `Meanwhile ${index}` })),
      ]);
      assert.ok(meanwhile.every(({ status }) => status === 201));
      const counted = ({ body }: Answer): unknown[] =>
        ['created', 'updated', 'unchanged', 'failed', 'faults'].map((name) => field(body, name));
      assert.deepEqual(counted(dry).slice(0, 4), [150, 1, 2, 150]);
      assert.equal(readStored(folder, 'SELECT 1 FROM restaurants').length, 6);
      assert.deepEqual(counted(await importText(api, content, {}, { filename })), counted(dry));
    },
  );
});

describe('who may import by HTTP', () => {
  longTest(
    'are administrators, with a session or an API token, and others if they import saved places',
    async (t) => {
      const { owner, admin, service, people } = await startWorld(t, LOCAL);
      const refused = await importText(owner, PLACES);
      const error =
        'Only administrators may import such a file; others import saved places of Google Takeout, KML and GPX';
      assert.deepEqual([refused.status, refused.body], [403, { error }]);
      assert.equal((await importText(service.api, PLACES)).status, 401);
      const made = field((await admin.post('/auth/tokens', { name: 'script' })).body, 'token');
      const headers = { Authorization: `Bearer ${String(made)}` };
      assert.equal((await importText(service.api, 'name\nA\n', {}, headers)).status, 200);
      const [change] = await allChanges(admin);
      assert.deepEqual(field(change?.['actor'], 'id'), people.admin.id);
    },
  );

  test('is nobody on a replica', async (t) => {
    const { folder, stop } = await startService(t);
    await stop();
    const { api } = await startService(t, { READ_ONLY: 'true', DATA_DIR: folder });
    assert.equal((await importText(api, PLACES)).status, 503);
  });
});

describe('a form of an import that is refused', () => {
  const file = { name: 'file', filename: 'a.csv', content: 'name\nA\n' };
  const formats = 'format must be one of csv, ndjson, json, geojson, kml, gpx, zip';
  const forms: readonly (readonly [title: string, body: Buffer, error: string])[] = [
    ['no file', form(...textParts({ format: 'csv' })), 'file is required'],
    ['an empty file', form({ ...file, content: '' }), 'file is required'],
    ['text for a file', form({ name: 'file', content: 'name\nA\n' }), 'file must be a file'],
    ['two files', form(file, file), 'file must be given once'],
    ['a file by another name', form({ ...file, name: 'data' }), 'the file must be in the field file'],
    ['an unknown format', form(file, ...textParts({ format: 'xls' })), formats],
    ['two formats', form(file, ...textParts({ format: 'csv' }), ...textParts({ format: 'csv' })), formats],
    [
      'several faults',
      form(file, ...textParts({ dry_run: 'yes', encoding: 'x' })),
      'encoding must be the label of an encoding, such as utf-8, windows-1252 or shift_jis; dry_run must be one of true, false',
    ],
  ];
  test('says why, and leaves nothing', async (t) => {
    const { api, folder } = await startService(t);
    for (const [title, body, error] of forms) {
      const answer = await sendImport(api, body);
      assert.deepEqual([answer.status, answer.body], [400, { error }], title);
      assert.deepEqual([spooled(folder), (await api.get('/restaurants')).body], [[], []], title);
    }
  });

  longTest('is that with an unknown field where it is strict, and is warned of it else', async (t) => {
    const { api } = await startService(t);
    const texts = { dryrun: 'true' };
    const strict = await importText(api, 'name\nA\n', texts, { Prefer: 'handling=strict' });
    const error = 'unknown field dryrun; did you mean dry_run?';
    assert.deepEqual([strict.status, strict.body], [400, { error }]);
    const warned = await importText(api, 'name\nA\n', texts);
    assert.deepEqual([warned.status, warned.headers.get('catalogue-warning')], [200, error]);
  });
});
