import { setTimeout as wait } from 'node:timers/promises';
import { type RequestContext, permitOf, writerForThread } from '../http/context.ts';
import {
  ClientGoneError,
  HttpError,
  described,
  requireValid,
  unauthorized,
  unavailable,
} from '../http/errors.ts';
import { receiveParts } from '../http/multipart.ts';
import { prefersLines } from '../http/negotiation.ts';
import { type Reply, okText, stream, withChange } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import { FormDigest } from '../kit/input/form-digest.ts';
import type { Transactions } from '../storage/transaction.ts';
import type { ImportEnd } from './import-thread.ts';
import { createImportForm } from './form.ts';
import { parseImport } from './input.ts';
import type { ImportJob, ImportJobs } from './jobs.ts';
import type { Spool } from './spool.ts';

export interface ImportRouteOptions {
  readonly spool: Spool;
  readonly jobs: ImportJobs;
  readonly transactions: Pick<Transactions, 'noteFailure'>;
  /** The public form of a failure of the storage; undefined when it is none. */
  readonly classifyFailure: (error: unknown) => HttpError | undefined;
  /** To be called with each failure that is answered here. */
  readonly noteFailure: (error: unknown) => void;
  readonly logError: (message: string, fields: Readonly<Record<string, string>>) => void;
}

const RETRY_SECONDS = 5;
// Four lines a second.
const LINE_EVERY_MS = 250;
const LINE_HEADERS = {
  'Content-Type': 'application/x-ndjson; charset=utf-8',
  // nginx would hold lines back.
  'X-Accel-Buffering': 'no',
};

/** `/api/imports`. */
export function importRoutes(options: ImportRouteOptions): readonly Route[] {
  return [
    {
      ...{ method: 'POST', pattern: '/api/imports', access: 'admin', body: 'multipart', limit: 'api' },
      largeBodies: 'larger files are imported on the command line: catalogue import FILE',
      operationId: 'importFile',
      handle: (context) => importFile(context, options),
    },
  ];
}

async function importFile(context: RequestContext, options: ImportRouteOptions): Promise<Reply> {
  const { jobs, transactions } = options;
  // One that was answered before is no import any more.
  if (context.idempotency?.isRepeated !== true) refuseSecond(jobs);
  const started = await upload(context, options).catch((error: unknown) => {
    // A disk that fails to store a file is the one that the database is on.
    transactions.noteFailure(error);
    throw error;
  });
  if ('kind' in started) return started;
  const { socket } = context.request;
  socket.once('close', started.stop);
  if (socket.destroyed) started.stop();
  void started.ended.catch(() => undefined).then(() => socket.off('close', started.stop));
  return prefersLines(context.request.headers.accept)
    ? stream(200, LINE_HEADERS, () => linesOf(started, context, options))
    : whole(started, context);
}

function refuseSecond({ isUnderWay }: ImportJobs): void {
  if (!isUnderWay()) return;
  throw new HttpError(409, 'An import is under way', { 'Retry-After': String(RETRY_SECONDS) });
}

/** Receives a file and begins to import it; or the answer of the same request, if it was made before. */
async function upload(
  context: RequestContext,
  { spool, jobs }: ImportRouteOptions,
): Promise<ImportJob | Reply> {
  const { idempotency } = context;
  context.inviteBody();
  const file = await spool.begin();
  let job: ImportJob | undefined;
  try {
    const digest = idempotency && new FormDigest();
    const form = createImportForm(file.handle, digest);
    await receiveParts(context, form);
    const asked = requireValid(parseImport(form.result()), context);
    const answered = digest && idempotency.replay(digest.result());
    if (answered) return answered;
    refuseSecond(jobs);
    job = jobs.start({
      asked,
      file,
      writer: writerForThread(context),
      permit: permitOf(context),
      keyed: idempotency?.request(),
    });
    return job;
  } finally {
    if (!job) await file.end();
  }
}

/** One answer once it is done, however long that takes. */
async function whole(job: ImportJob, context: RequestContext): Promise<Reply> {
  const { socket } = context.request;
  const silence = socket.timeout ?? 0;
  // The server cuts a connection on which nothing happens.
  socket.setTimeout(0);
  try {
    const { body, changeId } = requireDone(await job.ended, job, context);
    return withChange(okText(body), changeId);
  } finally {
    socket.setTimeout(silence);
  }
}

/** How far it has come, again and again, and in the last line what the one answer would be. */
async function* linesOf(
  job: ImportJob,
  context: RequestContext,
  options: ImportRouteOptions,
): AsyncGenerator<string> {
  let hasBegun = false;
  for (;;) {
    const end = await endWithin(LINE_EVERY_MS, job);
    if (end) {
      yield hasBegun ? lastLine(end, job, context, options) : `${requireDone(end, job, context).body}\n`;
      return;
    }
    yield `${JSON.stringify(job.progress())}\n`;
    hasBegun = true;
  }
}

/** The last of several lines: it is too late for another status than 200. */
function lastLine(
  end: ImportEnd,
  job: ImportJob,
  context: RequestContext,
  { classifyFailure, noteFailure, logError }: ImportRouteOptions,
): string {
  try {
    return `${requireDone(end, job, context).body}\n`;
  } catch (error) {
    if (error instanceof HttpError) return `${JSON.stringify({ error: error.message })}\n`;
    const known = classifyFailure(error);
    if (!known) throw error;
    noteFailure(error);
    logError('storage failure', { id: context.id, ...described(error) });
    return `${JSON.stringify({ error: known.message })}\n`;
  }
}

async function endWithin(ms: number, { ended }: ImportJob): Promise<ImportEnd | undefined> {
  const waiting = new AbortController();
  const time = wait(ms, undefined, { signal: waiting.signal }).catch(() => undefined);
  try {
    return await Promise.race([ended, time]);
  } finally {
    waiting.abort();
  }
}

/** An import that failed; `stored` says what of it is stored all the same, where anything is. */
export class ImportFailedError extends Error {
  override readonly name = 'ImportFailedError';
  readonly code: string;
  readonly stored: string | undefined;

  constructor(
    { reason, code }: { readonly reason: string; readonly code: string },
    stored: string | undefined,
  ) {
    super(reason);
    this.code = code;
    this.stored = stored;
  }
}

/** Throws 503 where the service stops, 401 or 403 where the caller's rights ended, and an ImportFailedError. */
function requireDone(
  end: ImportEnd,
  job: Pick<ImportJob, 'progress' | 'batchId'>,
  { request, recheck }: RequestContext,
): Extract<ImportEnd, { readonly outcome: 'done' }> {
  switch (end.outcome) {
    case 'done':
      return end;
    case 'stopped':
      if (request.socket.destroyed) throw new ClientGoneError();
      throw unavailable(
        ['The service is stopping; import the file again for the rest', storedPart(job)]
          .filter(Boolean)
          .join('; '),
        RETRY_SECONDS,
      );
    case 'notPermitted':
      recheck();
      throw unauthorized('Invalid token');
    case 'failed':
      throw new ImportFailedError(end, storedPart(job));
  }
}

/** What of an import is stored, so that it can be reverted; undefined when nothing is. */
function storedPart({ progress, batchId }: Pick<ImportJob, 'progress' | 'batchId'>): string | undefined {
  const id = batchId();
  if (id === undefined) return undefined;
  return `the first ${progress().rows.toLocaleString('en')} rows were imported as batch ${String(id)}`;
}
