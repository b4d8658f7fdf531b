import { mergeInto } from '../catalogue/merge/merge.ts';
import { RestaurantTexts } from '../catalogue/restaurants/texts.ts';
import { CatalogueStores } from '../catalogue/stores.ts';
import { requireStored } from '../http/errors.ts';
import { lookupReader } from '../index/lookups.ts';
import { type RequestWork, type WorkEnd, onOwnConnection, workInThread } from '../people/request-thread.ts';
import { ChangeLog } from '../storage/change-log.ts';

/** Restaurants to be merged into another one. */
export interface Merging extends RequestWork {
  readonly id: number;
  readonly from: readonly number[];
}

// Other writes wait up to this long for the merge.
const PATIENCE_MS = 5_000;

/** Merges restaurants in a separate thread, all of them or none. */
export function mergeInThread(work: Merging): Promise<WorkEnd> {
  return workInThread(import.meta.url, 'mergeRestaurants', work, 'merges restaurants');
}

/** The work of that thread. */
export function mergeRestaurants(work: Merging): Promise<WorkEnd> {
  const { dataFolder, trashDays, writer, id, from } = work;
  return onOwnConnection(work, PATIENCE_MS, dataFolder, async ({ storage, recheck, storeAnswer }) => {
    const { queries, transactions } = storage;
    const { restaurants } = new CatalogueStores(queries);
    const texts = new RestaurantTexts(queries.file('restaurants'), lookupReader(queries.file('index')));
    const log = new ChangeLog(queries.file('change-log'), transactions, trashDays);
    const { result: body, changeId } = await log.write(writer, (write) => {
      recheck();
      requireStored(mergeInto(restaurants, id, from, write), 'Restaurant');
      const text = texts.written(id);
      storeAnswer(text, write.changeId());
      return text;
    });
    return { outcome: 'done', body, changeId };
  });
}
