import assert from 'node:assert/strict';
import { test } from 'node:test';
import { field } from '../../support/client.ts';
import { pairPage } from '../../support/duplicates.ts';
import { importOn } from '../../support/cli.ts';
import { startService, temporaryFolder } from '../../support/service.ts';
import { manyPlaces } from '../../tools/many-places.ts';

const COUNT = 3_000;
const LEAST = 10;

test('while thousands of restaurants are compared, other requests are answered', async (t) => {
  const folder = temporaryFolder(t);
  const seen = new Set<string>();
  const lines = manyPlaces(COUNT).flatMap((place) => {
    const key = JSON.stringify([place.name.toLowerCase(), place.address?.toLowerCase()]);
    if (seen.has(key)) return [];
    seen.add(key);
    const { name, address, phone, website, latitude, longitude } = place;
    return [JSON.stringify({ name, address, phone, website, latitude, longitude })];
  });
  const { code, err } = await importOn(folder, `${lines.join('\n')}\n`, 'ndjson');
  assert.equal(code, 0, err);
  const { api } = await startService(t, { DATA_DIR: folder });
  const pass = { isOver: false };
  const pages = pairPage(api).finally(() => (pass.isOver = true));
  let answered = 0;
  while (!pass.isOver) {
    assert.equal((await api.get('/restaurants/1')).status, 200);
    answered += 1;
  }
  const page = await pages;
  assert.ok(answered >= LEAST, `${answered} requests were answered`);
  assert.equal(field(page, 'complete'), true);
  assert.ok(Number(field(page, 'total')) > 0);
});
