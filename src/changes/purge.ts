import type { Kind } from '../storage/change-log.ts';
import type { QueryFile } from '../storage/statements.ts';
import type { ChangeRow } from './record.ts';

/**
 * Forgets a deleted entity, with all that earlier changes hold of it. Must be run inside a transaction; files of photos are
 * left to the sweeper.
 */
export type Purge = (deletion: ChangeRow) => void;

/** Opens it on changes.sql. */
export function createPurge(sql: QueryFile): Purge {
  const listAtRestaurant = sql.prepare<{ id: number }>('listAtRestaurant');
  const forgetDeletion = sql.prepare('forgetDeletion');
  const forgetHeld = sql.prepare('forgetHeld');
  const forgetWithin = sql.prepare('forgetWithinRestaurant');
  const forgetEntity = sql.prepare('forgetEntity');
  return ({ id, kind, entity_id: entityId, restaurant_id: restaurantId }) => {
    const changesOf = (entity: { kind: Kind; entityId: number } | { kind: null; entityId: null }): string =>
      JSON.stringify(listAtRestaurant.all({ id, restaurantId, ...entity }).map((change) => change.id));
    forgetDeletion.run({ id });
    if (restaurantId === null) forgetEntity.run({ id, kind, entityId });
    // Photos that were deleted before their restaurant are forgotten with it, too.
    else if (kind === 'restaurant') forgetHeld.run({ ids: changesOf({ kind: null, entityId: null }) });
    else {
      forgetHeld.run({ ids: changesOf({ kind, entityId }) });
      const ids = changesOf({ kind: 'restaurant', entityId: restaurantId });
      forgetWithin.run({ ids, entityId, list: `$.${kind}s` });
    }
  };
}
