import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { type Ended, runCommand, runOn } from '../support/cli.ts';
import { type Client, array, field } from '../support/client.ts';
import { LOCAL, type Person, makeAdmin, readStored, signUp } from '../support/people.ts';
import { startService } from '../support/service.ts';

// In the form of Takeout, with places that are made up.
const LIST = `Title,Note,URL,Tags,Comment
Chez Nous,window seat,https://www.google.com/maps/place/Chez+Nous/data=!4m2!3m1!1s0x1:0x2,,
,,"https://www.google.com/maps/place/Bar+B/@48.5,2.25,17z",,
Le Bac,,https://maps.google.com/?cid=3,,ask for Anna
`;
const SAVED = JSON.stringify({
  type: 'FeatureCollection',
  features: [
    {
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [2.25, 48.5] },
      properties: {
        date: '2023-01-02T03:04:05Z',
        google_maps_url: 'http://maps.google.com/?cid=2',
        location: { name: 'Sakura', address: '2 Rue' },
        Comment: 'birthday',
      },
    },
  ],
});

interface World {
  readonly folder: string;
  readonly alice: Person;
  readonly bob: Person;
  /** Imports a file of this name. */
  readonly take: (name: string, content: string, ...args: readonly string[]) => Promise<Ended>;
}

async function startWithPeople(t: TestContext): Promise<World> {
  const service = await startService(t, LOCAL);
  const [alice, bob] = [await signUp(service, 'alice'), await signUp(service, 'bob')];
  return { folder: service.folder, alice, bob, take: importer(service.folder) };
}

function importer(folder: string): World['take'] {
  return (name, content, ...args) => {
    writeFileSync(join(folder, name), content);
    return runOn(folder, 'import', join(folder, name), ...args);
  };
}

/** The items of a list: the names of the restaurants, with their notes. */
async function itemsOf(api: Client, name: string): Promise<unknown[]> {
  const list = array((await api.get('/lists')).body).find((one) => field(one, 'name') === name);
  const { body } = await api.get(`/lists/${String(field(list, 'id'))}/items`);
  return array(body).map((item) => [field(field(item, 'restaurant'), 'name'), field(item, 'note')]);
}

describe('catalogue import --user', () => {
  const ITEMS = [
    ['Chez Nous', 'window seat'],
    ['Bar B', null],
    ['Le Bac', 'ask for Anna'],
  ];
  const names: readonly [string, string][] = [
    ['Want to go.csv', 'Want to go'],
    ['Favorite places.csv', 'Favourites'],
    ['Best of Paris.csv', 'Best of Paris'],
    [`${'x'.repeat(120)}.csv`, 'x'.repeat(100)],
  ];
  test('makes the list that the name of the file says, and the second time changes nothing', async (t) => {
    const { alice, bob, take } = await startWithPeople(t);
    for (const [index, [file, list]] of names.entries()) {
      const { out, err } = await take(file, LIST, '--user', alice.email);
      const counts = index === 0 ? '3 created, 0 updated, 0 unchanged' : '0 created, 3 updated, 0 unchanged';
      assert.ok(out.startsWith(`3 rows: ${counts}, 0 failed\n`), out + err);
      assert.deepEqual(await itemsOf(alice.api, list), ITEMS);
    }
    const { out } = await take('Favourites.csv', LIST, '--user', alice.email);
    assert.equal(out, '3 rows: 0 created, 0 updated, 3 unchanged, 0 failed\n');
    assert.deepEqual(await itemsOf(alice.api, 'Favourites'), ITEMS);
    const others = array((await bob.api.get('/lists')).body);
    assert.deepEqual(
      others.map((one) => field(one, 'item_count')),
      [0, 0],
    );
  });

  test('makes Saved Places.json a list of that name, with the moments at which they were saved', async (t) => {
    const { alice, take } = await startWithPeople(t);
    for (const unchanged of [0, 1]) {
      const { out } = await take('Saved Places.json', SAVED, '--user', alice.email);
      assert.match(out, new RegExp(`^1 row: ${1 - unchanged} created, 0 updated, ${unchanged} unchanged`));
      assert.deepEqual(await itemsOf(alice.api, 'Saved Places'), [['Sakura', 'birthday']]);
    }
    const list = array((await alice.api.get('/lists')).body)[2];
    const { body } = await alice.api.get(`/lists/${String(field(list, 'id'))}/items`);
    assert.equal(field(array(body)[0], 'created_at'), '2023-01-02T03:04:05.000Z');
  });

  test('shows list and notes to no one else, administrators included, not even in restaurants and batches', async (t) => {
    const service = await startService(t, LOCAL);
    const [alice, bob] = [await signUp(service, 'alice'), await signUp(service, 'bob')];
    makeAdmin(service, bob);
    const take = importer(service.folder);
    await take('Best of Paris.csv', LIST, '--user', alice.email);
    await take('Saved Places.json', SAVED, '--user', alice.email);
    const paths = ['/restaurants', '/changes?since=start', '/lists', '/restaurants/1/history', '/batches'];
    const answers = await Promise.all(paths.map((path) => bob.api.get(path)));
    const printed = await Promise.all([
      runOn(service.folder, 'export', '-', '--format', 'ndjson'),
      runOn(service.folder, 'changes', '--since', 'start', '--json'),
    ]);
    const texts = [...answers.map(({ body }) => JSON.stringify(body)), ...printed.map(({ out }) => out)];
    for (const text of texts)
      assert.doesNotMatch(text, /window seat|ask for Anna|birthday|Saved Places|Best of/);
    assert.match(texts[0] ?? '', /Chez Nous/);
    assert.match(texts[4] ?? '', /"id":2/);
  });

  test('leaves alone what its owner has noted since, where the file has no note', async (t) => {
    const { alice, take } = await startWithPeople(t);
    await take('Want to go.csv', LIST, '--user', alice.email);
    await alice.api.put('/lists/want/items/2', { note: 'mine' });
    const { out } = await take('Want to go.csv', LIST, '--user', alice.email);
    assert.match(out, / 3 unchanged, 0 failed/);
    assert.deepEqual((await itemsOf(alice.api, 'Want to go'))[1], ['Bar B', 'mine']);
  });

  test('is one batch: its revert removes the restaurants, the list and its items', async (t) => {
    const { alice, folder, take } = await startWithPeople(t);
    await take('Best of Paris.csv', LIST, '--user', alice.email);
    const { code, err } = await runOn(folder, 'revert', '--batch', '1');
    assert.equal(code, 0, err);
    assert.deepEqual(array((await alice.api.get('/restaurants')).body), []);
    assert.equal(array((await alice.api.get('/lists')).body).length, 2);
    assert.deepEqual(readStored(folder, 'SELECT * FROM list_items'), []);
  });

  test('makes the lists of the placeholder, who has no email, those of everyone without accounts', async (t) => {
    const { api, folder } = await startService(t);
    const { err } = await importer(folder)('Want to go.csv', LIST, '--user', 'placeholder');
    assert.match(err, /^saved places and their notes go on: Want to go\nread as /);
    assert.deepEqual(await itemsOf(api, 'Want to go'), ITEMS);
    const variables = { ...LOCAL, DATA_DIR: folder };
    const withAccounts = await runCommand(
      ['import', join(folder, 'Want to go.csv'), '--user', 'placeholder'],
      { variables },
    );
    assert.match(withAccounts.err, /\nno account has that list: placeholder is the user of AUTH_MODE=none\n/);
  });

  test('cuts a note that is too long, and says so', async (t) => {
    const { alice, take } = await startWithPeople(t);
    const long = `Title,Note,URL\nA,${'x'.repeat(1_001)},\nB,,\n`;
    const { code, err } = await take('Want to go.csv', long, '--user', alice.email);
    assert.deepEqual(
      [code, ...err.split('\n').slice(0, 2)],
      [0, 'saved places and their notes go on: Want to go', 'cut to 1000 characters: 1 note'],
    );
    assert.deepEqual(await itemsOf(alice.api, 'Want to go'), [
      ['A', 'x'.repeat(1_000)],
      ['B', null],
    ]);
  });

  test('says that a file without saved places has changed no list', async (t) => {
    const { alice, take } = await startWithPeople(t);
    const { code, out, err } = await take('plain.csv', 'name,note\nA,public\n', '--user', alice.email);
    assert.deepEqual([code, out.startsWith('1 row: 1 created')], [0, true]);
    assert.match(err, /^no list was changed: the file has no saved places\n/);
    assert.equal(array((await alice.api.get('/lists')).body).length, 2);
  });

  test('refuses an unknown user, and a list without a name, and imports nothing', async (t) => {
    const { folder, take } = await startWithPeople(t);
    const unknown = await take('Want to go.csv', LIST, '--user', 'eve@example.com');
    assert.deepEqual([unknown.code, unknown.err], [1, 'there is no user with the email eve@example.com\n']);
    const nameless = await runCommand(['import', '-', '--format', 'csv', '--user', 'alice@example.com'], {
      variables: { DATA_DIR: folder },
      input: LIST,
    });
    assert.equal(nameless.code, 2);
    assert.match(nameless.err, /--user needs the name of a file, which is the name of the list/);
    assert.deepEqual(readStored(folder, 'SELECT id FROM restaurants'), []);
  });
});

describe('catalogue import of a list of Google Takeout without --user', () => {
  test('leaves out the notes, which are private, and says so', async (t) => {
    const { alice, take } = await startWithPeople(t);
    const { err } = await take('Want to go.csv', LIST);
    assert.match(err, /\nnote: left out: it is private, and goes on a list with --user, in \d rows? /);
    assert.equal(field((await alice.api.get('/restaurants/1')).body, 'description'), null);
    assert.deepEqual(await itemsOf(alice.api, 'Want to go'), []);
  });
});
