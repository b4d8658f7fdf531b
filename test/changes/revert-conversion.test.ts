import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { field, headerValues } from '../support/client.ts';
import { startService } from '../support/service.ts';

describe('the revert of a conversion that was reverted', () => {
  for (const [what, refusal, hinder] of [
    ['the category of its restaurant is deleted', 'category 5 does not exist', '/categories/5'],
    ['its restaurant is forgotten', 'what was deleted is no longer kept', undefined],
  ] as const)
    test(`is refused where ${what}, with that reason alone`, async (t) => {
      const { api } = await startService(t);
      await api.post('/suggestions', { name: 'Chez Nous', category_id: 5 });
      const converted = await api.post('/suggestions/1/convert', {});
      const [change] = headerValues(converted, 'change');
      const reverted = await api.post(`/changes/${change ?? ''}/revert`, {});
      assert.equal(field(reverted.body, 'action'), 'delete');
      const deletion = Number(field(reverted.body, 'id'));
      const hindered = hinder === undefined ? api.post(`/changes/${deletion}/purge`, {}) : api.delete(hinder);
      assert.equal((await hindered).status, 204);
      const refused = await api.post(`/changes/${deletion}/revert`, {});
      const error = `Change ${deletion} cannot be reverted: ${refusal}`;
      assert.deepEqual([refused.status, refused.body], [409, { error }]);
    });
});
