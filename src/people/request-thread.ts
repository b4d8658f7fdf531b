import {
  type Permit,
  type Principal,
  type RequestContext,
  permitOf,
  writerForThread,
} from '../http/context.ts';
import { HttpError } from '../http/errors.ts';
import { type Reply, okText, withChange } from '../http/reply.ts';
import type { KeyedRequest } from '../kit/answers.ts';
import { isObject } from '../kit/objects.ts';
import { codeOf, reasonOf } from '../kit/system-error.ts';
import { runInThread } from '../kit/threads.ts';
import { Answers } from '../storage/answers.ts';
import type { Writer } from '../storage/change-log.ts';
import { type Storage, openExistingStorage } from '../storage/storage.ts';
import { Callers } from './accounts/authenticate.ts';

/** Work that a thread does for a request on its own connection. Plain data, since it is copied. */
export interface RequestWork {
  readonly dataFolder: string;
  readonly trashDays: number;
  readonly writer: Writer;
  /** Checked again in each transaction. */
  readonly permit: Permit;
  /** WRITE_ACCESS=admins */
  readonly adminsOnly: boolean;
  /** The idempotency key to store the answer under; undefined if the request has none. */
  readonly keyed: KeyedRequest | undefined;
}

/** Settings of the service that such work needs. */
export type WorkSettings = Pick<RequestWork, 'dataFolder' | 'trashDays' | 'adminsOnly'>;

/** Who asks for such work, and how. */
export function askedBy(context: RequestContext): Pick<RequestWork, 'writer' | 'permit' | 'keyed'> {
  return {
    writer: writerForThread(context),
    permit: permitOf(context),
    keyed: context.idempotency?.request(),
  };
}

/** The work of a request. */
export function workOf(
  context: RequestContext,
  { dataFolder, trashDays, adminsOnly }: WorkSettings,
): RequestWork {
  return { dataFolder, trashDays, adminsOnly, ...askedBy(context) };
}

/** The outcome of such work. */
export type WorkEnd =
  | { readonly outcome: 'done'; readonly body: string; readonly changeId: number | undefined }
  | ({ readonly outcome: 'refused' } & Pick<HttpError, 'status' | 'message' | 'headers'> &
      Partial<Pick<HttpError, 'code'>>)
  | { readonly outcome: 'failed'; readonly code: string; readonly reason: string };

/** Work that failed in a thread. `stored` is a sentence about the part of it that is stored nevertheless. */
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

/** The data folder, opened in the thread. */
export interface ThreadStorage {
  readonly storage: Storage;
  /** Call this first in each transaction. Throws once the caller may no longer write. */
  readonly recheck: () => Principal;
  /** Stores the answer for retries of the request. Call it in the transaction of the write or a later one. */
  readonly storeAnswer: (body: string, changeId: number | undefined) => void;
}

/** Ends the work with that answer to the request. */
export function refuse(
  status: 400 | 403 | 404 | 409 | 503,
  message: string,
  headers?: HttpError['headers'],
  code?: string,
): never {
  throw new HttpError(status, message, headers, code);
}

/** Runs the exported function `name` of the module at `url` in a thread. */
export async function workInThread(
  url: string,
  name: string,
  work: RequestWork,
  purpose: string,
): Promise<WorkEnd> {
  const end = await runInThread(url, name, work, purpose);
  if (!isWorkEnd(end)) throw new TypeError(`a thread that ${purpose} sent no outcome`);
  return end;
}

/** The thread runs this version's code, so an object with an outcome is a whole one. */
function isWorkEnd(value: unknown): value is WorkEnd {
  return isObject(value) && 'outcome' in value;
}

/**
 * Opens the data folder, or makes a copy of it, and does the work there. Runs inside the thread. Writes wait up to
 * `limitMs` for another process. Never rejects: errors that cross threads lose their class and code.
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
      const callers = new Callers(storage.queries.file('accounts'));
      const answers = new Answers(storage.queries.file('idempotency'));
      return await work({
        storage,
        recheck: () => callers.find(permit),
        storeAnswer: (text, changeId) => {
          const answer = { status: 200, location: null, changeId: changeId ?? null, body: Buffer.from(text) };
          if (keyed) answers.store({ ...keyed, ...answer });
        },
      });
    } finally {
      storage.close();
    }
  } catch (error) {
    if (error instanceof HttpError) {
      const { status, message, headers, code } = error;
      return { outcome: 'refused', status, message, headers, code };
    }
    return { outcome: 'failed', code: codeOf(error) ?? '', reason: reasonOf(error) };
  }
}

/**
 * Returns the outcome of completed work. Throws the HttpError that ended it, or 401 or 403 if the caller lost the rights
 * since, and a WorkFailedError if the work failed.
 */
export function requireDone(
  end: WorkEnd,
  recheck: () => void,
  stored?: string,
): Extract<WorkEnd, { readonly outcome: 'done' }> {
  if (end.outcome === 'done') return end;
  if (end.outcome === 'failed') throw new WorkFailedError(end.reason, end.code, stored);
  // The caller must learn of a part that is stored.
  if (stored === undefined) recheck();
  const { status, message, headers, code } = end;
  throw new HttpError(status, stored === undefined ? message : `${message}; ${stored}`, headers, code);
}

/** The reply of completed work. Throws as `requireDone`. */
export function replyOfWork(end: WorkEnd, { recheck }: Pick<RequestContext, 'recheck'>): Reply {
  const { body, changeId } = requireDone(end, recheck);
  return withChange(okText(body), changeId);
}
