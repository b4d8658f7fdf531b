import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FILTERS } from '../../../src/catalogue/restaurants/filters.ts';
import { randomNumbers } from '../../support/catalogue.ts';
import type { Client } from '../../support/client.ts';
import { SAMPLES } from '../../support/filter-samples.ts';
import { checkLists, pairs } from '../../support/list-oracle.ts';
import { type Below, addPlace, fieldsOf, rate } from '../../support/random-places.ts';
import { startService } from '../../support/service.ts';

describe('every list', () => {
  test('is asked about with each filter of the table', () => {
    assert.deepEqual(Object.keys(SAMPLES).sort(), Object.keys(FILTERS).sort());
  });

  test('holds what a plain look at all places finds, in the same order, before and after writes', async (t) => {
    const { api } = await startService(t);
    const random = randomNumbers(17);
    const below: Below = (count) => Math.floor(random() * count);
    for (let index = 0; index < 90; index += 1) await addPlace(api, index, below);
    for (let index = 0; index < 12; index += 1)
      await api.post('/suggestions', { ...fieldsOf(index + 500, below), category_id: 1 + below(3) });
    await checkLists(api, 140, pairs());
    await changeSome(api, below);
    await checkLists(api, 140, pairs());
  });
});

async function changeSome(api: Client, below: Below): Promise<void> {
  for (let id = 3; id <= 90; id += 5) {
    const { status: _status, name: _name, ...fields } = fieldsOf(id, below);
    await api.put(`/restaurants/${id}`, fields);
  }
  for (let id = 4; id <= 90; id += 9) await api.delete(`/restaurants/${id}`);
  for (let id = 1; id <= 90; id += 10) await rate(api, id, below);
  for (let id = 2; id <= 60; id += 11) await api.put(`/restaurants/${id}`, { name: `Zoë ${id}` });
  await api.post('/suggestions/92/convert', {});
  await api.delete('/suggestions/94');
  for (let index = 200; index < 230; index += 1) await addPlace(api, index, below);
  await api.delete('/food-types/5');
}
