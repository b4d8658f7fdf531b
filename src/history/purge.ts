import { shareOf } from '../storage/share.ts';
import type { QueryFile, Prepared } from '../storage/statements.ts';
import type { ChangeRow } from './record.ts';

/** Forgets deleted entities for good. Must be run inside a transaction. */
export interface Purges {
  /**
   * Forgets a deleted entity, with all that earlier changes hold of it: the first part of these now, the others by `goOn`.
   * Ratings, photos and items are left to the work that empties the trash, files of photos to the sweeper.
   */
  readonly purge: (deletion: ChangeRow, by: { readonly at: string; readonly userId: number | null }) => void;
  /** Forgets all that the log holds of a rating or photo, which went with its restaurant and has no deletion of its own. */
  readonly forget: (kind: 'rating' | 'photo', id: number) => void;
  /** Whether a purge is not complete. */
  readonly isPending: () => boolean;
  /** Forgets the next part of an incomplete purge. */
  readonly goOn: () => void;
}

type Deletion = Pick<ChangeRow, 'id' | 'kind' | 'entity_id' | 'restaurant_id'>;

interface Held {
  readonly id: number;
  readonly bytes: number;
}

const AT_ONCE = 200;

/** Opens it on changes.sql; `get` reads a change. */
export function createPurges(sql: QueryFile, get: (id: number) => ChangeRow | undefined): Purges {
  const forgetDeletion = sql.prepare('forgetDeletion');
  const forgetHeld = sql.prepare('forgetHeld');
  const findNewest = sql.prepare<number | null>('findNewestOfPart').pluck();
  const next = sql.prepare<{ changeId: number; before: number }>('nextPurge');
  const set = sql.prepare('setPurge');
  const remove = sql.prepare('deletePurge');
  const listHeld = createHeldReader(sql);

  /** Returns the change before which the next part ends; undefined when nothing is left. */
  function forgetPart(deletion: Deletion, before: number): number | undefined {
    const share = shareOf(listHeld(deletion, before));
    if (share.length > 0) forgetHeld.run({ ids: JSON.stringify(share.map(({ id }) => id)) });
    return share.at(-1)?.id;
  }

  function start(newest: Deletion): void {
    const before = forgetPart(newest, newest.id);
    if (before !== undefined) set.run({ changeId: newest.id, before });
  }

  return {
    purge: (deletion, { at, userId }) => {
      forgetDeletion.run({ id: deletion.id, at, by: userId });
      start(deletion);
    },
    forget: (kind, entityId) => {
      const newest = get(findNewest.get({ kind, entityId }) ?? 0);
      if (!newest) return;
      forgetHeld.run({ ids: JSON.stringify([newest.id]) });
      start(newest);
    },
    isPending: () => next.get() !== undefined,
    goOn: () => {
      const purge = next.get();
      if (!purge) return;
      const { changeId, before: last } = purge;
      // A change that is too old for the log has nothing before it either.
      const newest = get(changeId);
      const before = newest && forgetPart(newest, last);
      if (before === undefined) remove.run({ changeId });
      else set.run({ changeId, before });
    },
  };
}

/** Reads the newest changes of an entity before a change; of a restaurant with its ratings and photos. */
function createHeldReader(sql: QueryFile): (deletion: Deletion, before: number) => readonly Held[] {
  const blocksOf = sql.prepare<number>('blocksOfRestaurant').pluck();
  const inBlock: Prepared<Held> = sql.prepare('listHeldInBlock');
  const ofPart: Prepared<Held> = sql.prepare('listHeldOfPart');
  const ofEntity: Prepared<Held> = sql.prepare('listHeldOfEntity');

  function ofRestaurant(restaurantId: number, before: number): readonly Held[] {
    const found: Held[] = [];
    for (const block of blocksOf.all({ restaurantId, before, limit: AT_ONCE })) {
      found.push(...inBlock.all({ block, restaurantId, before, limit: AT_ONCE - found.length }));
      if (found.length === AT_ONCE) break;
    }
    return found;
  }

  return ({ kind, entity_id: entityId, restaurant_id: restaurantId }, before) => {
    if (kind === 'restaurant') return ofRestaurant(entityId, before);
    const part = { kind, entityId, before, limit: AT_ONCE };
    return restaurantId === null ? ofEntity.all(part) : ofPart.all(part);
  };
}
