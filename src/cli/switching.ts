import type { Logger } from '../http/log.ts';
import type { Pipeline } from '../http/pipeline.ts';
import { StorageError } from '../storage/database.ts';
import { type FileMark, markOf, noteLog } from '../storage/replaced.ts';
import { verifyInThread } from '../storage/snapshot.ts';
import { reasonOf } from '../kit/system-error.ts';

/** The part of an app that the server needs. */
export interface Served {
  readonly handle: Pipeline;
  readonly isWell: () => boolean;
  readonly endStreams: () => void;
  readonly close: () => void;
}

/** An app and the database file that it was opened on. */
interface OpenDatabase {
  readonly app: Served & { readonly ready: () => Promise<unknown> };
  readonly identity: string | undefined;
  /** Removes this file's write-ahead log once another database has its name. */
  readonly removeLog: () => void;
  /** Requests in progress. */
  running: number;
}

const LOOK_EVERY_MS = 1_000;

/**
 * Opens a replica's app, and another one whenever a different database file is renamed into place: new requests go to
 * the new app, and the old one is closed after its last response. An unusable file is not tried again until it
 * changes. Rejects like `open`.
 */
export async function openSwitching(
  dataFolder: string,
  open: () => Promise<OpenDatabase['app']>,
  logger: Logger,
): Promise<Served> {
  const databases = new Set<OpenDatabase>();
  let current = await openDatabase();
  databases.add(current);
  let refusedState: string | undefined;
  let isStopped = false;
  let timer = setTimeout(look, LOOK_EVERY_MS);

  async function openDatabase(): Promise<OpenDatabase> {
    // Read before opening, so that a file replaced in between is opened again.
    const identity = markOf(dataFolder)?.identity;
    const app = await open();
    return { app, identity, removeLog: noteLog(dataFolder), running: 0 };
  }

  function close(database: OpenDatabase): void {
    if (databases.delete(database)) database.app.close();
  }

  function look(): void {
    void switchToNewFile().then(() => {
      if (!isStopped) timer = setTimeout(look, LOOK_EVERY_MS);
    });
  }

  async function switchToNewFile(): Promise<void> {
    let mark: FileMark | undefined;
    try {
      mark = markOf(dataFolder);
      if (!mark || mark.identity === current.identity || mark.state === refusedState) return;
      current.removeLog();
      const fault = await verifyInThread(dataFolder);
      if (fault !== undefined) throw new StorageError(fault);
      const next = await openDatabase();
      try {
        await next.app.ready();
      } catch (error) {
        next.app.close();
        throw error;
      }
      if (isStopped) next.app.close();
      else switchTo(next);
    } catch (error) {
      refusedState = mark?.state;
      if (isStopped) return;
      logger.warn('the new database cannot be used, the old one stays in use', { reason: reasonOf(error) });
    }
  }

  function switchTo(next: OpenDatabase): void {
    const former = current;
    current = next;
    databases.add(next);
    former.app.endStreams();
    if (former.running === 0) close(former);
    logger.info('serving the new database', { data: dataFolder });
  }

  return {
    handle: async (request, response) => {
      const database = current;
      database.running += 1;
      await database.app.handle(request, response);
      database.running -= 1;
      if (database !== current && database.running === 0) close(database);
    },
    isWell: () => current.app.isWell(),
    endStreams: () => {
      for (const { app } of databases) app.endStreams();
    },
    close: () => {
      isStopped = true;
      clearTimeout(timer);
      for (const database of databases) close(database);
    },
  };
}
