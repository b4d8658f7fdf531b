import { createCompaction } from './compaction.ts';
import { createChangeCursors } from './cursor.ts';
import { type History, openHistory } from './open.ts';
import { createEventReader } from './events.ts';
import { changeRoutes } from './routes.ts';
import { type StreamTimes, createChangeStreams } from './stream.ts';
import { createTrashSweeper } from './trash.ts';
import { changeWriteRoutes } from './write-routes.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../http/log.ts';
import type { Route } from '../http/router.ts';
import { Sealer } from '../kit/input/sealed.ts';
import { createAnswerClearing, createAnswerExpiry, createAnswers } from '../storage/answers.ts';
import type { Storage } from '../storage/storage.ts';
import { createVersions } from '../storage/versions.ts';

/** The change log: writing and reading it, undoing changes, and forgetting those that are too old. */
export interface HistoryParts extends History {
  /** To be called when something was removed for good: files may be due, categories may be gone. */
  readonly removed: () => void;
  readonly routes: readonly Route[];
  /** Forgets what is too old from now on; not for a replica, which never writes. `forgotten` is called after that. */
  readonly start: (forgotten: () => void) => void;
  /** Ends the streams. */
  readonly endStreams: () => void;
  readonly stop: () => void;
}

/** Opens the change log with its routes. */
export function createHistory(
  storage: Storage,
  { history, dataFolder, auth }: Config,
  { warn: report }: Logger,
  streamTimes?: StreamTimes,
): HistoryParts {
  const { queries, transactions, keys } = storage;
  const { trashDays, changeLogDays, showsAuthors } = history;
  const changed = (): void => {
    streams.wake();
    // What was deleted cannot come back.
    if (trashDays === 0) trash.wake();
  };
  const opened = openHistory({ queries, transactions, trashDays, changed });
  const { store } = opened;
  const streams = createChangeStreams(store, streamTimes);
  const key = keys('change cursors');
  const cursors = createChangeCursors(key);
  const versions = createVersions(queries.file('storage'), transactions);
  const readEvents = createEventReader(store, cursors, versions.text);
  let forgotten = (): void => undefined;
  const removed = (): void => {
    streams.wake();
    trash.wake();
    forgotten();
  };
  const trash = createTrashSweeper({
    ...{ queries, transactions, report, purges: opened.purges },
    swept: () => {
      forgotten();
      storage.emptyLog();
    },
  });
  const compaction = createCompaction({
    ...{ sql: queries.file('compaction'), transactions, changeLogDays, report },
    forgotten: removed,
  });
  const clearing = createAnswerClearing({
    // A long purge goes on in the background; what it removes has to leave the write-ahead log, too.
    storage: { ...storage, emptyLog: () => !opened.purges.isPending() && storage.emptyLog() },
    report,
  });
  const expiry = createAnswerExpiry({ storage, report });
  const routes = [
    ...changeRoutes({ store, cursors, streams, readEvents, showsAuthors }),
    ...changeWriteRoutes({
      ...opened,
      ...{ transactions, showsAuthors, dataFolder, trashDays },
      adminsOnly: auth.adminsOnly,
      sealer: new Sealer(key),
      done: removed,
      answers: createAnswers(queries.file('idempotency')),
      purged: clearing.wake,
    }),
  ];
  return {
    ...opened,
    removed,
    routes,
    start: (whenForgotten) => {
      forgotten = whenForgotten;
      for (const { wake } of [compaction, trash, clearing, expiry]) wake();
    },
    endStreams: streams.stop,
    stop: () => {
      for (const { stop } of [compaction, trash, clearing, expiry]) stop();
      streams.stop();
    },
  };
}
