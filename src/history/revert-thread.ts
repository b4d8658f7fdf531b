import {
  type RequestWork,
  type WorkEnd,
  onOwnConnection,
  refuse,
  workInThread,
} from '../people/request-thread.ts';
import { History } from './history.ts';
import { type Viewer, batchJson, mayRevert } from './record.ts';
import { RevertRefused } from './revert.ts';
import { requireRevertible, undoWrite } from './undo.ts';

/** A batch or the write of a change to be undone. */
export interface Undoing extends RequestWork {
  readonly id: number;
  /** The reader of the answer. */
  readonly viewer: Viewer;
}

// Other writes wait up to this long for the revert.
const PATIENCE_MS = 5_000;

/** Undoes a batch or the write of a change in a separate thread, all of it or nothing. */
export function undoInThread(name: 'revertBatch' | 'revertChange', work: Undoing): Promise<WorkEnd> {
  return workInThread(import.meta.url, name, work, 'reverts a write');
}

/** The work of that thread for a change. */
export function revertChange(work: Undoing): Promise<WorkEnd> {
  const { dataFolder, trashDays, id, writer, viewer, adminsOnly } = work;
  return onOwnConnection(work, PATIENCE_MS, dataFolder, async ({ storage, recheck, storeAnswer }) => {
    const history = new History(storage, trashDays);
    const { result: body, changeId } = await history.log.write(writer, (write) => {
      const row = requireRevertible(history, id, recheck(), adminsOnly);
      const text = history.store.textFor(undoWrite(history, row, write), viewer);
      // Without the body, as for changes that are undone without a thread.
      storeAnswer('', write.changeId());
      return text;
    });
    return { outcome: 'done', body, changeId };
  });
}

/** The work of that thread for a batch. */
export function revertBatch(work: Undoing): Promise<WorkEnd> {
  const { dataFolder, trashDays, id, writer, viewer, adminsOnly } = work;
  return onOwnConnection(work, PATIENCE_MS, dataFolder, async ({ storage, recheck, storeAnswer }) => {
    const { reverter } = new History(storage, trashDays);
    try {
      return await storage.transactions.write(() => {
        const caller = recheck();
        const { made, changeId } = reverter.revertBatch(
          id,
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
