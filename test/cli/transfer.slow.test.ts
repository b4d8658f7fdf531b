import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { rate } from '../support/catalogue.ts';
import { madeIn, runCommand, runOn } from '../support/cli.ts';
import { array, field } from '../support/client.ts';
import { cuisineWorld } from '../support/cuisines.ts';
import { startService } from '../support/service.ts';

const CSV = `name,address,town,cuisine,latitude,longitude,phone,website
Café A,1 Rue,Paris,"Modern, French",48.5,2.5,+331,https://a.example
Bar B,2 Rue,Paris,Pizza,,,,
`;

/** The way to undo an import that changed something. */
function batchLine(id: number): string {
  return `This is batch ${id}; to undo it: catalogue revert --batch ${id}\n`;
}

describe('catalogue import', () => {
  test('takes a file in, and changes nothing the second time', async (t) => {
    const { file, run, folder } = cuisineWorld(t);
    const path = file('a.csv', CSV);
    const first = await run('import', path);
    assert.deepEqual(first, {
      code: 0,
      out: `2 rows: 2 created, 0 updated, 0 unchanged, 0 failed\n${batchLine(1)}`,
      err: `${madeIn(join(folder, 'data'))}read as csv\ncolumns taken for fields: town (city)\n`,
    });
    assert.equal((await run('import', path)).out, '2 rows: 0 created, 0 updated, 2 unchanged, 0 failed\n');
    const { api } = await startService(t, { DATA_DIR: join(folder, 'data') });
    const { body } = await api.get('/restaurants/1');
    assert.equal(field(field(body, 'category'), 'name'), 'Modern');
    assert.deepEqual(
      array(field(body, 'food_types')).map((record) => field(record, 'name')),
      ['French', 'Modern'],
    );
    assert.deepEqual([field(body, 'latitude'), field(body, 'phone')], [48.5, '+331']);
  });

  test('updates what is there already, by place id or by name and address, and wipes nothing out', async (t) => {
    const { file, run, folder } = cuisineWorld(t);
    const columns = 'name,address,google_place_id,phone';
    await run('import', file('a.csv', `${columns}\nA,X,p1,1\nB,Y,,2\n`));
    const { out } = await run('import', file('b.csv', `${columns}\nA2,,p1,\nb,y,,3\n`));
    assert.equal(out, `2 rows: 0 created, 2 updated, 0 unchanged, 0 failed\n${batchLine(2)}`);
    const { api } = await startService(t, { DATA_DIR: join(folder, 'data') });
    const found = array((await api.get('/restaurants')).body);
    assert.deepEqual(
      found.map((one) => ['name', 'address', 'phone'].map((name) => field(one, name))),
      [
        ['b', 'y', '3'],
        ['A2', 'X', '1'],
      ],
    );
  });

  test('reports each bad row with its line and reasons, takes the rest, and exits with 1', async (t) => {
    const { file, run, folder } = cuisineWorld(t);
    const rows = ['A,91,x,', ',1,1,', 'B,1,1,Ok', 'b,1,1,Other', `C,,,${'x'.repeat(101)}`];
    const bad = file('bad.csv', `name,latitude,longitude,cuisine\n${rows.join('\n')}\n`);
    const { code, out, err } = await run('import', bad);
    const summary = '5 rows: 3 created, 0 updated, 0 unchanged, 2 failed\n';
    assert.deepEqual([code, out], [1, summary + batchLine(1)]);
    assert.deepEqual(err.trimEnd().split('\n'), [
      madeIn(join(folder, 'data')).trimEnd(),
      'line 3: a place without a name at 1,1',
      'line 5: the same restaurant as on line 4',
      'read as csv',
      'position: not a position, in 1 row (first on line 2: 91, x)',
      `cuisine: too long, and shortened or left out, in 1 row (first on line 6: ${'x'.repeat(100)})`,
    ]);
    assert.equal((await run('export', '-', '--format', 'ndjson')).out.includes('Other'), false);
  });

  test('changes nothing in a dry run, in a new data folder as in an old one', async (t) => {
    const { file, run, folder } = cuisineWorld(t);
    const path = file('a.csv', CSV);
    assert.equal(
      (await run('import', path, '--dry-run')).out,
      '2 rows: 2 created, 0 updated, 0 unchanged, 0 failed\nDry run: nothing was changed.\n',
    );
    assert.equal(existsSync(join(folder, 'data')), false);
    await run('import', file('b.csv', 'name,address\nCafé A,"1 Rue, Paris"\n'));
    const before = (await run('export', '-', '--format', 'ndjson')).out;
    const scratch = join(folder, 'scratch');
    mkdirSync(scratch);
    const variables = { DATA_DIR: join(folder, 'data'), TMPDIR: scratch };
    const dry = await runCommand(['import', path, '--dry-run'], { variables });
    assert.match(dry.out, /^2 rows: 1 created, 1 updated, 0 unchanged, 0 failed\n/);
    const left = readdirSync(scratch).filter((name) => name.startsWith('catalogue'));
    assert.deepEqual(left, [], 'the copy that it works on is gone');
    assert.equal((await run('export', '-', '--format', 'ndjson')).out, before);
  });

  test('of a file that is not there fails in one line and makes nothing', async (t) => {
    const { run, folder } = cuisineWorld(t);
    const { code, err } = await run('import', join(folder, 'none.csv'));
    assert.equal(code, 1);
    assert.match(err, /^cannot read \S+none\.csv: there is no such file or folder\n$/);
    assert.equal(existsSync(join(folder, 'data')), false);
  });
});

describe('catalogue export', () => {
  for (const format of ['csv', 'ndjson', 'geojson', 'kml'])
    test(`as ${format} is what the service sends, and makes the same catalogue in an empty one`, async (t) => {
      const { folder, file, run } = cuisineWorld(t);
      const { api, url, stop } = await startService(t, { DATA_DIR: join(folder, 'data') });
      await api.post('/categories', { name: 'Unused, "quoted"' });
      const full = {
        name: '=Full',
        description: 'two\nlines & "quotes"',
        address: 'É, 1',
        phone: '+1',
        website: 'https://a.example',
        latitude: -1.5,
        longitude: 2,
        google_place_id: 'p',
        category_id: 11,
        food_type_ids: [1, 2],
        status: 'closed',
      };
      for (const body of [full, { name: 'Bare' }, { name: 'Bare', latitude: 1, longitude: 1 }])
        assert.equal((await api.post('/restaurants', body)).status, 201);
      for (const value of [5, 1, 5]) await rate(api, 1, value);
      const sent = await fetch(`${url}/api/export?format=${format}`);
      const bytes = Buffer.from(await sent.arrayBuffer());
      await stop();
      const path = file(`export.${format}`, 'old');
      const said = `3 restaurants written to ${path}\n`;
      assert.deepEqual(await run('export', path, '--force'), { code: 0, out: '', err: said });
      assert.deepEqual(readFileSync(path), bytes);
      // It has names, addresses, descriptions and points alone.
      if (format === 'kml') return;
      const copy = join(folder, 'copy');
      assert.equal((await runOn(copy, 'import', path)).code, 0);
      const again = await runOn(copy, 'import', path);
      assert.match(again.out, / 0 created, 0 updated, \d+ unchanged, 0 failed/);
      await runOn(copy, 'export', join(folder, `again.${format}`));
      assert.equal(readFileSync(join(folder, `again.${format}`), 'utf8'), readFileSync(path, 'utf8'));
      const copied = await startService(t, { DATA_DIR: copy });
      const [found] = array((await copied.api.get('/restaurants?q=full')).body);
      assert.equal(field(found, 'name'), '=Full');
      assert.equal(field(field(found, 'avg_rating'), 'count'), format === 'csv' ? 0 : 3);
    });

  test('replaces an existing file only with --force, and says how many restaurants it wrote', async (t) => {
    const { file, run } = cuisineWorld(t);
    await run('import', file('one.csv', 'name\nA\n'));
    const path = file('taken.csv', 'mine');
    const refused = await run('export', path);
    assert.deepEqual(refused, { code: 1, out: '', err: `${path} exists; --force replaces it\n` });
    assert.equal(readFileSync(path, 'utf8'), 'mine');
    assert.equal((await run('export', path, '--force')).code, 0);
    const { out, err } = await run('export', '-', '--format', 'csv');
    assert.deepEqual([out, err], [readFileSync(path, 'utf8'), '1 restaurant written to standard output\n']);
  });

  test('that cannot be written fails in one line and leaves nothing behind', async (t) => {
    const { file, run, folder } = cuisineWorld(t);
    await run('import', file('none.csv', 'name\nA\n'));
    const { code, err } = await run('export', join(folder, 'none', 'a.csv'));
    assert.equal(code, 1);
    assert.match(err, /^export failed: \S+a\.csv\.partial: there is no such file or folder\n$/);
    mkdirSync(join(folder, 'taken.csv'));
    assert.equal((await run('export', join(folder, 'taken.csv'), '--force')).code, 1);
    assert.deepEqual(readdirSync(folder).sort(), ['data', 'none.csv', 'taken.csv']);
  });
});
