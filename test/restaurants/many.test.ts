import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Filters } from '../../src/restaurants/filters.ts';
import type { IndexedSort } from '../../src/restaurants/kinds.ts';
import { type Lists, createLists } from '../../src/restaurants/list.ts';
import { type Position, comparePositions } from '../../src/restaurants/order.ts';
import type { WalkPage } from '../../src/restaurants/walk.ts';
import { openStorage } from '../../src/storage/storage.ts';
import { generateCatalogue } from '../bench/generate.ts';
import { temporaryFolder } from '../support/service.ts';

// More than are sorted: of these a walk picks what a filter leaves.
const MANY = 1_200;
const NO_FILTERS: Filters = {
  ...{ categoryId: undefined, foodTypeIds: undefined, status: undefined },
  ...{ minRating: undefined, match: undefined, near: undefined },
};
const FILTERS: readonly Partial<Filters>[] = [
  ...[{}, { categoryId: 1 }, { categoryId: 2 }, { status: 'active' }, { status: 'closed' }, { minRating: 1 }],
  ...[{ minRating: 4 }, { categoryId: 1, status: 'closed' }, { categoryId: 2, status: 'closed' }],
  { categoryId: 1, status: 'active', minRating: 4, foodTypeIds: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] },
] as const;

/** All that a walk finds, in however many slices. */
function walkWhole(lists: Lists, filters: Filters, sort: IndexedSort, page: WalkPage): Position[] {
  const found: Position[] = [];
  for (let left: WalkPage | undefined = page; left;) {
    const { positions, rest } = lists.walk(filters, sort, left);
    found.push(...positions);
    left = rest;
  }
  return found;
}

describe('a walk through many restaurants', () => {
  test('has the same order as sorting what every filter leaves', async (t) => {
    const storage = openStorage(temporaryFolder(t));
    t.after(() => {
      storage.close();
    });
    await generateCatalogue(storage, MANY, 2);
    storage.connection.exec(
      "UPDATE restaurants SET category_id = iif(id % 100 = 0, 2, 1), status = iif(id % 50 = 0, 'closed', 'active')",
    );
    const lists = createLists(storage.queries.file('restaurants'));
    for (const more of FILTERS) {
      const filters = { ...NO_FILTERS, ...more };
      const all = lists.pick(filters, lists.idsAfter(0, MANY));
      assert.ok(all.length > 0);
      const keys = { newest: 'created_at', name: 'search_name', rating: 'overall' } as const;
      for (const sort of ['newest', 'name', 'rating'] as const) {
        const sorted = all
          .map((candidate) => ({ key: candidate[keys[sort]], id: candidate.id }))
          .sort(comparePositions(sort));
        const first = walkWhole(lists, filters, sort, { after: undefined, limit: 5, offset: 1 });
        assert.deepEqual(first, sorted.slice(1, 6), `${sort} ${JSON.stringify(more)}`);
        const rest = walkWhole(lists, filters, sort, { after: sorted[2], limit: MANY, offset: 0 });
        assert.deepEqual(rest, sorted.slice(3), `${sort} ${JSON.stringify(more)}`);
      }
    }
  });
});
