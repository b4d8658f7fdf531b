import { createReadStream, rmSync, statSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestContext } from '../http/context.ts';
import { HttpError, badRequest, notFound, unauthorized } from '../http/errors.ts';
import { type Reply, stream } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import { createSecretCheck } from '../kit/input/sealed.ts';
import { type PhotoFiles, isPhotoName } from '../catalogue/photos/files.ts';
import { databasePath } from '../storage/database.ts';
import { openForReading } from '../storage/reading.ts';
import { type ChangedRows, openChangedRows } from './rows.ts';
import { copyInThread, removeOldSnapshots } from './snapshot-thread.ts';

export interface ReplicationOptions {
  readonly dataFolder: string;
  readonly token: string;
  /** The bearer token of a request; undefined when it shows none. */
  readonly bearerToken: (request: IncomingMessage) => string | undefined;
  readonly files: Pick<PhotoFiles, 'sizeOf' | 'read'>;
}

/** What replicas read of a primary. */
export interface Replication {
  readonly routes: readonly Route[];
  /** Ends the streams; new ones end at once. */
  readonly endStreams: () => void;
  readonly close: () => void;
}

// Much less than the second by which a replica may be behind. A look takes microseconds.
const LOOK_EVERY_MS = 40;
/** Milliseconds after which a replica hears from its primary though nothing was changed. */
const SILENCE_MS = 1_000;
const MOST_STREAMS = 8;
const BUSY_SECONDS = 5;
const NEVER_STORED = { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' };

/** `/replication/`: the database, its changed rows, and files of photos, for those who show the token. */
export function openReplication(options: ReplicationOptions): Replication {
  const { dataFolder } = options;
  removeOldSnapshots(dataFolder);
  const connection = openForReading(databasePath(dataFolder));
  const rows = openChangedRows(connection);
  const streams = createStreams(rows);
  const requireToken = createTokenCheck(options);
  const read = (pattern: string, handle: (context: RequestContext) => Reply | Promise<Reply>): Route => ({
    ...{ method: 'GET', access: 'public', body: 'none', limit: 'exempt', operationId: 'replicate', pattern },
    handle: (context) => {
      requireToken(context.request);
      return handle(context);
    },
  });
  return {
    routes: [
      read('/replication/snapshot', createSnapshots(dataFolder, rows)),
      read('/replication/rows', streams.open),
      read('/replication/photos/:filename', (context) => sendPhoto(context, options)),
    ],
    endStreams: streams.end,
    close: () => {
      connection.close();
    },
  };
}

function createTokenCheck({ token, bearerToken }: ReplicationOptions): (request: IncomingMessage) => void {
  const isToken = createSecretCheck(token);
  return (request) => {
    if (!isToken(bearerToken(request))) throw unauthorized('Replicas need the token of FOLLOW_TOKEN');
  };
}

/** One at a time: each takes the room of the database. */
function createSnapshots(
  dataFolder: string,
  { schemaObstacle }: ChangedRows,
): (context: RequestContext) => Promise<Reply> {
  let isBusy = false;
  return async ({ method, query }) => {
    // Before a copy is made that would be of no use.
    refuse(schemaObstacle(numberIn(query, 'schema')));
    const headers = { ...NEVER_STORED, 'Content-Type': 'application/vnd.sqlite3' };
    if (method === 'HEAD') return { status: 200, headers, kind: 'empty' };
    if (isBusy)
      throw new HttpError(503, 'Another snapshot is being made', { 'Retry-After': String(BUSY_SECONDS) });
    isBusy = true;
    const copied = await copyInThread(dataFolder).catch((error: unknown) => {
      isBusy = false;
      throw error;
    });
    const { folder, file } = copied;
    const length = { 'Content-Length': String(statSync(file).size) };
    return stream(200, { ...headers, ...length }, async function* () {
      try {
        for await (const chunk of createReadStream(file)) if (Buffer.isBuffer(chunk)) yield chunk;
      } finally {
        rmSync(folder, { recursive: true, force: true });
        isBusy = false;
      }
    });
  };
}

function createStreams(rows: ChangedRows): {
  readonly open: (context: RequestContext) => Reply;
  readonly end: () => void;
} {
  let open = 0;
  let isEnded = false;

  async function* follow(start: number, { work, response }: Following): AsyncGenerator<string> {
    open += 1;
    try {
      let seq = start;
      let [sentAt, known] = [-Infinity, NaN];
      while (!isEnded && !response.destroyed) {
        const version = rows.version();
        if (version === known && performance.now() - sentAt < SILENCE_MS) {
          await sleep(LOOK_EVERY_MS);
          continue;
        }
        const slice = rows.read(seq);
        seq = slice.seq;
        if (slice.isCut) [sentAt, known] = [performance.now(), version];
        yield slice.lines;
        await work.pause();
      }
    } finally {
      open -= 1;
    }
  }

  return {
    end: () => {
      isEnded = true;
    },
    open: (context) => {
      const { epoch, seq, schema } = readPlace(context);
      refuse(rows.schemaObstacle(schema) ?? rows.obstacle({ epoch, seq }));
      if (open >= MOST_STREAMS)
        throw new HttpError(503, 'Too many replicas', { 'Retry-After': String(BUSY_SECONDS) });
      const headers = { ...NEVER_STORED, 'Content-Type': 'application/x-ndjson' };
      if (context.method === 'HEAD') return { status: 200, headers, kind: 'empty' };
      const following = { work: context.work, response: context.request.socket };
      return stream(200, headers, () => follow(seq, following));
    },
  };
}

interface Following extends Pick<RequestContext, 'work'> {
  readonly response: { readonly destroyed: boolean };
}

function refuse(obstacle: string | undefined): void {
  if (obstacle !== undefined) throw new HttpError(410, obstacle);
}

function readPlace({ query }: RequestContext) {
  const epoch = new URLSearchParams(query).get('epoch') ?? '';
  if (epoch === '') throw badRequest('epoch is required');
  return { epoch, seq: numberIn(query, 'seq'), schema: numberIn(query, 'schema') };
}

/** Throws 400 where it is missing. */
function numberIn(query: string, name: string): number {
  const text = new URLSearchParams(query).get(name) ?? '';
  if (!/^\d{1,15}$/.test(text)) throw badRequest(`${name} must be a number`);
  return Number(text);
}

async function sendPhoto({ parameters }: RequestContext, { files }: ReplicationOptions): Promise<Reply> {
  const filename = parameters.get('filename') ?? '';
  const size = isPhotoName(filename) ? await files.sizeOf(filename) : undefined;
  if (size === undefined) throw notFound('Photo');
  const headers = {
    ...NEVER_STORED,
    'Content-Type': 'application/octet-stream',
    'Content-Length': String(size),
  };
  return stream(200, headers, () => files.read(filename, 0, size));
}
