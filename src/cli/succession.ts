import type { Logger } from '../http/log.ts';
import type { Pipeline } from '../http/pipeline.ts';
import { StorageError } from '../storage/database.ts';
import { type FileMark, markOf, noteLog } from '../storage/replaced.ts';
import { verifyInThread } from '../storage/snapshot.ts';
import { reasonOf } from '../kit/system-error.ts';

/** What the server needs of an app. */
export interface Served {
  readonly handle: Pipeline;
  readonly isWell: () => boolean;
  readonly endStreams: () => void;
  readonly close: () => void;
}

type Opened = Served & { readonly ready: () => Promise<unknown> };

export interface SuccessionOptions {
  readonly dataFolder: string;
  readonly logger: Logger;
  /** Opens an app on the data folder; `ready` resolves once it answers at full speed. */
  readonly open: () => Promise<Opened>;
}

/** An app with the file that it was opened on. */
interface Reign {
  readonly identity: string | undefined;
  /** Removes the log of its file from beside another one. */
  readonly removeLog: () => void;
  readonly app: Opened;
  /** Requests that are being answered. */
  running: number;
}

const LOOK_EVERY_MS = 1_000;

/**
 * Opens the app of a replica, and another one beside it whenever another database file was renamed into place: new
 * requests go there, and the old one is closed after its last answer. A file that cannot be used is left alone until it
 * changes. Rejects like `open`.
 */
export async function openSuccession(options: SuccessionOptions): Promise<Served> {
  const reigns = new Set<Reign>();
  let current = await openReign(options);
  reigns.add(current);

  function close(reign: Reign): void {
    if (reigns.delete(reign)) reign.app.close();
  }

  const stopWatching = watchFile(
    options,
    () => current,
    (next) => {
      const former = current;
      current = next;
      reigns.add(next);
      former.app.endStreams();
      if (former.running === 0) close(former);
    },
  );

  return {
    handle: async (request, response) => {
      const reign = current;
      reign.running += 1;
      await reign.app.handle(request, response);
      reign.running -= 1;
      if (reign !== current && reign.running === 0) close(reign);
    },
    isWell: () => current.app.isWell(),
    endStreams: () => {
      for (const { app } of reigns) app.endStreams();
    },
    close: () => {
      stopWatching();
      for (const reign of reigns) close(reign);
    },
  };
}

async function openReign({ dataFolder, open }: SuccessionOptions): Promise<Reign> {
  // Before it is opened: one that is replaced meanwhile is opened again.
  const identity = markOf(dataFolder)?.identity;
  const app = await open();
  return { app, identity, removeLog: noteLog(dataFolder), running: 0 };
}

/** Looks again and again whether there is another file, and hands its app over. Returns the end of that. */
function watchFile(
  options: SuccessionOptions,
  current: () => Reign,
  succeed: (next: Reign) => void,
): () => void {
  const { dataFolder, logger } = options;
  let refused: string | undefined;
  let isStopped = false;
  let timer = setTimeout(look, LOOK_EVERY_MS);

  async function open(): Promise<void> {
    current().removeLog();
    const fault = await verifyInThread(dataFolder);
    if (fault !== undefined) throw new StorageError(fault);
    const next = await openReign(options);
    try {
      await next.app.ready();
    } catch (error) {
      next.app.close();
      throw error;
    }
    if (isStopped) {
      next.app.close();
      return;
    }
    succeed(next);
    logger.info('serving the new database', { data: dataFolder });
  }

  async function lookOnce(): Promise<void> {
    let mark: FileMark | undefined;
    try {
      mark = markOf(dataFolder);
      if (mark && mark.identity !== current().identity && mark.state !== refused) await open();
    } catch (error) {
      refused = mark?.state;
      if (isStopped) return;
      logger.warn('the new database cannot be used, the old one stays in use', { reason: reasonOf(error) });
    }
  }

  function look(): void {
    void lookOnce().then(() => {
      if (!isStopped) timer = setTimeout(look, LOOK_EVERY_MS);
    });
  }

  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
