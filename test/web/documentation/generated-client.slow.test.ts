import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { projectWith, typeFaults } from '../../support/generated-client.ts';
import { sample } from '../../support/images.ts';
import { LOCAL } from '../../support/people.ts';
import { startService } from '../../support/service.ts';

// The program of a client's author; it gets the address of the service and prints its results.
const CLIENT = `
import { readFileSync } from 'node:fs';
import createClient from 'openapi-fetch';
import type { components, paths } from './api.ts';

type Restaurant = components['schemas']['Restaurant'];

const client = createClient<paths>({
  baseUrl: process.argv[2] ?? '',
  querySerializer: { array: { style: 'form', explode: false } },
});

function got<Data>({ data, error }: { data?: Data; error?: { error: string } }): Data {
  if (data === undefined) throw new Error(error?.error ?? 'no data');
  return data;
}

const account = { email: 'ada@example.com', username: 'ada', password: 'nine green bottles', full_name: 'Ada' };
const { access_token, refresh_token } = got(await client.POST('/api/auth/register', { body: account }));
const continued = got(await client.POST('/api/auth/refresh', { body: { refresh_token } }));
// Null where the token is in a cookie.
const next: string | null = continued.refresh_token;
client.use({
  onRequest: ({ request }) => {
    request.headers.set('Authorization', \`Bearer \${access_token}\`);
  },
});

const categories = got(await client.GET('/api/categories'));
const french = categories.find(({ name }) => name === 'French');
if (!french) throw new Error('no French category');

const restaurant: Restaurant = got(
  await client.POST('/api/restaurants', {
    body: { name: 'Chez Nous', category_id: french.id, food_type_ids: [1, 2], status: 'active' },
  }),
);
const rating = got(
  await client.POST('/api/ratings', {
    body: { restaurant_id: restaurant.id, food_rating: 5, service_rating: 4, ambiance_rating: 3 },
  }),
);
const comment: string | null = rating.comment;

const photo = got(
  await client.POST('/api/restaurants/{restaurantId}/photos', {
    params: { path: { restaurantId: restaurant.id } },
    body: { photo: new Blob([new Uint8Array(readFileSync('menu.jpg'))], { type: 'image/jpeg' }), caption: 'Lunch' },
    bodySerializer: ({ photo: file, caption = '' }) => {
      if (!(file instanceof Blob)) throw new Error('no file');
      const form = new FormData();
      form.set('photo', file, 'menu.jpg');
      form.set('caption', caption);
      return form;
    },
  }),
);

const found = got(await client.GET('/api/search', { params: { query: { q: 'chez', limit: 5 } } }));
const listed = got(await client.GET('/api/restaurants', { params: { query: { food_type_ids: [2, 9] } } }));

await client.POST('/api/restaurants', { body: { name: 'Trattoria' } });
const names: string[] = [];
for (let cursor: string | null | undefined; cursor !== null; ) {
  const query = { limit: 1, ...(cursor === undefined ? {} : { cursor }) };
  const page: components['schemas']['RestaurantPage'] = got(
    await client.GET('/api/restaurants/paginated', { params: { query } }),
  );
  names.push(...page.data.map(({ name }) => name));
  cursor = page.next_cursor;
}

const missing = await client.GET('/api/restaurants/{id}', { params: { path: { id: 999 } } });
const message: string | undefined = missing.error?.error;

console.log(
  JSON.stringify({
    category: restaurant.category?.name,
    overall: found[0]?.avg_rating.overall,
    listed: listed.map(({ id }) => id),
    isSame: next === refresh_token,
    ...{ comment, caption: photo.caption, names, status: missing.response.status, message },
  }),
);
`;

// Each marked line has a mistake that only the description can reveal.
const MISTAKEN = `
import createClient from 'openapi-fetch';
import type { paths } from './api.ts';

const client = createClient<paths>({ baseUrl: '' });
await client.POST('/api/restaurants', { body: { nam: 'Chez Nous' } }); // wrong field
await client.POST('/api/restaurants', { body: { name: 7 } }); // wrong type
await client.POST('/api/ratings', { body: { restaurant_id: 1, food_rating: 5, service_rating: 4 } }); // wrong: one is missing
await client.POST('/api/ratings'); // wrong: no body
await client.GET('/api/restaurants/{id}', {}); // wrong: no id
await client.GET('/api/restaurants/{id}', { params: { path: { restaurantId: 1 } } }); // wrong name of the id
await client.GET('/api/restaurant'); // wrong path
await client.DELETE('/api/search'); // wrong method
await client.GET('/api/restaurants', { params: { query: { sort: 'colour' } } }); // wrong order
const { data } = await client.GET('/api/restaurants/{id}', { params: { path: { id: 1 } } });
const title = data?.title; // wrong field of an answer
const phone: string | undefined = data?.phone; // wrong: null is left out
const name: string | undefined = data?.name;
console.log(title, phone, name);
`;

describe('a client that is generated from the description', () => {
  test('works through a first session, and is checked by types alone', async (t) => {
    const folder = await projectWith(t, { 'client.ts': CLIENT, 'mistaken.ts': MISTAKEN });
    const faults = typeFaults(folder, ['client.ts', 'mistaken.ts']);
    assert.deepEqual(
      faults.filter(({ file }) => file !== 'mistaken.ts'),
      [],
    );
    const wrong = MISTAKEN.split('\n').flatMap((line, index) =>
      line.includes('// wrong') ? [index + 1] : [],
    );
    assert.deepEqual([...new Set(faults.map(({ line }) => line))], wrong);

    const { url } = await startService(t, LOCAL);
    writeFileSync(join(folder, 'menu.jpg'), sample('baseline'));
    const run = promisify(execFile)(process.execPath, ['client.ts', url], { cwd: folder });
    const seen: unknown = JSON.parse((await run).stdout);
    assert.deepEqual(seen, {
      category: 'French',
      overall: 4,
      listed: [1],
      isSame: true,
      comment: null,
      caption: 'Lunch',
      names: ['Trattoria', 'Chez Nous'],
      status: 404,
      message: 'Restaurant not found',
    });
  });
});
