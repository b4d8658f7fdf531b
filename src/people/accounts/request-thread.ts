import type { Permit } from '../../http/context.ts';
import { HttpError, unauthorized } from '../../http/errors.ts';
import { propertiesOf } from '../../kit/objects.ts';
import { codeOf, reasonOf } from '../../kit/system-error.ts';
import { runInThread } from '../../kit/threads.ts';
import { Answers, type KeyedAnswer } from '../../storage/answers.ts';
import type { Writer } from '../../storage/change-log.ts';
import { type Storage, openExistingStorage } from '../../storage/storage.ts';
import { callerOf, openCallers } from './authenticate.ts';

/** Work of a request that a thread does on a separate connection; plain data, since it is copied. */
export interface RequestWork {
  readonly dataFolder: string;
  readonly trashDays: number;
  readonly writer: Writer;
  /** Checked again in each transaction. */
  readonly permit: Permit;
  /** The key under which the answer is stored; undefined for a request without one. */
  readonly keyed: Pick<KeyedAnswer, 'userId' | 'key' | 'hash'> | undefined;
}

/** The end of such work. */
export type WorkEnd =
  | { readonly outcome: 'done'; readonly body: string; readonly changeId: number | undefined }
  /** The work itself did not go on, for these reasons. */
  | { readonly outcome: 'declined'; readonly reasons: readonly string[] }
  | { readonly outcome: 'notPermitted' }
  | { readonly outcome: 'failed'; readonly code: string; readonly reason: string };

/** Work of a request that failed in a thread, with the code of its failure; `stored` says what of it is stored nevertheless. */
export class WorkFailedError extends Error {
  override readonly name = 'WorkFailedError';
  readonly code: string;
  readonly stored: string | undefined;

  constructor(reason: string, code: string, stored: string | undefined) {
    super(reason);
    this.code = code;
    this.stored = stored;
  }
}

/** The data folder as the thread opens it. */
export interface ThreadStorage {
  readonly storage: Storage;
  /** To be called first in each transaction. Throws once the caller may not write any more. */
  readonly recheck: () => void;
  /** Stores the answer for a repeated request, in the transaction of the write or in one that follows. */
  readonly storeAnswer: (body: string, changeId: number | undefined) => void;
}

/** Has the exported function `name` of the module at `url` do the work in a thread. */
export async function workInThread(
  url: string,
  name: string,
  work: RequestWork,
  purpose: string,
): Promise<WorkEnd> {
  const values = propertiesOf(await runInThread(url, name, work, purpose));
  const outcome = values?.get('outcome');
  const [body, changeId, reasons] = ['body', 'changeId', 'reasons'].map((key) => values?.get(key));
  if (outcome === 'done' && typeof body === 'string')
    return { outcome, body, changeId: typeof changeId === 'number' ? changeId : undefined };
  if (outcome === 'declined' && Array.isArray(reasons)) return { outcome, reasons: reasons.map(String) };
  if (outcome === 'notPermitted') return { outcome };
  if (outcome !== 'failed') throw new TypeError(`a thread that ${purpose} sent no outcome`);
  return { outcome, code: String(values?.get('code')), reason: String(values?.get('reason')) };
}

/**
 * Does work in that thread, in a data folder or a copy of it that is being made. Writes wait for up to `limitMs` while
 * another process writes. Never rejects: errors that cross threads lose their class and code.
 */
export async function onOwnConnection(
  { permit, keyed }: RequestWork,
  limitMs: number,
  folder: string | Promise<string>,
  work: (opened: ThreadStorage) => Promise<WorkEnd>,
): Promise<WorkEnd> {
  try {
    const storage = openExistingStorage(await folder, { limitMs });
    try {
      const callers = openCallers(storage.queries);
      const answers = new Answers(storage.queries.file('idempotency'));
      return await work({
        storage,
        recheck: () => void callerOf(permit, callers),
        storeAnswer: (text, changeId) => {
          const answer = { status: 200, location: null, changeId: changeId ?? null, body: Buffer.from(text) };
          if (keyed) answers.store({ ...keyed, ...answer });
        },
      });
    } finally {
      storage.close();
    }
  } catch (error) {
    if (error instanceof HttpError) return { outcome: 'notPermitted' };
    return { outcome: 'failed', code: codeOf(error) ?? '', reason: reasonOf(error) };
  }
}

/**
 * The end of work that was done. Throws 401 or 403 where the caller's rights ended, and a WorkFailedError, which says what
 * is stored all the same.
 */
export function requireDone(
  end: Exclude<WorkEnd, { readonly outcome: 'declined' }>,
  recheck: () => void,
  stored?: string,
): Extract<WorkEnd, { readonly outcome: 'done' }> {
  if (end.outcome === 'done') return end;
  if (end.outcome === 'failed') throw new WorkFailedError(end.reason, end.code, stored);
  recheck();
  throw unauthorized('Invalid token');
}
