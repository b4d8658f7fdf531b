import type { QueryFile } from '../storage/statements.ts';
import type { ChangeRow } from './record.ts';

/** Forgets what deletions keep. To be run inside a transaction; files of photos are left to the sweeper. */
export interface Purger {
  /** What was deleted, and all that earlier changes hold of it. */
  readonly purge: (row: ChangeRow) => void;
}

/** Opens it on changes.sql. */
export function createPurger(sql: QueryFile): Purger {
  const forgetDeletion = sql.prepare('forgetDeletion');
  const forgetRestaurant = sql.prepare('forgetRestaurant');
  const forgetAtRestaurant = sql.prepare('forgetAtRestaurant');
  const forgetWithin = sql.prepare('forgetWithinRestaurant');
  const forgetEntity = sql.prepare('forgetEntity');
  return {
    purge: ({ id, kind, entity_id: entityId, restaurant_id: restaurantId }) => {
      forgetDeletion.run({ id });
      if (restaurantId === null) forgetEntity.run({ id, kind, entityId });
      else if (kind === 'restaurant') forgetRestaurant.run({ id, restaurantId });
      else {
        forgetAtRestaurant.run({ id, restaurantId, kind, entityId });
        forgetWithin.run({ id, restaurantId, entityId, list: `$.${kind}s` });
      }
    },
  };
}
