import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Client, array, field } from '../support/client.ts';
import { startService } from '../support/service.ts';

const PARIS = { latitude: 48.86, longitude: 2.35 };

async function addOpen(api: Client, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1)
    await api.post('/restaurants', { name: `Always ${index}`, ...PARIS, opening_hours: '24/7' });
}

describe('what is open now', () => {
  test('is shown by include=opening in lists, in search and of one, and filters nothing', async (t) => {
    const { api } = await startService(t);
    await addOpen(api, 1);
    await api.post('/restaurants', { name: 'Never', ...PARIS, opening_hours: 'off' });
    await api.post('/suggestions', { name: 'Always suggested', address: '1 Rue' });
    const states = (list: unknown): readonly unknown[] =>
      array(list).map((place) => {
        const opening = field(place, 'opening');
        return opening === null ? null : field(opening, 'state');
      });
    const { body, headers } = await api.get('/restaurants?include=opening');
    assert.deepEqual(states(body), [null, 'closed', 'open']);
    assert.equal(headers.get('cache-control'), 'no-cache');
    const { body: page } = await api.get('/restaurants/paginated?include=opening');
    assert.deepEqual(states(field(page, 'data')), ['closed', 'open']);
    assert.deepEqual(states((await api.get('/search?q=always&include=opening')).body).toSorted(), [
      null,
      'open',
    ]);
    const one = await api.get('/restaurants/1?include=opening&open_at=2026-07-15T12:00:00Z');
    assert.deepEqual(field(one.body, 'opening'), { state: 'open', until: null, reason: null });
  });

  test('is never answered from a cache, and has an ETag of what is answered', async (t) => {
    const { api } = await startService(t);
    await addOpen(api, 1);
    const map = '/restaurants/map?bbox=-180,-90,180,90&zoom=3&open_at=now';
    const lists = ['/restaurants?open_at=now', '/restaurants/paginated?open_at=now'];
    for (const path of [...lists, map, '/restaurants/1?open_at=now'])
      for (let count = 0; count < 3; count += 1) {
        const first = await api.get(path);
        assert.equal(first.headers.get('cache-control'), 'no-cache');
        const etag = first.headers.get('etag') ?? '';
        const again = await api.get(path, { 'If-None-Match': etag });
        assert.deepEqual([again.status, again.headers.get('cache-control')], [304, 'no-cache'], path);
      }
    const hour = 3_600_000;
    const clock = (instant: number): string => new Date(instant).toISOString().slice(11, 16);
    const now = Date.now();
    const span = `${clock(now - 2 * hour)}-${clock(now + 2 * hour)}`;
    await api.put('/restaurants/1', { time_zone: 'Etc/UTC', opening_hours: span });
    const { body } = await api.get('/restaurants/1?open_at=now');
    assert.equal(field(field(body, 'opening'), 'state'), 'open');
  });

  test('is judged on later pages by the time of the first one', async (t) => {
    const { api } = await startService(t);
    for (const name of ['One', 'Two'])
      await api.post('/restaurants', { name, time_zone: 'Etc/UTC', opening_hours: 'We 12:00-13:00' });
    const path = '/restaurants/paginated?open_at=now&limit=1';
    const clock = t.mock.method(Date, 'now', () => Date.parse('2026-07-15T12:30:00Z'));
    const first = await api.get(path);
    clock.mock.mockImplementation(() => Date.parse('2026-07-15T13:30:00Z'));
    const second = await api.get(`${path}&cursor=${String(field(first.body, 'next_cursor'))}`);
    const anew = await api.get(path);
    clock.mock.restore();
    const [place] = array(field(second.body, 'data'));
    assert.equal(field(field(place, 'opening'), 'until'), '2026-07-15T13:00:00.000Z');
    assert.equal(field(second.body, 'total'), 2);
    assert.equal(field(anew.body, 'total'), 0);
  });
});
