import { callerOf, openCallers } from '../people/accounts/authenticate.ts';
import type { Permit } from '../http/context.ts';
import { HttpError } from '../http/errors.ts';
import { propertiesOf } from '../kit/objects.ts';
import { type KeyedAnswer, createAnswers } from '../storage/answers.ts';
import type { Writer } from '../storage/change-log.ts';
import { openExistingStorage } from '../storage/storage.ts';
import { codeOf, reasonOf } from '../kit/system-error.ts';
import { runInThread } from '../kit/threads.ts';
import { openHistory } from './open.ts';
import { type Viewer, batchJson } from './record.ts';
import { RevertRefused } from './revert.ts';

/** A batch to be undone on a connection of its own. */
export interface BatchRevert {
  readonly dataFolder: string;
  readonly trashDays: number;
  readonly batchId: number;
  readonly writer: Writer;
  /** Checked again in the transaction. */
  readonly permit: Permit;
  /** For whom it is answered. */
  readonly viewer: Viewer;
  /** Under which the answer is stored; undefined for a request without a key. */
  readonly keyed: Pick<KeyedAnswer, 'userId' | 'key' | 'hash'> | undefined;
}

/** The end of such a revert; nothing was written unless it says `done`. */
export type BatchRevertOutcome =
  | { readonly outcome: 'done'; readonly body: string; readonly changeId: number }
  | { readonly outcome: 'notPermitted' }
  | { readonly outcome: 'refused'; readonly obstacles: readonly string[] }
  | { readonly outcome: 'failed'; readonly code: string; readonly reason: string };

// As long as other writes wait for this one.
const PATIENCE = { limitMs: 5_000 };

/** Undoes a batch, all of it or nothing, in a thread of its own. */
export async function revertInThread(work: BatchRevert): Promise<BatchRevertOutcome> {
  return readOutcome(await runInThread(import.meta.url, 'revertBatch', work, 'reverts a batch'));
}

/** The work of that thread, in one transaction. Never rejects: errors that cross threads lose their class and code. */
export async function revertBatch(work: BatchRevert): Promise<BatchRevertOutcome> {
  try {
    return await revert(work);
  } catch (error) {
    if (error instanceof RevertRefused) return { outcome: 'refused', obstacles: error.obstacles };
    if (error instanceof HttpError) return { outcome: 'notPermitted' };
    return { outcome: 'failed', code: codeOf(error) ?? '', reason: reasonOf(error) };
  }
}

async function revert(work: BatchRevert): Promise<BatchRevertOutcome> {
  const { dataFolder, trashDays, batchId, writer, permit, viewer, keyed } = work;
  const storage = openExistingStorage(dataFolder, PATIENCE);
  try {
    const { reverter, store } = openHistory({ ...storage, trashDays });
    const answers = createAnswers(storage.queries.file('idempotency'));
    const callers = openCallers(storage.queries);
    return await storage.transactions.write(() => {
      callerOf(permit, callers);
      const { id = 0 } = reverter.revertBatch(batchId, writer);
      const [made, changeId] = [store.batch(id), store.firstOfBatch(id)];
      if (!made || changeId === undefined) throw new Error('a revert has made no batch');
      const body = JSON.stringify(batchJson(made, viewer));
      const answer = { status: 200, location: null, changeId, body: Buffer.from(body) };
      if (keyed) answers.store({ ...keyed, ...answer });
      return { outcome: 'done', body, changeId };
    });
  } finally {
    storage.close();
  }
}

function readOutcome(sent: unknown): BatchRevertOutcome {
  const values = propertiesOf(sent);
  const outcome = values?.get('outcome');
  const [body, changeId, obstacles] = ['body', 'changeId', 'obstacles'].map((name) => values?.get(name));
  if (outcome === 'done' && typeof body === 'string' && typeof changeId === 'number')
    return { outcome, body, changeId };
  if (outcome === 'refused' && Array.isArray(obstacles)) return { outcome, obstacles: obstacles.map(String) };
  if (outcome === 'notPermitted') return { outcome };
  if (outcome !== 'failed') throw new TypeError('a thread that reverts a batch sent no outcome');
  return { outcome, code: String(values?.get('code')), reason: String(values?.get('reason')) };
}
