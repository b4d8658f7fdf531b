import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Answer, field } from '../support/client.ts';
import { LOCAL } from '../support/people.ts';
import { mapWithGoogle } from '../support/places.ts';
import { startService } from '../support/service.ts';
import { ratingOf } from '../support/world.ts';

const STRICT = { Prefer: 'handling=strict' };

const warning = ({ headers }: Answer): string | null => headers.get('catalogue-warning');
const error = ({ body }: Answer): unknown => field(body, 'error');

describe('an unknown parameter of a read', () => {
  const misspelt: readonly (readonly [path: string, fault: string])[] = [
    ['/restaurants?categroy_id=5', 'unknown parameter categroy_id; did you mean category_id?'],
    ['/restaurants/paginated?foodTypeIds=5', 'unknown parameter foodTypeIds; did you mean food_type_ids?'],
    ['/restaurants/paginated?minrating=4', 'unknown parameter minrating; did you mean min_rating?'],
    [
      '/restaurants?limits=0&limit=0',
      'limit must be at least 1; unknown parameter limits; did you mean limit?',
    ],
    ['/search?q=x&limt=5', 'unknown parameter limt; did you mean limit?'],
    ['/suggestions?state=pending&statu=all', 'unknown parameter statu; did you mean status?'],
    ['/restaurants/1/ratings?Offset=5', 'unknown parameter Offset; did you mean offset?'],
    ['/restaurants/1/photos?offest=5', 'unknown parameter offest; did you mean offset?'],
    ['/restaurants/1/history?sinse=x', 'unknown parameter sinse; did you mean since?'],
    ['/changes?kinds=rating', 'unknown parameter kinds; did you mean kind?'],
    ['/changes/stream?actors=me', 'unknown parameter actors; did you mean actor?'],
    ['/batches?curser=x', 'unknown parameter curser; did you mean cursor?'],
    ['/places/search?qs=x', 'q is required; unknown parameter qs; did you mean q?'],
    ['/geocode/cities?q=x&Q=y', 'unknown parameter Q; did you mean q?'],
  ];
  test('is refused where it is nearly known, with all other faults', async (t) => {
    const { api } = (await mapWithGoogle(t)).service;
    for (const [path, fault] of misspelt) {
      const answer = await api.get(path);
      assert.deepEqual([answer.status, error(answer)], [400, fault], path);
    }
  });

  const ignored: readonly (readonly [path: string, warning: string])[] = [
    ['/restaurants?colour=red', 'unknown parameter colour'],
    ['/restaurants/paginated?v=1&_=2', 'unknown parameter v; unknown parameter _'],
    ['/restaurants/1?expand=all', 'unknown parameter expand'],
    ['/categories?limit=5&limit=6', 'unknown parameter limit'],
    ['/search?q=x&page=2', 'unknown parameter page'],
    ['/changes?since=start&colour=%E2%82%AC', 'unknown parameter colour'],
    ['/changes/1?a=1', 'unknown parameter a'],
    ['/ratings/1?a=1', 'unknown parameter a'],
    ['/health?a=1', 'unknown parameter a'],
    [`/restaurants?${'x'.repeat(60)}=1`, `unknown parameter ${'x'.repeat(40)}`],
    ['/restaurants?prix%0D%0A%E2%82%AC=1', 'unknown parameter prix???'],
    [
      '/restaurants?z1&z2&z3&z4&z5&z6',
      [1, 2, 3, 4, 5].map((one) => `unknown parameter z${String(one)}`).join('; '),
    ],
  ];
  test('is ignored otherwise, and named by the answer each time; a strict request is refused', async (t) => {
    const { api } = await startService(t);
    await api.post('/restaurants', { name: 'Chez Nous' });
    await api.post('/ratings', ratingOf(1));
    for (const [path, expected] of ignored) {
      // The third one of the same address may come from a cache.
      for (const answer of [await api.get(path), await api.get(path), await api.get(path)])
        assert.deepEqual([answer.status, warning(answer)], [200, expected], path);
      const answer = await api.get(path, STRICT);
      assert.equal(answer.status, 400, path);
      assert.ok(String(error(answer)).startsWith(expected), path);
    }
  });

  test('is no concern where all names are known, from the cache too, and of files and the sign-in', async (t) => {
    const { api } = await startService(t, LOCAL);
    for (const path of ['/restaurants?limit=5&', '/restaurants/paginated?sort=name&=3', '/categories'])
      for (let times = 0; times < 4; times += 1) {
        const answer = await api.get(path, times % 2 === 0 ? STRICT : {});
        assert.deepEqual([answer.status, warning(answer)], [200, null], path);
      }
    for (const path of ['/docs?v=1', '/swagger.yaml?limit=1', '/docs/swagger.json?Q=1'])
      assert.deepEqual(
        [(await api.get(path, STRICT)).status, warning(await api.get(path))],
        [200, null],
        path,
      );
    assert.equal((await api.get('/auth/tokens?limts=1', STRICT)).status, 401);
    assert.equal((await api.get('/metrics?limts=1')).status, 200);
  });
});
