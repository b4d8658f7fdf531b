import { setTimeout as wait } from 'node:timers/promises';
import type { CatalogueParts } from '../catalogue/parts.ts';
import { sortedQuery } from '../catalogue/restaurants/input.ts';
import { choiceOf } from '../catalogue/restaurants/reads.ts';
import { type RequestContext, authorIdOf } from '../http/context.ts';
import { ClientGoneError, HttpError, described, requireValid } from '../http/errors.ts';
import { prefersLines } from '../http/negotiation.ts';
import { type Reply, okText, stream, withChange } from '../http/reply.ts';
import { PUBLIC_READ, type Route, SESSION_OR_TOKEN } from '../http/router.ts';
import { choiceParameter, queryParser, requireParameters } from '../kit/input/query.ts';
import { OverloadedError, Queue, type Turn } from '../kit/queue.ts';
import { ALL, inTurns } from '../kit/slices.ts';
import { type WorkEnd, askedBy, requireDone } from '../people/request-thread.ts';
import type { Transactions } from '../storage/transaction.ts';
import { fileText } from './export.ts';
import { FORMATS, FORMS } from './formats.ts';
import { RETRY_LATER } from './import-thread.ts';
import { type ImportJob, type ImportJobs, OTHERS_AHEAD } from './jobs.ts';
import { receiveImport } from './upload.ts';

export interface TransferRouteOptions {
  readonly jobs: ImportJobs;
  /** WRITE_ACCESS=admins */
  readonly adminsOnly: boolean;
  readonly catalogue: Pick<CatalogueParts, 'index' | 'stores' | 'views' | 'changeLog'>;
  readonly transactions: Pick<Transactions, 'noteFailure'>;
  /** The public form of a failure of the storage; undefined for another failure. */
  readonly classifyFailure: (error: unknown) => HttpError | undefined;
  /** Call this with each failure that is answered here. */
  readonly noteFailure: (error: unknown) => void;
  readonly logError: (message: string, fields: Readonly<Record<string, string>>) => void;
}

const parseExportQuery = queryParser((query) => {
  requireParameters(query, ['format']);
  const chosen = sortedQuery(query, false);
  return {
    ...chosen,
    includes: [],
    isSorted: query.raw.has('sort'),
    isWhole: chosen.filters.length === 0 && chosen.words === undefined && !chosen.near,
    format: choiceParameter(query, 'format', FORMATS) ?? 'csv',
    hasMark: choiceParameter(query, 'bom', ['true', 'false']) === 'true',
  };
});

const MOST_WAIT_MS = 60_000;
// Four lines a second.
const LINE_EVERY_MS = 250;
const LINE_HEADERS = {
  'Content-Type': 'application/x-ndjson; charset=utf-8',
  // nginx would hold lines back.
  'X-Accel-Buffering': 'no',
};

/** `/api/imports` and `/api/export`. */
export function transferRoutes(options: TransferRouteOptions): readonly Route[] {
  const { jobs, adminsOnly, transactions, classifyFailure, noteFailure, logError } = options;
  const { index, stores, views, changeLog } = options.catalogue;
  const exports = new Queue({ atOnce: Infinity, perKey: 1, maxWaitMs: MOST_WAIT_MS });
  return [
    {
      method: 'POST',
      pattern: '/api/imports',
      // What they may import depends on the file.
      access: 'user',
      credentials: SESSION_OR_TOKEN,
      answers: 'private',
      body: 'multipart',
      limit: 'api',
      largeBodies: 'larger files are imported on the command line: catalogue import FILE',
      operationId: 'importFile',
      handle: importFile,
    },
    {
      ...PUBLIC_READ,
      pattern: '/api/export',
      credentials: SESSION_OR_TOKEN,
      operationId: 'exportRestaurants',
      handle: exportFile,
    },
  ];

  async function exportFile(context: RequestContext): Promise<Reply> {
    const asked = requireValid(parseExportQuery(context.query), context);
    const { own, headers } = await views.open(asked, context);
    const { isSorted, isWhole, hasMark, format, sort } = asked;
    const choice = choiceOf(asked, context, Date.now(), own);
    const disposition = `attachment; filename="restaurants.${format}"`;
    const head = { ...headers, 'Content-Type': FORMS[format].type, 'Content-Disposition': disposition };
    return stream(200, head, async function* () {
      // Taken only when the stream starts: its end is the end of the turn, even if the client disconnects.
      const end = await turnOf(context, exports, { key: context.client.key });
      try {
        await context.work.pause();
        const ids: number[] = [];
        for await (const part of index.ids({ ...choice, ...ALL, sort })) {
          ids.push(...part);
          await context.work.pause();
        }
        if (!isSorted) ids.sort((one, other) => one - other);
        const places = ids.map((id) => ({ id }));
        const text = fileText(format, places, stores, () => index.lookups(), { isWhole, hasMark });
        yield* inTurns(text, context.work.pause);
      } finally {
        end();
      }
    });
  }

  async function importFile(context: RequestContext): Promise<Reply> {
    // A retry of an answered request adds nothing.
    if (context.idempotency?.isRepeated !== true) changeLog.checkAdded(authorIdOf(context));
    const job = await upload(context).catch((error: unknown) => {
      // A disk that fails to store a file is the one that the database is on.
      transactions.noteFailure(error);
      throw error;
    });
    if ('kind' in job) return job;
    const { socket } = context.request;
    socket.once('close', job.stop);
    if (socket.destroyed) job.stop();
    void job.ended.catch(() => undefined).then(() => socket.off('close', job.stop));
    if (prefersLines(context.request.headers.accept))
      return stream(200, LINE_HEADERS, () => linesOf(job, context));
    const silence = socket.timeout ?? 0;
    // The server would close a silent connection.
    socket.setTimeout(0);
    try {
      const { body, changeId } = doneOf(await job.ended, job, context);
      return withChange(okText(body), changeId);
    } finally {
      socket.setTimeout(silence);
    }
  }

  /** Receives a file and begins to import it; or the answer of the same request, if it was made before. */
  async function upload(context: RequestContext): Promise<ImportJob | Reply> {
    const { idempotency } = context;
    context.inviteBody();
    const file = await jobs.createFile();
    let job: ImportJob | undefined;
    try {
      const asked = requireValid(await receiveImport(context, file.handle), context);
      const answered = idempotency?.replayForm();
      if (answered) return answered;
      const work = { ...asked, ...askedBy(context), ownerId: authorIdOf(context), adminsOnly };
      const maxWaitMs = prefersLines(context.request.headers.accept) ? undefined : MOST_WAIT_MS;
      job = jobs.start(file, work, context.principal?.isAdmin === true, maxWaitMs);
      return job;
    } finally {
      if (!job) await file.end();
    }
  }

  /** Progress lines, then a last line with the normal response body. */
  async function* linesOf(job: ImportJob, context: RequestContext): AsyncGenerator<string> {
    const endOrTime = () => Promise.race([job.ended, wait(LINE_EVERY_MS, undefined, { ref: false })]);
    let end = await endOrTime();
    if (end) yield `${doneOf(end, job, context).body}\n`;
    else {
      for (; !end; end = await endOrTime()) yield `${JSON.stringify(job.meter.progress())}\n`;
      yield `${lastLine(end, job, context)}\n`;
    }
  }

  /** The last of several lines: it is too late for another status than 200. */
  function lastLine(end: WorkEnd, job: ImportJob, context: RequestContext): string {
    try {
      return doneOf(end, job, context).body;
    } catch (error) {
      if (error instanceof HttpError)
        return JSON.stringify({ error: error.message, code: error.code, status: error.status });
      const known = classifyFailure(error);
      if (!known) throw error;
      noteFailure(error);
      logError('storage failure', { id: context.id, ...described(error) });
      return JSON.stringify({ error: known.message, status: known.status });
    }
  }
}

/** Waits for the turn of a request, which ends when the function is called. Rejects with 503, or once the client has gone. */
async function turnOf(
  { request: { socket } }: RequestContext,
  queue: Queue,
  turn: Turn,
): Promise<() => void> {
  const gone = new AbortController();
  const leave = (): void => {
    gone.abort();
  };
  if (socket.destroyed) throw new ClientGoneError();
  socket.once('close', leave);
  const silence = socket.timeout ?? 0;
  // The server would close a silent connection.
  socket.setTimeout(0);
  try {
    return await queue.take({ ...turn, signal: gone.signal });
  } catch (error) {
    if (gone.signal.aborted) throw new ClientGoneError();
    throw error instanceof OverloadedError ? new HttpError(503, OTHERS_AHEAD, RETRY_LATER) : error;
  } finally {
    socket.setTimeout(silence);
    socket.off('close', leave);
  }
}

/** The end of an import that was done. Throws as `requireDone`. */
function doneOf(
  end: WorkEnd,
  { meter }: ImportJob,
  { request, recheck }: RequestContext,
): ReturnType<typeof requireDone> {
  const batchId = meter.batchId();
  // What is stored nevertheless, so that it can be reverted.
  const stored =
    batchId === undefined
      ? undefined
      : `the first ${meter.progress().rows.toLocaleString('en')} rows were imported as batch ${batchId}`;
  if (end.outcome === 'refused' && request.socket.destroyed) throw new ClientGoneError();
  return requireDone(end, recheck, stored);
}
