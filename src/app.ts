import { createPeople, openAccounts } from './people/open.ts';
import type { FileOf } from './people/links/routes.ts';
import type { Passwords } from './people/accounts/passwords.ts';
import { createLookupSweeper } from './catalogue/lookups/sweep.ts';
import { createCatalogue } from './catalogue/open.ts';
import type { StreamTimes } from './history/stream.ts';
import type { Config } from './config/config.ts';
import { WorkFailedError } from './people/request-thread.ts';
import { HttpError, conflict, described, unavailable } from './http/errors.ts';
import { parseAddressRanges } from './http/address.ts';
import { BodyReader, type Pace } from './http/body.ts';
import { Claims } from './http/idempotency.ts';
import { createLimits } from './http/limits.ts';
import type { Logger } from './http/log.ts';
import { PageGuard } from './http/origins.ts';
import { type Pipeline, createPipeline } from './http/pipeline.ts';
import { SECURITY_HEADERS, SECURITY_HEADERS_OVER_TLS } from './http/reply.ts';
import type { Route } from './http/router.ts';
import { createHistory } from './history/open.ts';
import { createPages } from './web/open.ts';
import { openUpgraded } from './operations/backup/upgrade.ts';
import { Monitoring } from './operations/metrics/routes.ts';
import { WriteMeter } from './operations/metrics/writes.ts';
import { mergeRoutes } from './catalogue/merge/routes.ts';
import { photoRoutes } from './catalogue/photos/routes.ts';
import { openPhotos } from './catalogue/photos/sweep.ts';
import { PlacesClient } from './catalogue/places/client.ts';
import { MapLinks } from './catalogue/places/links.ts';
import { placesRoutes } from './catalogue/places/routes.ts';
import { Answers } from './storage/answers.ts';
import { databasePath } from './storage/database.ts';
import { isDatabaseFailure, isUniqueViolation, storageFailure } from './storage/failures.ts';
import { Room } from './storage/room.ts';
import { type Storage, openReplica } from './storage/storage.ts';
import { fileText } from './transfer/export.ts';
import { FORMS } from './transfer/formats.ts';
import { ImportJobs } from './transfer/jobs.ts';
import { transferRoutes } from './transfer/routes.ts';
import { ProgramReplacedError } from './kit/threads.ts';
import { StorageFailedError } from './storage/transaction.ts';

/** The service without its listening sockets. */
export interface App {
  readonly handle: Pipeline;
  /** The routes of the API. */
  readonly routes: readonly Route[];
  /** The routes of the web app and the manual. */
  readonly webApp: readonly Route[];
  /** True while the database is readable and writable. */
  readonly isWell: () => boolean;
  /** Resolves once requests are answered at full speed. */
  readonly ready: () => Promise<unknown>;
  /** Loads what a fast start left out, before an upgrade replaces the files of this running process. */
  readonly loadAhead: () => Promise<unknown>;
  /** Ends streams, and an import under way, so that a stop does not wait for them. */
  readonly endStreams: () => void;
  /** Checkpoints the write-ahead log and closes the database. */
  readonly close: () => void;
}

/** Overrides, mostly for tests. */
export interface AppInternals {
  /** Cancels an upgrade of the data. */
  readonly signal?: AbortSignal;
  /** How fast request bodies must arrive. */
  readonly pace?: Pace;
  readonly streams?: StreamTimes;
  readonly passwords?: Passwords;
  /** Base addresses of servers that stand for the hosts of map links. */
  readonly mapHosts?: ReadonlyMap<string, string>;
}

/**
 * Opens the data folder and every module, and joins their routes. Rejects with a StorageError when the data cannot be
 * used (for example because another server uses it), with an error that says why the first administrator cannot be
 * created, and with the reason of `signal`.
 */
export async function createApp(config: Config, logger: Logger, internals: AppInternals = {}): Promise<App> {
  const storage = config.operations.readOnly
    ? openReplica(config.dataFolder)
    : await openUpgraded({
        dataFolder: config.dataFolder,
        isWanted: config.operations.migrate === 'auto',
        signal: internals.signal ?? new AbortController().signal,
        info: logger.info,
      });
  if (storage.isNew) logger.info('new catalogue', { database: databasePath(config.dataFolder) });
  try {
    return await assemble(storage, config, logger, internals);
  } catch (error) {
    storage.abandon();
    throw error;
  }
}

async function assemble(
  storage: Storage,
  config: Config,
  logger: Logger,
  internals: AppInternals,
): Promise<App> {
  const { dataFolder } = config;
  const { readOnly } = config.operations;
  const { queries, transactions } = storage;
  const writes = new WriteMeter(transactions);
  const report = logger.warn;
  const room = new Room(dataFolder, () => transactions.commits());
  const noteFailure = (error: unknown): void => {
    room.noteFailure(error);
    // An unreadable photo is a fault of that photo only; a page of the database may belong to anything.
    if (isDatabaseFailure(error)) transactions.noteFailure(error);
  };

  const photos = await openPhotos(storage, dataFolder, readOnly, report);
  const lookupSweeper = createLookupSweeper(storage, report);
  // They remove what deletions leave behind, also once the change log forgets them.
  const sweep = (): void => {
    lookupSweeper.wake();
    photos.sweeper.wake();
  };
  const history = createHistory(storage, sweep, config, logger, internals.streams);
  const accounts = await openAccounts(storage, history.removals, config, logger, internals.passwords);
  const catalogue = createCatalogue(storage, history.log, accounts, lookupSweeper);
  const jobs = new ImportJobs(dataFolder, config.history.trashDays);
  if (!readOnly) await jobs.removeLeftovers();
  const { maps: settings } = config;
  const places =
    settings && new PlacesClient({ settings, sql: queries.file('places'), transactions, report });
  const mapLinks = config.mapLinks ? new MapLinks({ report, standIns: internals.mapHosts }) : undefined;
  const limits = createLimits(config.rateLimit, config.filesRateLimit, config.edgeLimits);
  const bodies = new BodyReader(config.bodyMemory, internals.pace);
  const monitoring = new Monitoring(queries.file('metrics'), {
    dataFolder,
    metricsToken: config.operations.metricsToken,
    backupFolder: config.operations.backups?.folder,
    transactions,
    writes,
    limits,
    bodyBytes: () => bodies.bytes(),
    passwordLoad: () => accounts.parts.passwords.load(),
    maps: places && (() => places.state()),
    isFull: () => room.isFull(),
  });
  const { stores, index } = catalogue.parts;
  const fileOf: FileOf = (format, listName, places) => ({
    type: FORMS[format].type,
    text: fileText(format, places, stores, () => index.lookups(), { listName }),
  });
  const people = createPeople(storage, config, logger, {
    accounts,
    catalogue: catalogue.parts,
    changeLog: history.log,
    fileOf,
    version: catalogue.publicAnswers.version,
  });
  const pages = await createPages(config, catalogue.publicAnswers, people.links, (error) => {
    noteFailure(error);
    logger.error('page without its data', described(error));
  });

  const routes = [
    ...people.routes,
    ...catalogue.routes,
    ...mergeRoutes(catalogue.parts, history.mergeLarge),
    ...photoRoutes(catalogue.parts, photos, transactions),
    ...transferRoutes({
      jobs,
      adminsOnly: config.auth.adminsOnly,
      catalogue: catalogue.parts,
      transactions,
      classifyFailure,
      noteFailure,
      logError: logger.error,
    }),
    ...history.routes,
    ...placesRoutes(places, mapLinks, limits.find(({ name }) => name === 'places')?.limiter),
    ...pages.routes,
    ...monitoring.routes,
  ];
  const handle = createPipeline({
    routes: [...routes, ...pages.webApp],
    trustedProxies: parseAddressRanges(config.trustedProxies),
    securityHeaders: config.operations.tls ? SECURITY_HEADERS_OVER_TLS : SECURITY_HEADERS,
    allowedOrigins: new Set(config.allowedOrigins),
    guard: config.auth.mode === 'none' ? new PageGuard(config) : undefined,
    limits,
    bodies,
    claims: new Claims(new Answers(queries.file('idempotency'))),
    authenticate: accounts.authenticate,
    classifyFailure,
    noteFailure,
    observe: (entry) => {
      monitoring.traffic.observe(entry);
    },
    logger,
  });
  queries.assertAllUsed();

  if (!readOnly) {
    photos.sweeper.start();
    lookupSweeper.wake();
    history.start();
    accounts.erasures.start();
    people.closing.wake();
  }
  storage.waitByTimer();
  return {
    handle,
    routes,
    webApp: pages.webApp,
    isWell: () => monitoring.isWell(),
    ready: catalogue.ready,
    loadAhead: async () => {
      queries.prepareAll();
      await Promise.all([accounts.loadAhead(), pages.loadAhead()]);
    },
    endStreams: () => {
      history.endStreams();
      jobs.stop();
    },
    close: () => {
      for (const one of [
        monitoring,
        accounts.erasures,
        people.closing,
        photos.sweeper,
        lookupSweeper,
        history,
        room,
      ])
        one.stop();
      storage.close();
    },
  };
}

const FAILURES = {
  full: new HttpError(507, 'Storage is full'),
  busy: unavailable('Storage is busy. Please try again.', 1),
  exhausted: unavailable('Too many files are open. Please try again.', 1),
  failed: unavailable('Storage has failed; the service must be restarted', 60),
  replaced: unavailable('The program was replaced; the service must be restarted', 60),
  duplicate: conflict('Record already exists'),
};

/** The public form of a failure of the storage or of the installed program; undefined for a bug. */
function classifyFailure(error: unknown): HttpError | undefined {
  const kind = failureOf(error);
  const known = kind && FAILURES[kind];
  if (!known || !(error instanceof WorkFailedError) || error.stored === undefined) return known;
  return new HttpError(known.status, `${known.message}; ${error.stored}`, known.headers);
}

function failureOf(error: unknown): keyof typeof FAILURES | undefined {
  if (isUniqueViolation(error)) return 'duplicate';
  if (error instanceof ProgramReplacedError) return 'replaced';
  return error instanceof StorageFailedError ? 'failed' : storageFailure(error);
}
