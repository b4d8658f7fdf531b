import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Client, headerValues, textOf } from '../support/client.ts';
import { readScrape, valueOf } from '../support/exposition.ts';
import { upload } from '../support/photos.ts';
import { startService } from '../support/service.ts';

const LIMITS = {
  RATE_LIMIT_PER_MINUTE: '1',
  RATE_LIMIT_BURST: '3',
  FILES_RATE_LIMIT_PER_MINUTE: '1',
  FILES_RATE_LIMIT_BURST: '4',
};
const FILES = ['/api/docs', '/api/app-config', '/tiles/map.pmtiles', '/api/swagger.yaml'];

async function statuses(api: Client, count: number, path: string, method = 'GET'): Promise<number[]> {
  const answers: number[] = [];
  for (let index = 0; index < count; index += 1) answers.push((await api.send(path, { method })).status);
  return answers;
}

describe('the limit of files', () => {
  test('counts reads of photos, pages, maps and the description, and leaves calls of the API alone', async (t) => {
    const { api } = await startService(t, LIMITS);
    await api.post('/restaurants', { name: 'Chez Nous' });
    const url = textOf((await upload(api)).body, 'url');
    assert.equal((await api.get('/health')).headers.get('ratelimit-remaining'), '0');
    for (const [index, path] of [url, ...FILES.slice(1)].entries()) {
      const answer = await api.send(path, {});
      const expected = ['4', String(3 - index)];
      assert.deepEqual(
        [answer.status, ...headerValues(answer, 'ratelimit-limit', 'ratelimit-remaining')],
        // No map is configured.
        [path.startsWith('/tiles/') ? 404 : 200, ...expected],
      );
    }
    const refused = await api.send(url, {});
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get('ratelimit-limit'), '4');
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
  });

  test('counts HEAD like GET, photos that are not there, and every spelling', async (t) => {
    const { api } = await startService(t, LIMITS);
    assert.deepEqual(await statuses(api, 1, '/api/docs', 'HEAD'), [200]);
    assert.deepEqual(await statuses(api, 1, '/api/uploads/menu_photos/x.jpg'), [404]);
    assert.deepEqual(await statuses(api, 1, '/%61pi/d%6fcs'), [200]);
    assert.deepEqual(await statuses(api, 2, '/api/docs/assets/x/y'), [404, 429]);
    assert.deepEqual(await statuses(api, 1, '/%61pi/swagger%2eyaml', 'HEAD'), [429]);
  });

  test('is not that of other methods there, nor of unknown paths below', async (t) => {
    for (const [path, method, status] of [
      ['/api/docs', 'POST', 405],
      ['/api/docs', 'OPTIONS', 204],
      ['/api/uploads/menu_photos/x.jpg', 'DELETE', 405],
      ['/api/docs/nowhere', 'GET', 404],
      ['/api/uploads', 'GET', 404],
      ['/api/uploads/menu_photos/x/y', 'GET', 404],
      ['/api/docs/../health', 'GET', 404],
    ] as const) {
      const { api } = await startService(t, LIMITS);
      // Sent as it stands: fetch would take the dots out.
      const asked = path.replace('..', '%2e%2e%2f');
      assert.deepEqual(await statuses(api, 4, asked, method), [status, status, status, 429], path);
    }
  });

  for (const name of ['FILES_RATE_LIMIT_PER_MINUTE', 'FILES_RATE_LIMIT_BURST'])
    test(`is off with ${name}=0, and the other one stays on`, async (t) => {
      const { api } = await startService(t, { ...LIMITS, [name]: '0' });
      assert.deepEqual(await statuses(api, 10, '/api/docs'), Array(10).fill(200));
      assert.equal((await api.send('/api/docs', {})).headers.get('ratelimit-limit'), null);
      assert.deepEqual(await statuses(api, 4, '/api/health'), [200, 200, 200, 429]);
    });

  test('is off where the limit of the API is', async (t) => {
    const { api } = await startService(t, { ...LIMITS, RATE_LIMIT_BURST: '0' });
    assert.deepEqual(await statuses(api, 10, '/api/docs'), Array(10).fill(200));
  });

  test('is the only one for files at the edge', async (t) => {
    const { api } = await startService(t, { EDGE_LIMITS: 'true' });
    assert.deepEqual(await statuses(api, 30, '/api/swagger.yaml'), Array(30).fill(200));
    assert.deepEqual(await statuses(api, 20, '/api/docs', 'POST'), Array(20).fill(405));
  });

  test('is named by the metrics', async (t) => {
    const { api } = await startService(t, LIMITS);
    assert.equal((await statuses(api, 6, '/api/docs')).at(-1), 429);
    const found = readScrape(String((await api.get('/metrics')).body));
    assert.equal(valueOf(found, 'catalogue_rate_limit_refusals_total', { limit: 'files' }), 2);
    assert.equal(valueOf(found, 'catalogue_rate_limit_clients', { limit: 'files' }), 1);
  });
});
