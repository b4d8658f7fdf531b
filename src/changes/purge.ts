import type { Kind } from '../storage/change-log.ts';
import type { QueryFile } from '../storage/statements.ts';
import type { ChangeRow } from './record.ts';

/** Forgets what deletions keep. To be run inside a transaction; files of photos are left to the sweeper. */
export interface Purger {
  /** What was deleted, and all that earlier changes hold of it. */
  readonly purge: (row: ChangeRow) => void;
}

/** Opens it on changes.sql. */
export function createPurger(sql: QueryFile): Purger {
  const listAtRestaurant = sql.prepare<{ id: number }>('listAtRestaurant');
  const forgetDeletion = sql.prepare('forgetDeletion');
  const forgetHeld = sql.prepare('forgetHeld');
  const forgetWithin = sql.prepare('forgetWithinRestaurant');
  const forgetEntity = sql.prepare('forgetEntity');
  return {
    purge: ({ id, kind, entity_id: entityId, restaurant_id: restaurantId }) => {
      const idsOf = (entity: { kind: Kind; entityId: number } | { kind: null; entityId: null }): string =>
        JSON.stringify(listAtRestaurant.all({ id, restaurantId, ...entity }).map((change) => change.id));
      forgetDeletion.run({ id });
      if (restaurantId === null) forgetEntity.run({ id, kind, entityId });
      // Photos that were deleted before their restaurant go with it, too.
      else if (kind === 'restaurant') forgetHeld.run({ ids: idsOf({ kind: null, entityId: null }) });
      else {
        forgetHeld.run({ ids: idsOf({ kind, entityId }) });
        const ids = idsOf({ kind: 'restaurant', entityId: restaurantId });
        forgetWithin.run({ ids, entityId, list: `$.${kind}s` });
      }
    },
  };
}
