import {
  type RequestWork,
  type WorkEnd,
  onOwnConnection,
  refuse,
  workInThread,
} from '../people/accounts/request-thread.ts';
import { History } from './history.ts';
import { type Viewer, batchJson, mayRevert } from './record.ts';
import { RevertRefused } from './revert.ts';

/** A batch to be undone. */
export interface BatchRevert extends RequestWork {
  readonly batchId: number;
  /** The reader of the answer. */
  readonly viewer: Viewer;
}

// Other writes wait up to this long for the revert.
const PATIENCE_MS = 5_000;

/** Undoes a batch in a separate thread, all of it or nothing. */
export function revertInThread(work: BatchRevert): Promise<WorkEnd> {
  return workInThread(import.meta.url, 'revertBatch', work, 'reverts a batch');
}

/** The work of that thread, in one transaction. */
export function revertBatch(work: BatchRevert): Promise<WorkEnd> {
  const { dataFolder, trashDays, batchId, writer, viewer, adminsOnly } = work;
  return onOwnConnection(work, PATIENCE_MS, dataFolder, async ({ storage, recheck, storeAnswer }) => {
    const { reverter } = new History(storage, trashDays);
    try {
      return await storage.transactions.write(() => {
        const caller = recheck();
        const { made, changeId } = reverter.revertBatch(
          batchId,
          writer,
          (row) => caller.isAdmin || (row.actor_id === caller.userId && mayRevert(row, caller, adminsOnly)),
        );
        const body = JSON.stringify(batchJson(made, viewer));
        storeAnswer(body, changeId);
        return { outcome: 'done', body, changeId };
      });
    } catch (error) {
      if (error instanceof RevertRefused) refuse(409, error.message);
      throw error;
    }
  });
}
