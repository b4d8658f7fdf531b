import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRestaurants } from '../../support/catalogue.ts';
import { refusal } from '../../support/changes.ts';
import { field, headerValues } from '../../support/client.ts';
import { addItems } from '../../support/lists.ts';
import { uploadWithThumbnail } from '../../support/photos.ts';
import { type Service, startService } from '../../support/service.ts';
import { addPhoto, ratingOf, startWorld } from '../../support/world.ts';

const BOX = 'bbox=-10,-10,30,30&zoom=4';

/** A whole answer as text, byte for byte. */
async function textAt({ url }: Service, path: string, token?: string): Promise<string> {
  const headers = token === undefined ? undefined : { Authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/api${path}`, headers ? { headers } : {});
  const text = await answer.text();
  assert.equal(answer.status, 200, `${path}: ${text}`);
  return text;
}

/** The text of an object with more members at its end. */
function withMembers(text: string, members: Readonly<Record<string, string>>): string {
  const added = Object.entries(members).map(([name, json]) => `,"${name}":${json}`);
  return `${text.slice(0, -1)}${added.join('')}}`;
}

describe('a restaurant with include=photos,ratings', () => {
  test('has what the lists of its photos and ratings begin with', async (t) => {
    const service = await startService(t);
    const { api } = service;
    await createRestaurants(api, [{ name: 'Anna' }, { name: 'Berta' }]);
    const check = async (): Promise<void> => {
      const plain = await textAt(service, '/restaurants/1');
      const photos = await textAt(service, '/restaurants/1/photos?limit=20');
      const ratings = await textAt(service, '/restaurants/1/ratings?limit=20');
      // The second and third time may come from the cache of answers.
      for (let turn = 0; turn < 3; turn += 1) {
        const both = await textAt(service, '/restaurants/1?include=photos,ratings');
        assert.equal(both, withMembers(plain, { photos, ratings }));
        assert.equal(
          await textAt(service, '/restaurants/1?include=ratings'),
          withMembers(plain, { ratings }),
        );
      }
    };
    await check();
    await addPhoto(api, 1, 'Soup, "hot"');
    await uploadWithThumbnail(api);
    await api.post('/ratings', ratingOf(2));
    for (let count = 0; count < 22; count += 1) {
      await api.post('/ratings', ratingOf(1, `Visit ${count}: “fine”`));
      if (count % 7 === 0) await check();
    }
    await check();
    await api.delete('/ratings/23');
    await api.patch('/photos/1', { caption: 'Cold soup' });
    await check();
  });

  test('has the other members as well, and those of the caller', async (t) => {
    const { service, people, owner } = await startWorld(t);
    await createRestaurants(owner, [{ name: 'Anna', opening_hours: '24/7', time_zone: 'Europe/Paris' }]);
    await uploadWithThumbnail(owner);
    await owner.post('/ratings', ratingOf(1));
    await addItems(owner, 'want', [1]);
    const query = 'open_at=2026-07-14T20:30:00Z&include=';
    const { accessToken } = people.owner;
    const others = await textAt(service, `/restaurants/1?${query}cover,mine`, accessToken);
    const photos = await textAt(service, '/restaurants/1/photos');
    const ratings = await textAt(service, '/restaurants/1/ratings');
    const path = `/restaurants/1?${query}opening,cover,mine,ratings,photos`;
    const whole: unknown = JSON.parse(await textAt(service, path, accessToken));
    assert.deepEqual(whole, JSON.parse(withMembers(others, { photos, ratings })));
    assert.equal(field(field(whole, 'mine'), 'want'), true);
    assert.deepEqual(headerValues(await owner.get(path), 'cache-control', 'etag'), [
      'private, no-store',
      null,
    ]);
    assert.deepEqual(refusal(await service.api.get(path)), [401, 'Authentication required']);
  });

  test('shows the authors only where ratings and photos do', async (t) => {
    const { service, owner } = await startWorld(t, { AUTHORS: 'none' });
    await createRestaurants(owner, [{ name: 'Anna' }]);
    await owner.post('/ratings', ratingOf(1));
    const plain = await textAt(service, '/restaurants/1');
    const ratings = await textAt(service, '/restaurants/1/ratings');
    assert.match(ratings, /"author":null/);
    assert.equal(await textAt(service, '/restaurants/1?include=ratings'), withMembers(plain, { ratings }));
  });

  test('is 404 where there is none, and no list has them', async (t) => {
    const { api } = await startService(t);
    const missing = await api.get('/restaurants/1?include=photos,ratings');
    assert.deepEqual(refusal(missing), [404, 'Restaurant not found']);
    for (const path of ['/restaurants?', '/restaurants/paginated?', '/search?q=a&']) {
      const [status, error] = refusal(await api.get(`${path}include=ratings`));
      assert.equal(status, 400, path);
      assert.match(String(error), /^include must be of cover, mine, opening/);
    }
  });
});

describe('a page with include=map', () => {
  const places = Array.from({ length: 30 }, (_, index) => ({
    name: `Place ${index}`,
    latitude: index - 5,
    longitude: index - 5,
    price_level: 1 + (index % 4),
    ...(index % 3 === 0 && { opening_hours: 'Mo-Fr 12:00-14:00', time_zone: 'Europe/Paris' }),
  }));

  test('has the map of the same parameters, whatever they are', async (t) => {
    const service = await startService(t);
    await createRestaurants(service.api, places);
    await service.api.post('/suggestions', { name: 'Place to be', latitude: 1, longitude: 2 });
    for (const query of [
      BOX,
      `${BOX}&include_suggestions=false`,
      `${BOX}&price_level=1,2`,
      `${BOX}&q=place%201`,
      `${BOX}&lat=3&lng=3&radius=500`,
      `${BOX}&open_at=2026-07-14T11:00:00Z&open_strict=true`,
      'bbox=170,-10,-170,10&zoom=22',
    ]) {
      const map = await textAt(service, `/restaurants/map?${query}`);
      const page = `/restaurants/paginated?limit=3&sort=name&${query}`;
      const plain = await textAt(service, page.replace(/&(?:zoom|include_suggestions)=[^&]*/g, ''));
      for (let turn = 0; turn < 3; turn += 1)
        assert.equal(await textAt(service, `${page}&include=map`), withMembers(plain, { map }), query);
    }
  });

  test('has it on later pages, too, and with members of restaurants', async (t) => {
    const service = await startService(t);
    await createRestaurants(service.api, places);
    const map = await textAt(service, `/restaurants/map?${BOX}`);
    let path = `/restaurants/paginated?limit=10&${BOX}&include=cover,map`;
    let seen = 0;
    for (let pages = 0; pages < 3; pages += 1) {
      const answer = await service.api.get(path);
      assert.deepEqual(field(answer.body, 'map'), JSON.parse(map));
      const data = field(answer.body, 'data');
      assert.ok(Array.isArray(data) && data.every((one) => field(one, 'cover') === null));
      seen += data.length;
      path = /<\/api(.*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1] ?? path;
    }
    assert.equal(seen, places.length);
  });

  test('flags what is the caller’s with include=mine', async (t) => {
    const { service, people, owner } = await startWorld(t);
    await createRestaurants(owner, places);
    await addItems(owner, 'want', [8, 9]);
    await owner.post('/visits', { restaurant_id: 8 });
    const { accessToken } = people.owner;
    for (const include of ['mine', 'mine,opening']) {
      const plain = await textAt(
        service,
        `/restaurants/paginated?bbox=-10,-10,30,30&include=${include}`,
        accessToken,
      );
      const map = await textAt(service, `/restaurants/map?${BOX}&include=mine`, accessToken);
      const path = `/restaurants/paginated?${BOX}&include=map,${include}`;
      assert.equal(await textAt(service, path, accessToken), withMembers(plain, { map }));
      assert.match(map, /\[8,2,2,null,40,"Place 7"\]/);
      assert.equal((await service.api.get(path)).status, 401);
    }
  });

  const faults: readonly (readonly [string, string])[] = [
    ['include=map', 'include=map needs bbox and zoom'],
    ['include=map,cover&zoom=3', 'include=map needs bbox'],
    ['include=map&bbox=1,1,2,2', 'include=map needs zoom'],
    [
      'include=map&bbox=1,1,2&zoom=23',
      'bbox must be 4 numbers, separated by commas; zoom must be at most 22',
    ],
    ['include=maps&zoom=1', 'include must be of cover, mine, opening, map, separated by commas'],
  ];
  for (const [query, fault] of faults)
    test(`refuses ${query}`, async (t) => {
      const { api } = await startService(t);
      assert.deepEqual(refusal(await api.get(`/restaurants/paginated?${query}`)), [400, fault]);
    });
});
