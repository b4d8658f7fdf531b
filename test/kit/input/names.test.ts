import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Client, field } from '../../support/client.ts';
import { importText } from '../../support/imports.ts';
import { readStored, signUp } from '../../support/people.ts';
import { federateWithFake } from '../../support/sign-in.ts';
import { startService } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';

// Each of the characters that names lose, and those next to them that stay.
const LOST = [
  '\u00ad',
  '\u115f',
  '\u1160',
  '\u200b',
  '\u2060',
  '\u2064',
  '\u202a',
  '\u202e',
  '\u2066',
  '\u2069',
  '\u3164',
  '\ufeff',
  '\uffa0',
];
const LEFT = ['\u200c', '\u200d', '\u200e', '\u200f', '\u00ac', '\u115e', '\u1161', '\u2065', '\u3163'];
const typed = (word: string): string =>
  `${LOST.join('')}  ${word}${LOST.join('')} No\u200d\u200eus ${LOST.join('')}`;
const stored = (word: string): string => `${word} No\u200d\u200eus`;

const PATHS = ['/restaurants', '/suggestions', '/categories', '/food-types', '/auth/tokens'];

async function renamed(api: Client, path: string): Promise<unknown> {
  return field((await api.put(path, { name: `${LOST.join('')}New${LOST.join('')}` })).body, 'name');
}

describe('a name', () => {
  test('loses invisible characters, and is missing when it holds nothing else', async (t) => {
    const { api } = await startService(t);
    for (const path of PATHS) {
      const made = await api.post(path, { name: typed(path) });
      assert.deepEqual([made.status, field(made.body, 'name')], [201, stored(path)], path);
      const refused = await api.post(path, { name: ` ${LOST.join(' ')} ` });
      assert.deepEqual([refused.status, refused.body], [400, { error: 'name is required' }], path);
    }
  });

  test('keeps every other character, joiners and marks of direction among them', async (t) => {
    const { api } = await startService(t);
    const name = `می‌خواهم ${LEFT.join('')} \u200fשלום\u200f 👨‍👩‍👧`;
    assert.equal(field((await api.post('/restaurants', { name })).body, 'name'), name);
  });

  test('loses them when it is changed too', async (t) => {
    const { api } = await startService(t);
    await api.post('/restaurants', { name: 'Old' });
    for (const path of ['/restaurants/1', '/categories/1', '/food-types/1'])
      assert.equal(await renamed(api, path), 'New');
    await api.post('/suggestions', { name: 'Suggested' });
    const converted = await api.post('/suggestions/2/convert', { name: `Con\u00adverted` });
    assert.equal(field(converted.body, 'name'), 'Converted');
  });

  test('holds no markup that they hid', async (t) => {
    const { api } = await startService(t);
    const name = 'Chez <\u200bscript>alert(1)</scr\u00adipt>Nous<\u2060img src=x>';
    assert.equal(field((await api.post('/restaurants', { name })).body, 'name'), 'Chez Nous');
  });

  test('of a person loses them, wherever it comes from', async (t) => {
    const { service, signIn } = await federateWithFake(t, {
      email: 'someone@example.com',
      name: typed('Chez'),
    });
    await signIn();
    const { api } = await signUp(service, 'alice');
    const body = { email: 'bob@example.com', username: 'bob', password: 'correct horse battery' };
    await api.post('/auth/register', { ...body, full_name: typed('Chez') });
    await api.post('/auth/register', { ...body, email: 'c@example.com', username: 'c', full_name: '\u3164' });
    const rows = readStored(service.folder, 'SELECT full_name FROM users ORDER BY id');
    assert.deepEqual(
      rows.map((row) => field(row, 'full_name')),
      [stored('Chez'), 'alice', stored('Chez'), null],
    );
  });

  longTest('that is imported loses them', async (t) => {
    const { api } = await startService(t);
    const imported = await importText(api, 'name,cuisine\nChez\u200b Nous,Bist\u00adro\n\u3164,Bistro\n');
    assert.deepEqual(field(imported.body, 'faults'), [
      { line: 3, name: '\u3164', code: 'not_valid', reason: 'name is required' },
    ]);
    const { body } = await api.get('/restaurants/1');
    assert.deepEqual([field(body, 'name'), field(field(body, 'category'), 'name')], ['Chez Nous', 'Bistro']);
  });
});

describe('a text that is no name', () => {
  test('keeps invisible characters', async (t) => {
    const { api } = await startService(t);
    const text = `a${LOST.join('b')}c`;
    const made = await api.post('/restaurants', { name: 'A', description: text, address: text, phone: text });
    for (const name of ['description', 'address', 'phone']) assert.equal(field(made.body, name), text);
    const rating = { restaurant_id: 1, food_rating: 5, service_rating: 5, ambiance_rating: 5, comment: text };
    assert.equal(field((await api.post('/ratings', rating)).body, 'comment'), text);
  });
});
