import { bearerToken } from './people/accounts/authenticate.ts';
import { type People, openPeople } from './people/open.ts';
import type { Passwords } from './people/accounts/passwords.ts';
import { type Catalogue, createCatalogue } from './catalogue/open.ts';
import type { StreamTimes } from './history/stream.ts';
import type { Config } from './config/config.ts';
import { WorkFailedError } from './people/accounts/request-thread.ts';
import { HttpError, conflict, unavailable } from './http/errors.ts';
import { parseAddressRanges } from './http/address.ts';
import { BodyReader, type Pace } from './http/body.ts';
import { Claims } from './http/idempotency.ts';
import { createLimits } from './http/limits.ts';
import type { Logger } from './http/log.ts';
import { createPageGuard } from './http/origins.ts';
import { type Pipeline, type PipelineOptions, createPipeline } from './http/pipeline.ts';
import { SECURITY_HEADERS, SECURITY_HEADERS_OVER_TLS } from './http/reply.ts';
import type { Route } from './http/router.ts';
import { type HistoryParts, createHistory } from './history/history.ts';
import { openRemovals } from './history/open.ts';
import { refuseWrites } from './people/replica.ts';
import { createPages } from './web/open.ts';
import { openUpgraded } from './operations/backup/upgrade.ts';
import { createWrites } from './operations/metrics/writes.ts';
import { photoFileRoutes } from './catalogue/photos/file-routes.ts';
import { type Photos, openPhotos } from './catalogue/photos/open.ts';
import { type PhotoRouteOptions, photoRoutes } from './catalogue/photos/routes.ts';
import { openPlaces } from './catalogue/places/client.ts';
import { placesRoutes } from './catalogue/places/routes.ts';
import { openMonitoring } from './operations/monitoring.ts';
import { createAnswers } from './storage/answers.ts';
import { databasePath } from './storage/database.ts';
import { isDatabaseFailure, isUniqueViolation, storageFailure } from './storage/failures.ts';
import { type Room, watchRoom } from './storage/room.ts';
import { type Storage, openReplica } from './storage/storage.ts';
import { ImportJobs } from './transfer/jobs.ts';
import { importRoutes } from './transfer/routes.ts';
import { ProgramReplacedError } from './kit/threads.ts';
import { readVersion } from './kit/version.ts';
import { StorageFailedError } from './storage/transaction.ts';

/** The whole service but for its sockets. */
export interface App {
  readonly handle: Pipeline;
  /** Those of the API. */
  readonly routes: readonly Route[];
  /** Those of the web app and the manual, which are not part of the API. */
  readonly webApp: readonly Route[];
  /** Whether the database answers and can be written. */
  readonly isWell: () => boolean;
  /** Resolves once requests are answered at full speed. */
  readonly ready: () => Promise<unknown>;
  /**
   * Loads what was left out at the start for the sake of its speed: an upgrade may replace or remove the files while this
   * process goes on.
   */
  readonly loadAhead: () => Promise<unknown>;
  /** Ends the answers that last long, and an import that is under way, so that a stop need not wait for them. */
  readonly endStreams: () => void;
  /** Checkpoints the write-ahead log and closes the database. */
  readonly close: () => void;
}

/** Values that are no settings; a test may set its own. */
export interface AppInternals {
  /** Cancels an upgrade of the data. */
  readonly signal?: AbortSignal;
  /** The speed at which bodies must arrive. */
  readonly pace?: Pace;
  /** The life of streams. */
  readonly streams?: StreamTimes;
  /** What hashes and checks passwords. */
  readonly passwords?: Passwords;
}

/**
 * Opens the data folder, makes every module with the options it declares, and joins their routes. Rejects with a
 * StorageError when the data cannot be used, such as when another server uses it, with an error that says why when the
 * first administrator cannot be made, and with the reason of `signal`.
 */
export async function createApp(config: Config, logger: Logger, internals: AppInternals = {}): Promise<App> {
  const storage = config.operations.readOnly
    ? openReplica(config.dataFolder)
    : await openUpgraded({
        dataFolder: config.dataFolder,
        isWanted: config.operations.migrate === 'auto',
        version: readVersion(),
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
  opened: Storage,
  config: Config,
  logger: Logger,
  internals: AppInternals,
): Promise<App> {
  const writes = createWrites(opened.transactions);
  const storage = { ...opened, transactions: writes.transactions };
  const history = createHistory(storage, config, logger, internals.streams);
  const removals = openRemovals(history, 'api', history.removed);
  const people = await openPeople(storage, history.log, removals, config, logger, internals.passwords);
  const { requireOwner, showAuthor } = people;
  const own = { requireOwner, showAuthor, changeLog: history.log, report: logger.warn };
  const failures = openFailures(storage, config);
  const uploads = await openUploads(storage, config, { ...own, ...failures, reportError: logger.error });
  const catalogue = createCatalogue(storage, history.log, own, people.personal, logger.warn);
  const edge = openEdge(config, storage, internals.pace);
  const places = createPlaces(storage, config, logger.warn);
  const monitoring = openMonitoring(storage, config, bearerToken, {
    ...{ writes, limits: edge.limits, bodyBytes: () => edge.bodies.bytes(), maps: places?.state },
    passwordLoad: () => people.passwords.load(),
    isFull: failures.isFull,
  });
  const pages = await createPages(config);
  const routes = [
    ...people.routes(catalogue),
    ...catalogue.routes,
    ...uploads.routes,
    ...history.routes,
    ...placesRoutes({ places, limiter: edge.limits.find(({ name }) => name === 'places')?.limiter }),
    ...pages.routes,
    ...monitoring.routes,
  ];
  storage.queries.assertAllUsed();
  const { noteFailure } = failures;
  const served = { routes: [...routes, ...pages.webApp], logger, observe: monitoring.observe, noteFailure };
  const handle = openPipeline(config, { ...edge, ...served }, people);
  if (!config.operations.readOnly) startSweeping(uploads.photos, catalogue, history, people);
  storage.waitByTimer();
  return {
    ...{ handle, routes, webApp: pages.webApp, isWell: monitoring.isWell, ready: catalogue.ready },
    loadAhead: async () => {
      storage.queries.prepareAll();
      await Promise.all([people.loadAhead(), pages.loadAhead()]);
    },
    endStreams: () => {
      history.endStreams();
      uploads.stopImports();
    },
    close: () => {
      monitoring.close();
      for (const { stop } of [people, uploads.photos.sweeper, catalogue, history, failures]) stop();
      storage.close();
    },
  };
}

/** The pipeline; on a replica one that refuses writes. */
function openPipeline(
  { operations: { readOnly, primaryUrl } }: Config,
  parts: Omit<PipelineOptions, 'classifyFailure' | 'authenticate'>,
  { authenticate }: People,
): Pipeline {
  return createPipeline({
    ...{ ...parts, classifyFailure },
    authenticate: readOnly ? refuseWrites(authenticate, primaryUrl) : authenticate,
  });
}

/** The failures that health reports. */
function openFailures(
  { transactions }: Storage,
  { dataFolder }: Config,
): Room & Pick<PipelineOptions, 'noteFailure'> {
  const room = watchRoom(dataFolder, transactions.commits);
  return {
    ...room,
    noteFailure: (error) => {
      room.noteFailure(error);
      // A photo that cannot be read is a fault of that photo alone; a page of the database may belong to anything.
      if (isDatabaseFailure(error)) transactions.noteFailure(error);
    },
  };
}

/** Removes the remains of deletions from now on, as well as of those that the change log forgets. */
function startSweeping(photos: Photos, catalogue: Catalogue, history: HistoryParts, people: People): void {
  photos.sweeper.start();
  catalogue.start();
  history.start(() => {
    catalogue.start();
    photos.sweeper.wake();
  });
  people.start();
}

type Edge = Pick<
  PipelineOptions,
  'trustedProxies' | 'securityHeaders' | 'allowedOrigins' | 'limits' | 'bodies' | 'guard' | 'claims'
>;

/** The checks and limits that requests meet before their handlers. */
function openEdge(config: Config, { queries }: Storage, pace: Pace | undefined): Edge {
  return {
    trustedProxies: parseAddressRanges(config.trustedProxies),
    securityHeaders: config.operations.tls ? SECURITY_HEADERS_OVER_TLS : SECURITY_HEADERS,
    allowedOrigins: new Set(config.allowedOrigins),
    limits: createLimits(config),
    bodies: new BodyReader(config.bodyMemory, pace),
    claims: new Claims(createAnswers(queries.file('idempotency'))),
    guard: config.auth.mode === 'none' ? createPageGuard(config) : undefined,
  };
}

type UploadParts = Pick<PhotoRouteOptions, 'changeLog' | 'showAuthor' | 'requireOwner'> &
  Pick<PipelineOptions, 'noteFailure'> & {
    readonly report: Logger['warn'];
    readonly reportError: Logger['error'];
  };

/** Photos, and files to import. On a replica their folders are left to the process that fills them. */
async function openUploads(
  { queries, transactions }: Storage,
  { dataFolder, operations, history }: Config,
  { report, reportError, noteFailure, ...others }: UploadParts,
) {
  const isReplica = operations.readOnly;
  const photos = await openPhotos({
    dataFolder,
    sql: queries.file('photos'),
    isReplica,
    transactions,
    report,
  });
  const jobs = new ImportJobs(dataFolder, history.trashDays);
  if (!isReplica) await jobs.removeLeftovers();
  const routes = [
    ...photoRoutes({ ...photos, ...others, transactions }),
    ...photoFileRoutes(photos),
    ...importRoutes({ jobs, transactions, classifyFailure, noteFailure, logError: reportError }),
  ];
  const stopImports = (): void => {
    jobs.stop();
  };
  return { photos, routes, stopImports };
}

/** Only where there is a provider. */
function createPlaces(
  { queries, transactions }: Storage,
  { maps: settings }: Config,
  report: Logger['warn'],
) {
  if (!settings) return undefined;
  return openPlaces({ settings, version: readVersion(), sql: queries.file('places'), transactions, report });
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
