import { codeOf } from '../storage/failures.ts';
import { openExistingStorage } from '../storage/storage.ts';
import { reasonOf } from '../system-error.ts';
import { openHistory } from './open.ts';
import type { BatchRevert, BatchRevertOutcome } from './revert-outcome.ts';
import { RevertRefused } from './revert.ts';

// As long as other writes wait for this one.
const PATIENCE = { limitMs: 5_000 };

/** Undoes a batch, all of it or nothing, in one transaction. Never rejects: a thread sends no error as it is. */
export async function revertBatch(work: BatchRevert): Promise<BatchRevertOutcome> {
  try {
    return await revert(work);
  } catch (error) {
    if (error instanceof RevertRefused) return { outcome: 'refused', obstacles: error.obstacles };
    return { outcome: 'failed', code: codeOf(error) ?? '', reason: reasonOf(error) };
  }
}

async function revert({ dataFolder, trashDays, batchId, writer }: BatchRevert): Promise<BatchRevertOutcome> {
  const storage = openExistingStorage(dataFolder, PATIENCE);
  try {
    const { reverter } = openHistory({ ...storage, trashDays });
    const { id } = await storage.transactions.write(() => reverter.revertBatch(batchId, writer));
    if (id === undefined) throw new Error('a revert has made no batch');
    return { outcome: 'done', batchId: id };
  } finally {
    storage.close();
  }
}
