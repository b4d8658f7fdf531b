import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { describe, test } from 'node:test';
import { openExistingStorage } from '../../src/storage/storage.ts';
import { exportText } from '../../src/transfer/export.ts';
import { createRestaurants } from '../support/catalogue.ts';
import { atEnd } from '../support/cleanup.ts';
import { type Client, array, field, record } from '../support/client.ts';
import { importText, linesOf } from '../support/imports.ts';
import { addItems, addRestaurants } from '../support/lists.ts';
import { changeStored } from '../support/people.ts';
import { type Service, startService } from '../support/service.ts';
import { longTest } from '../support/size.ts';
import { ratingOf, startWorld, views, withoutUpdates } from '../support/world.ts';

const FULL = {
  name: '=Chez "Nous" & 1 < 2',
  description: 'two\nlines, ]]> and 🍜',
  address: 'É, 1',
  phone: '+1',
  website: 'https://a.example/?a=1&b=2',
  latitude: -1.5,
  longitude: 2,
  status: 'temporarily_closed',
};
const TYPES = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  geojson: 'application/geo+json',
  kml: 'application/vnd.google-earth.kml+xml',
};
const FORMATS = ['csv', 'ndjson', 'geojson', 'kml'] as const;

async function fileOf(api: Client, query: string): Promise<string> {
  const { status, body } = await api.get(`/export?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/** The names in an export as NDJSON. */
async function namesOf(api: Client, query = ''): Promise<readonly unknown[]> {
  const text = await fileOf(api, `format=ndjson${query}`);
  const lines = text === '' ? [] : linesOf({ body: text });
  return lines.filter(({ type }) => type === undefined).map(({ name }) => name);
}

/** Makes a catalogue of so many places with long descriptions. */
async function fill({ api }: Service, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => `R ${index},${'long '.repeat(200)}\n`);
  const { body } = await importText(api, `name,description\n${rows.join('')}`);
  assert.equal(field(body, 'created'), count);
}

describe('GET /api/export', () => {
  longTest('sends a file of each format under a name, also where there is nothing', async (t) => {
    const { api } = await startService(t);
    for (const format of FORMATS) {
      const { status, headers, body } = await api.get(`/export?format=${format}`);
      const said = ['content-type', 'content-disposition'].map((name) => headers.get(name));
      assert.deepEqual(said, [TYPES[format], `attachment; filename="restaurants.${format}"`]);
      assert.equal(status, 200);
      const again = await importText(api, String(body), { format });
      // NDJSON has the categories at least.
      assert.equal(again.status, format === 'ndjson' ? 200 : 400, format);
    }
    const head = await api.send('/api/export?format=csv', { method: 'HEAD' });
    assert.deepEqual([head.status, head.body], [200, '']);
  });

  for (const format of FORMATS)
    longTest(`as ${format} makes the same places in another catalogue`, async (t) => {
      const [from, to] = [await startService(t), await startService(t)];
      const category = Number(field(array((await from.api.get('/categories')).body)[0], 'id'));
      const types = array((await from.api.get('/food-types')).body).slice(0, 2);
      const food_type_ids = types.map((type) => Number(field(type, 'id')));
      await createRestaurants(from.api, [
        { name: 'Bare' },
        { ...FULL, category_id: category, food_type_ids },
      ]);
      await from.api.post('/ratings', ratingOf(2, 'So "good"'));
      const { body } = await importText(to.api, await fileOf(from.api, `format=${format}&sort=name`), {
        format,
      });
      assert.deepEqual([field(body, 'created'), field(body, 'failed')], [2, 0]);
      const seen = async (api: Client): Promise<unknown> =>
        array(withoutUpdates((await api.get('/restaurants?sort=name')).body)).map((place) => {
          const { id: _id, avg_rating, ...others } = record(place);
          return { ...others, ...(format !== 'csv' && format !== 'kml' && { avg_rating }) };
        });
      assert.deepEqual(await seen(to.api), await seen(from.api));
    });

  test('as CSV begins with a byte order mark where a spreadsheet asks for it', async (t) => {
    const { url } = await startService(t);
    const bytes = async (query: string): Promise<Buffer> =>
      Buffer.from(await (await fetch(`${url}/api/export?${query}`)).arrayBuffer());
    assert.equal((await bytes('format=csv&bom=true')).toString().slice(0, 4), '\ufeffid,');
    for (const query of ['format=csv', 'format=csv&bom=false'])
      assert.equal((await bytes(query)).toString().slice(0, 3), 'id,');
    assert.equal((await bytes('format=kml&bom=true')).toString().slice(0, 2), '<?');
  });

  longTest('has the filters, the search and the order of lists', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [
      { name: 'Soup', latitude: 48.5, longitude: 2.25, category_id: 1 },
      { name: 'Bread', latitude: 10, longitude: 10, price_level: 2 },
      { name: 'Soup of the day', status: 'closed' },
    ]);
    await api.post('/suggestions', { name: 'Soup, suggested' });
    const queries: readonly (readonly [query: string, names: readonly string[]])[] = [
      ['', ['Soup', 'Bread', 'Soup of the day']],
      ['&sort=newest', ['Soup of the day', 'Bread', 'Soup']],
      ['&sort=name', ['Bread', 'Soup', 'Soup of the day']],
      ['&q=soup&sort=newest', ['Soup of the day', 'Soup']],
      ['&q=soup', ['Soup', 'Soup of the day']],
      ['&q=soup&include_suggestions=true', ['Soup', 'Soup of the day']],
      ['&category_id=1', ['Soup']],
      ['&bbox=0,0,20,20', ['Bread']],
      ['&status=closed', ['Soup of the day']],
      ['&price_level=2', ['Bread']],
      ['&lat=48.5&lng=2.25&radius=5', ['Soup']],
      ['&q=nothing', []],
    ];
    for (const [query, names] of queries) assert.deepEqual(await namesOf(api, query), names, query);
    assert.equal((await fileOf(api, 'format=ndjson&q=soup')).includes('"type"'), false, 'categories');
  });

  longTest('refuses a query that it does not understand', async (t) => {
    const { api } = await startService(t);
    const formats = 'format must be one of csv, ndjson, geojson, kml';
    for (const [query, error] of [
      ['', 'format is required'],
      ['?format=xlsx', formats],
      ['?format=csv&bbox=1', 'bbox must be 4 comma-separated numbers'],
    ] as const) {
      const { status, body } = await api.get(`/export${query}`);
      assert.equal(status, 400, query);
      assert.ok(String(field(body, 'error')).startsWith(error.slice(0, 15)), JSON.stringify(body));
    }
  });

  longTest('has a list for those who may read it, and nothing private', async (t) => {
    const { service, owner, other } = await startWorld(t);
    await addRestaurants(owner, 'A', 'B');
    await addItems(owner, 'want', [2]);
    await owner.put('/lists/want/items/2', { note: 'Xylophon' });
    await owner.post('/visits', { restaurant_id: 2, visited_on: '2026-01-01', note: 'Xylophon' });
    await owner.post('/ratings', ratingOf(1));
    assert.deepEqual(await namesOf(owner, '&list=want'), ['B']);
    assert.deepEqual(await namesOf(owner, '&visited=yes'), ['B']);
    assert.deepEqual(await namesOf(other, '&list=want'), []);
    assert.equal((await service.api.get('/export?format=csv&list=want')).status, 401);
    assert.equal((await other.get('/export?format=csv&list=999')).status, 404);
    const own = await owner.get('/export?format=csv&list=want');
    assert.equal(own.headers.get('cache-control'), 'private, no-store');
    for (const format of FORMATS) {
      const text = await fileOf(owner, `format=${format}`);
      assert.doesNotMatch(text, /Xylophon|alice|author/, format);
    }
  });

  longTest('changes nothing', async (t) => {
    const { owner } = await startWorld(t);
    await addRestaurants(owner, 'A', 'B');
    const before = await views(owner);
    for (const format of FORMATS) await fileOf(owner, `format=${format}`);
    assert.deepEqual(await views(owner), before);
  });
});

describe('an export of many places', () => {
  const MANY = 6_000;
  longTest(
    'is complete, holds up nobody, and waits in little memory for clients that do not read',
    async (t) => {
      const service = await startService(t);
      const { api } = service;
      await fill(service, MANY);
      const [names, meanwhile] = await Promise.all([namesOf(api, '&sort=name'), api.get('/restaurants/1')]);
      assert.deepEqual([new Set(names).size, meanwhile.status], [MANY, 200]);
      const { features } = record(JSON.parse(await fileOf(api, 'format=geojson')));
      assert.equal(array(features).length, MANY);

      const before = process.memoryUsage().rss;
      const addresses = Array.from({ length: 40 }, (_, index) => `127.0.1.${index + 1}`);
      const ask = (localAddress: string): Socket => {
        const reader = connect({ port: service.port, host: '127.0.0.1', localAddress });
        atEnd(t, () => reader.destroy());
        reader.write('GET /api/export?format=ndjson HTTP/1.1\r\nHost: x\r\n\r\n');
        return reader;
      };
      const readers = addresses.map(ask);
      for (const reader of readers) await once(reader, 'readable');
      assert.equal((await api.get('/restaurants/2')).status, 200);
      // The files of all of them have more than 350 MB.
      const held = process.memoryUsage().rss - before;
      assert.ok(held < 150_000_000, `${held} bytes`);

      // Of each address, one at a time.
      const some = addresses.slice(0, 5);
      const [gone, waiting] = [some.map(ask), some.map(ask)];
      await api.get('/restaurants/3');
      assert.ok([...gone, ...waiting].every(({ bytesRead }) => bytesRead === 0));
      for (const reader of [...gone, ...readers]) reader.destroy();
      for (const reader of waiting) await once(reader, 'readable');
      for (const reader of waiting) reader.destroy();
      assert.equal((await namesOf(api)).length, MANY);
      const failures = service.logs.filter((line) => JSON.stringify(line).includes('unexpected failure'));
      assert.deepEqual(failures, []);
    },
  );
});

describe('an export of a restaurant with many ratings', () => {
  const RATINGS = 250;
  const PIECE = 100_000;
  longTest('has all of them, in small pieces, and lets others write between them', async (t) => {
    const { api, folder } = await startService(t);
    await createRestaurants(api, [{ name: 'A' }, { name: 'B' }]);
    changeStored(
      folder,
      `INSERT INTO ratings (restaurant_id, food_rating, service_rating, ambiance_rating, comment, created_at, updated_at)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${RATINGS})
       SELECT 1, 1 + i % 5, 3, 5, i || ' ' || replace(hex(zeroblob(2490)), '0', '🍜'),
         '2026-01-01T00:00:' || printf('%02d', i / 50) || '.000Z', '' FROM n`,
    );
    const storage = openExistingStorage(folder);
    atEnd(t, storage.close);
    const rename = storage.connection.prepare("UPDATE restaurants SET name = name || '!' WHERE id = 2");
    const asked: readonly (readonly [
      format: 'ndjson' | 'geojson',
      line: (text: string) => string | undefined,
    ])[] = [
      ['ndjson', (text) => text.split('\n').at(-3)],
      ['geojson', (text) => text.split('\n').at(1)?.slice(0, -1)],
    ];
    for (const [format, line] of asked) {
      const pieces: string[] = [];
      for (const piece of exportText(format, storage.queries, false, () => undefined)) {
        // Fails while a statement is open.
        if (pieces.push(piece) % 100 === 0) rename.run();
        assert.ok(piece.length < PIECE, `${piece.length} characters`);
      }
      const [written, sent] = [pieces.join(''), await fileOf(api, `format=${format}`)].map((text) => {
        const found = record(JSON.parse(line(text) ?? ''));
        return array(record(found['properties'] ?? found)['ratings']);
      });
      const numbers = written?.map((rating) => parseInt(String(field(rating, 'comment')), 10));
      assert.deepEqual(
        numbers,
        Array.from({ length: RATINGS }, (_, index) => index + 1),
      );
      assert.deepEqual(sent, written);
    }
  });
});
