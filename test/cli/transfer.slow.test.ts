import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { atEnd } from '../support/cleanup.ts';
import { type Ended, madeIn, runCommand, startServerProcess } from '../support/cli.ts';
import { rate } from '../support/catalogue.ts';
import { array, field } from '../support/client.ts';
import { startService, temporaryFolder } from '../support/service.ts';

const CSV = `name,address,town,cuisine,latitude,longitude,phone,website
Café A,1 Rue,Paris,"Modern, French",48.5,2.5,+331,https://a.example
Bar B,2 Rue,Paris,Pizza,,,,
`;

/** The way to undo an import that changed something. */
function batchLine(id: number): string {
  return `This is batch ${id}; to undo it: catalogue revert --batch ${id}\n`;
}

function inFolder(t: TestContext): {
  folder: string;
  file: (name: string, content: string) => string;
  run: (...args: string[]) => Promise<Ended>;
} {
  const folder = temporaryFolder(t);
  const file = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const run = (...args: string[]): Promise<Ended> =>
    runCommand(args, { variables: { DATA_DIR: join(folder, 'data') } });
  return { folder, file, run };
}

describe('catalogue import', () => {
  test('takes a file in, and changes nothing the second time', async (t) => {
    const { file, run, folder } = inFolder(t);
    const path = file('a.csv', CSV);
    const first = await run('import', path);
    assert.deepEqual(first, {
      code: 0,
      out: `2 rows: 2 created, 0 updated, 0 unchanged, 0 failed\n${batchLine(1)}`,
      err: `${madeIn(join(folder, 'data'))}columns left out: town\n`,
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
    const { file, run, folder } = inFolder(t);
    await run('import', file('a.csv', `name,address,google_place_id,phone\nA,X,p1,1\nB,Y,,2\n`));
    const { out } = await run(
      'import',
      file('b.csv', `name,address,google_place_id,phone\nA2,,p1,\nb,y,,3\n`),
    );
    assert.equal(out, `2 rows: 0 created, 2 updated, 0 unchanged, 0 failed\n${batchLine(2)}`);
    const { api } = await startService(t, { DATA_DIR: join(folder, 'data') });
    const [second, first] = array((await api.get('/restaurants')).body);
    assert.deepEqual(
      ['name', 'address', 'phone'].map((name) => field(first, name)),
      ['A2', 'X', '1'],
    );
    assert.deepEqual(
      ['name', 'address', 'phone'].map((name) => field(second, name)),
      ['b', 'y', '3'],
    );
  });

  test('reports each bad row with its line and reasons, takes the rest, and exits with 1', async (t) => {
    const { file, run, folder } = inFolder(t);
    const { code, out, err } = await run(
      'import',
      file(
        'bad.csv',
        `name,latitude,longitude,cuisine\nA,91,x,\n,1,1,\nB,1,1,Ok\nb,1,1,Other\nC,,,${'x'.repeat(101)}\n`,
      ),
    );
    const summary = '5 rows: 1 created, 0 updated, 0 unchanged, 4 failed\n';
    assert.deepEqual([code, out], [1, summary + batchLine(1)]);
    assert.deepEqual(err.trimEnd().split('\n'), [
      madeIn(join(folder, 'data')).trimEnd(),
      'line 2: latitude must be between -90 and 90; longitude must be a number',
      'line 3: name is required',
      'line 5: the same restaurant as on line 4',
      'line 6: category: name must be at most 100 characters; food type: name must be at most 100 characters',
    ]);
    assert.equal((await run('export', '-', '--format', 'ndjson')).out.includes('Other'), false);
  });

  test('refuses lists that are none, instead of losing them', async (t) => {
    const { file, run, folder } = inFolder(t);
    const line = '{"name":"S","food_types":"Pizza","ratings":{"x":1}}';
    const { code, err } = await run('import', file('a.ndjson', line));
    const expected = 'line 1: food_types must be an array; ratings must be an array\n';
    assert.deepEqual([code, err], [1, madeIn(join(folder, 'data')) + expected]);
  });

  test('changes nothing in a dry run, in a new data folder as in an old one', async (t) => {
    const { file, run, folder } = inFolder(t);
    const path = file('a.csv', CSV);
    assert.equal(
      (await run('import', path, '--dry-run')).out,
      '2 rows: 2 created, 0 updated, 0 unchanged, 0 failed\nDry run: nothing was changed.\n',
    );
    assert.equal(existsSync(join(folder, 'data')), false);
    await run('import', file('b.csv', 'name,address\nCafé A,1 Rue\n'));
    const before = (await run('export', '-', '--format', 'ndjson')).out;
    assert.match(
      (await run('import', path, '--dry-run')).out,
      /^2 rows: 1 created, 1 updated, 0 unchanged, 0 failed\n/,
    );
    assert.equal((await run('export', '-', '--format', 'ndjson')).out, before);
  });

  test('reads standard input', async (t) => {
    const variables = { DATA_DIR: temporaryFolder(t) };
    const { code, out } = await runCommand(['import', '-', '--format', 'ndjson'], {
      variables,
      input: '{"name":"A"}\n',
    });
    const summary = '1 row: 1 created, 0 updated, 0 unchanged, 0 failed\n';
    assert.deepEqual([code, out], [0, summary + batchLine(1)]);
  });

  test('of a file that is not there fails in one line and makes nothing', async (t) => {
    const { run, folder } = inFolder(t);
    const { code, err } = await run('import', join(folder, 'none.csv'));
    assert.equal(code, 1);
    assert.match(err, /^cannot read \S+none\.csv: there is no such file or folder\n$/);
    assert.equal(existsSync(join(folder, 'data')), false);
  });

  test('works while the service runs, which shows what came in', async (t) => {
    const { file, run, folder } = inFolder(t);
    const { api } = await startServerProcess(t, { DATA_DIR: join(folder, 'data') });
    const rows = Array.from({ length: 1_000 }, (_, index) => `R ${index}`).join('\n');
    const [{ code }, answers] = await Promise.all([
      run('import', file('many.csv', `name\n${rows}\n`)),
      Promise.all(
        Array.from({ length: 100 }, (_, index) => api.post('/restaurants', { name: `Own ${index}` })),
      ),
    ]);
    assert.deepEqual([code, answers.every(({ status }) => status === 201)], [0, true]);
    assert.equal(field((await api.get('/restaurants/paginated?limit=1')).body, 'total'), 1_100);
  });

  test('killed in the middle leaves a sound database that takes the file again, and a batch of what went in', async (t) => {
    const { file, folder, run } = inFolder(t);
    const rows = Array.from(
      { length: 6_000 },
      (_, index) => `R ${index},Street ${index},"Kind ${index % 50}, Other"`,
    );
    const path = file('many.csv', `name,address,cuisine\n${rows.join('\n')}\n`);
    await run('import', file('none.csv', 'name\n'));
    const database = new Database(join(folder, 'data', 'catalogue.db'));
    atEnd(t, () => database.close());
    const count = (): number =>
      database.prepare<[], { n: number }>('SELECT count(*) AS n FROM restaurants').get()?.n ?? 0;
    const abort = new AbortController();
    const killed = runCommand(['import', path], {
      variables: { DATA_DIR: join(folder, 'data') },
      killSignal: abort.signal,
    });
    while (count() === 0) await pause(5);
    abort.abort();
    assert.equal((await killed).code, null);
    const stored = count();
    assert.ok(stored > 0 && stored < 6_000, `${stored} rows`);
    assert.equal(database.pragma('integrity_check', { simple: true }), 'ok');
    assert.deepEqual(database.pragma('foreign_key_check'), []);
    assert.equal(
      (await run('import', path)).out,
      `6000 rows: ${6_000 - stored} created, 0 updated, ${stored} unchanged, 0 failed\n${batchLine(2)}`,
    );
    for (const batch of ['2', '1']) assert.equal((await run('revert', '--batch', batch)).code, 0);
    assert.equal(count(), 0);
  });
});

describe('catalogue export', () => {
  for (const format of ['csv', 'ndjson', 'geojson'])
    test(`as ${format} makes the same catalogue when it is imported into an empty one`, async (t) => {
      const { folder, file, run } = inFolder(t);
      const { api, stop } = await startService(t, { DATA_DIR: join(folder, 'data') });
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
      await stop();
      const path = file(`export.${format}`, 'old');
      assert.deepEqual(await run('export', path), { code: 0, out: '', err: '' });
      const copy = join(folder, 'copy');
      const variables = { DATA_DIR: copy };
      assert.equal((await runCommand(['import', path], { variables })).code, 0);
      assert.match(
        (await runCommand(['import', path], { variables })).out,
        / 0 created, 0 updated, \d+ unchanged, 0 failed/,
      );
      await runCommand(['export', join(folder, `again.${format}`)], { variables });
      assert.equal(readFileSync(join(folder, `again.${format}`), 'utf8'), readFileSync(path, 'utf8'));
      const copied = await startService(t, { DATA_DIR: copy });
      const [bare] = array((await copied.api.get('/restaurants?q=full')).body);
      assert.equal(field(bare, 'name'), '=Full');
      const expected = format === 'csv' ? 0 : 3;
      assert.equal(field(field(bare, 'avg_rating'), 'count'), expected);
    });

  test('that cannot be written fails in one line and leaves nothing behind', async (t) => {
    const { file, run, folder } = inFolder(t);
    await run('import', file('none.csv', 'name\n'));
    const { code, err } = await run('export', join(folder, 'none', 'a.csv'));
    assert.equal(code, 1);
    assert.match(err, /^export failed: \S+a\.csv\.partial: there is no such file or folder\n$/);
  });
});
