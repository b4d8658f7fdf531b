import { createCompaction } from './changes/compaction.ts';
import { createChangeCursors } from './changes/cursor.ts';
import { type History, openHistory } from './changes/open.ts';
import { changeRoutes } from './changes/routes.ts';
import { type StreamTimes, createChangeStreams } from './changes/stream.ts';
import { changeWriteRoutes } from './changes/write-routes.ts';
import type { Config } from './config.ts';
import type { Logger } from './http/log.ts';
import type { Route } from './http/router.ts';
import { createSealer } from './input/sealed.ts';
import type { Storage } from './storage/storage.ts';

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
  };
  const opened = openHistory({ queries, transactions, trashDays, changed });
  const { store } = opened;
  const streams = createChangeStreams(store, streamTimes);
  const key = keys('change cursors');
  let forgotten = (): void => undefined;
  const removed = (): void => {
    streams.wake();
    forgotten();
  };
  const compaction = createCompaction({
    ...{ sql: queries.file('compaction'), transactions, changeLogDays, report },
    forgotten: removed,
  });
  const routes = [
    ...changeRoutes({ store, cursors: createChangeCursors(key), streams, showsAuthors }),
    ...changeWriteRoutes({
      ...opened,
      ...{ transactions, showsAuthors, dataFolder, trashDays },
      adminsOnly: auth.adminsOnly,
      sealer: createSealer(key),
      done: removed,
    }),
  ];
  return {
    ...opened,
    removed,
    routes,
    start: (whenForgotten) => {
      forgotten = whenForgotten;
      compaction.wake();
    },
    endStreams: streams.stop,
    stop: () => {
      compaction.stop();
      streams.stop();
    },
  };
}
