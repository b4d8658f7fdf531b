import type { MergeLarge } from '../catalogue/merge/routes.ts';
import type { Config } from '../config/config.ts';
import { authorIdOf } from '../http/context.ts';
import { MEGABYTE, addedTooMuch } from '../http/errors.ts';
import type { Logger } from '../http/log.ts';
import type { Route } from '../http/router.ts';
import { Sealer } from '../kit/input/sealed.ts';
import { replyOfWork, workOf } from '../people/request-thread.ts';
import type { Removals } from '../people/own/erasure.ts';
import { createAnswerExpiry, createLogEmptying } from '../storage/answers.ts';
import type { ChangeLog } from '../storage/change-log.ts';
import type { Storage } from '../storage/storage.ts';
import { Versions } from '../storage/versions.ts';
import { createCompaction } from './compaction.ts';
import { EventReader } from './events.ts';
import { History } from './history.ts';
import { mergeInThread } from './merge-thread.ts';
import { changeRoutes } from './routes.ts';
import { ChangeStreams, type StreamTimes } from './stream.ts';
import { createTrashSweeper } from './trash.ts';
import { changeWriteRoutes } from './write-routes.ts';

/** The change log: writing and reading it, undoing changes, and forgetting those that are too old. */
export interface HistoryParts {
  readonly log: ChangeLog;
  /** For the erasure of accounts. */
  readonly removals: Removals;
  readonly routes: readonly Route[];
  /** Merges restaurants with a lot to move, without holding up other requests. */
  readonly mergeLarge: MergeLarge;
  /** Starts removing old data. Do not call it for a read-only catalogue. */
  readonly start: () => void;
  /** Ends the streams. */
  readonly endStreams: () => void;
  readonly stop: () => void;
}

/** Opens the change log with its routes. `forgotten` is called after each removal of what could be undone. */
export function createHistory(
  storage: Storage,
  forgotten: () => void,
  { history: { trashDays, changeLogDays, showsAuthors }, dataFolder, auth, userMegabytes }: Config,
  { warn: report }: Logger,
  streamTimes?: StreamTimes,
): HistoryParts {
  const { queries, transactions, keys } = storage;
  const { adminsOnly } = auth;
  const changed = (): void => {
    streams.wake();
    // Deletions cannot be undone, so empty the trash at once.
    if (trashDays === 0) trash.wake();
  };
  const checkAdded = (bytes: number): void => {
    if (bytes >= userMegabytes * MEGABYTE) throw addedTooMuch(userMegabytes);
  };
  const isLimited = userMegabytes > 0 && auth.mode !== 'none';
  const history = new History(storage, trashDays, changed, isLimited ? checkAdded : undefined);
  const { log, store, purges } = history;
  const streams = new ChangeStreams(store, streamTimes);
  const sealer = new Sealer(keys('change cursors'));
  const versions = new Versions(queries.file('storage'), transactions);
  const removed = (): void => {
    streams.wake();
    trash.wake();
    forgotten();
  };
  const trash = createTrashSweeper(storage, purges, report, () => {
    forgotten();
    storage.emptyLog();
  });
  const compaction = createCompaction(storage, changeLogDays, report, removed);
  // A long purge continues in the background; empty the write-ahead log only after it, since it holds the removed data.
  const emptyLog = (): boolean => !purges.isPending() && storage.emptyLog();
  const emptying = createLogEmptying(storage, emptyLog, report);
  const purged = (): void => {
    removed();
    emptying.wake();
  };
  const expiry = createAnswerExpiry(storage, report);
  const background = [compaction, trash, emptying, expiry];
  const events = new EventReader(store, sealer, () => versions.text());
  const parts = {
    history,
    transactions,
    sealer,
    streams,
    events,
    showsAuthors,
    adminsOnly,
    dataFolder,
    trashDays,
    reverted: removed,
    purged,
  };
  return {
    log,
    removals: history.removals('api', purged),
    routes: [...changeRoutes(parts), ...changeWriteRoutes(parts)],
    mergeLarge: async (context, id, from) => {
      log.checkAdded(authorIdOf(context));
      const end = await mergeInThread({ ...workOf(context, parts), id, from });
      removed();
      return replyOfWork(end, context);
    },
    start: () => {
      for (const work of background) work.wake();
    },
    endStreams: () => {
      streams.stop();
    },
    stop: () => {
      for (const work of background) work.stop();
      streams.stop();
    },
  };
}
