import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRestaurants } from '../support/catalogue.ts';
import type { Cleanup } from '../support/cleanup.ts';
import { array } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';

/** More than is answered in one piece. */
async function withMany(t: Cleanup): Promise<Service> {
  const service = await startService(t);
  const long = { description: 'All work and no play. '.repeat(40) };
  await createRestaurants(
    service.api,
    Array.from({ length: 90 }, (_, index) => ({ ...long, name: `Chez ${index}` })),
  );
  return service;
}

const tagOf = ({ headers }: { readonly headers: Headers }): string => headers.get('etag') ?? '';

describe('a list that is sent in pieces', () => {
  test('has a tag while nothing is written, by which it is not sent again', async (t) => {
    const { api } = await withMany(t);
    const first = await api.get('/restaurants');
    assert.equal(array(first.body).length, 90);
    assert.equal(first.headers.get('content-length'), null);
    assert.match(tagOf(first), /^W\/"[\w.-]+"$/);
    assert.equal(tagOf(await api.get('/restaurants')), tagOf(first));
    const again = await api.get('/restaurants', { 'If-None-Match': tagOf(first) });
    assert.deepEqual([again.status, again.body, tagOf(again)], [304, '', tagOf(first)]);
  });

  test('has another one after any write, and after a new start', async (t) => {
    const service = await withMany(t);
    const { api } = service;
    const known = tagOf(await api.get('/restaurants'));
    await api.put('/restaurants/1', { name: 'Chez Personne' });
    const changed = await api.get('/restaurants', { 'If-None-Match': known });
    assert.deepEqual([changed.status, array(changed.body).length], [200, 90]);
    await service.stop();
    const started = await startService(t, { DATA_DIR: service.folder });
    const answer = await started.api.get('/restaurants', { 'If-None-Match': `${known}, ${tagOf(changed)}` });
    assert.equal(answer.status, 200);
  });
});
