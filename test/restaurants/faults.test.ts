import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Answer, field } from '../support/client.ts';
import { startService } from '../support/service.ts';

/** The faults that a refusal names, in whatever order it does. */
function faultsOf({ body }: Answer): string[] {
  return String(field(body, 'error')).split('; ').sort();
}

// Faults that only the database knows are reported together with those of the body.
const BODIES: readonly [string, object, readonly string[]][] = [
  [
    'an unknown category next to a wrong type',
    { phone: 5, category_id: 999 },
    ['phone must be a string', 'category_id 999 does not exist'],
  ],
  [
    'unknown food types next to a number out of range',
    { latitude: 91, longitude: 0, food_type_ids: [1, 998, 999] },
    ['latitude must be between -90 and 90', 'food_type_ids 998, 999 do not exist'],
  ],
  [
    'an unknown category next to a bad address and a bad status',
    { website: 'www example.com', status: 'open', category_id: 999 },
    [
      'website must be an http or https URL',
      'status must be one of active, temporarily_closed, closed',
      'category_id 999 does not exist',
    ],
  ],
  [
    'an unknown category next to an empty name',
    { name: ' ', category_id: 999 },
    ['name is required', 'category_id 999 does not exist'],
  ],
  [
    'an unknown category next to food types that are no ids',
    { food_type_ids: ['x'], category_id: 999 },
    ['food_type_ids must be an array of positive integers', 'category_id 999 does not exist'],
  ],
];

describe('the faults of a restaurant', () => {
  for (const [title, body, faults] of BODIES) {
    test(`are reported at once when it is created: ${title}`, async (t) => {
      const { api } = await startService(t);
      const answer = await api.post('/restaurants', { name: 'A', ...body });
      assert.deepEqual([answer.status, faultsOf(answer)], [400, faults.toSorted()]);
    });

    test(`are reported at once when it is changed: ${title}`, async (t) => {
      const { api } = await startService(t);
      await api.post('/restaurants', { name: 'A' });
      const answer = await api.put('/restaurants/1', body);
      assert.deepEqual([answer.status, faultsOf(answer)], [400, faults.toSorted()]);
    });
  }

  test('are reported at once when a change removes one coordinate and breaks another rule', async (t) => {
    const { api } = await startService(t);
    await api.post('/restaurants', { name: 'A', latitude: 1, longitude: 2 });
    const answer = await api.put('/restaurants/1', { latitude: null, phone: 5 });
    assert.deepEqual(
      [answer.status, faultsOf(answer)],
      [400, ['latitude and longitude must be given together', 'phone must be a string']],
    );
  });
});
