import { MINUTE_MS } from '../kit/time.ts';
import { BackgroundWork, shareOf } from '../storage/background.ts';
import type { Storage } from '../storage/storage.ts';
import type { Purges } from './purge.ts';

// Another process may have purged or deleted something.
const EVERY_MS = 10 * MINUTE_MS;
// Rows of a slice. Ratings, which may be long, are limited by their bytes as well.
const ROWS = 200;

/**
 * Creates the background task that completes purges and removes the contents of deleted restaurants and lists that can no
 * longer be restored. Each slice is a transaction of some milliseconds; after a crash the task resumes at the next start.
 * `ended` is called when it has removed something.
 */
export function createTrashSweeper(
  { queries, transactions }: Pick<Storage, 'queries' | 'transactions'>,
  purges: Purges,
  report: (message: string, fields: Readonly<Record<string, string>>) => void,
  ended: () => void,
): BackgroundWork {
  const sql = queries.file('trash');
  const nextRestaurant = sql.prepare<number>('nextRestaurant').pluck();
  const listRatings = sql.prepare<{ id: number; bytes: number }>('listRatings');
  const deleteRatings = sql.prepare('deleteRatings');
  const deletePhotos = sql.prepare('deletePhotos');
  const deleteItemsOfRestaurant = sql.prepare('deleteItemsOfRestaurant');
  const forgetMoved = sql.prepare('forgetMoved');
  const forgetUnited = sql.prepare('forgetUnited');
  const keepName = sql.prepare('keepName');
  const deleteRestaurant = sql.prepare('deleteRestaurant');
  const nextList = sql.prepare<number>('nextList').pluck();
  const deleteItemsOfList = sql.prepare('deleteItemsOfList');
  const deleteList = sql.prepare('deleteList');

  function sweepRestaurant(id: number): void {
    const ratings = shareOf(listRatings.all({ id, limit: ROWS }));
    if (ratings.length > 0) {
      deleteRatings.run({ ids: JSON.stringify(ratings.map((rating) => rating.id)) });
      return;
    }
    if (deletePhotos.run({ id, limit: ROWS }).changes > 0) return;
    if (deleteItemsOfRestaurant.run({ id, limit: ROWS }).changes > 0) return;
    if (forgetMoved.run({ id, limit: ROWS }).changes > 0) return;
    if (forgetUnited.run({ id, limit: ROWS }).changes > 0) return;
    if (keepName.run({ id }).changes === 0) deleteRestaurant.run({ id });
  }

  function sweepList(id: number): void {
    if (deleteItemsOfList.run({ id, limit: ROWS }).changes === 0) deleteList.run({ id });
  }

  return new BackgroundWork({
    transactions,
    ended,
    failed: (fields) => {
      report('emptying the trash failed', fields);
    },
    idleMs: EVERY_MS,
    retryMs: MINUTE_MS,
    next: () => {
      if (purges.isPending())
        return () => {
          purges.goOn();
        };
      const restaurant = nextRestaurant.get();
      if (restaurant !== undefined) return sweepRestaurant.bind(undefined, restaurant);
      const list = nextList.get();
      return list === undefined ? undefined : sweepList.bind(undefined, list);
    },
  });
}
