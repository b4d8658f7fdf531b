import { createAdministrator } from './accounts/administrator.ts';
import { createApiTokenStore } from './accounts/api-tokens.ts';
import { createLoginAttempts } from './accounts/attempts.ts';
import {
  type OwnerCheck,
  authenticateNobody,
  bearerToken,
  createAuthenticator,
  createOwnerCheck,
} from './accounts/authenticate.ts';
import { type Passwords, createPasswords } from './accounts/passwords.ts';
import { accountRoutes, sessionClient } from './accounts/routes.ts';
import { createSessionStore } from './accounts/sessions.ts';
import { createSignIn } from './accounts/sign-in.ts';
import { apiTokenRoutes } from './accounts/token-routes.ts';
import { createAccessTokens } from './accounts/tokens.ts';
import { createUserStore } from './accounts/users.ts';
import { createCatalogue } from './catalogue.ts';
import type { Config } from './config.ts';
import { documentationRoutes } from './documentation/routes.ts';
import { classifyFailure, noteDatabaseFailure } from './failures.ts';
import type { Pace } from './http/arrival.ts';
import type { RequestContext } from './http/context.ts';
import { type Edge, createEdge } from './http/edge.ts';
import type { Logger } from './http/log.ts';
import { type Authenticator, type Pipeline, createPipeline } from './http/pipeline.ts';
import type { Route } from './http/router.ts';
import { createJoin } from './identity/join.ts';
import { identityRoutes } from './identity/routes.ts';
import { createHealthCheck, healthRoutes } from './operations/health.ts';
import { refuseWrites } from './operations/replica.ts';
import { type Metrics, type MetricsOptions, createMetrics } from './operations/metrics.ts';
import { newestBackup } from './operations/rotate.ts';
import { openUpgraded } from './operations/upgrade.ts';
import { createWrites } from './operations/writes.ts';
import { photoFileRoutes } from './photos/file-routes.ts';
import { type Photos, openPhotos, readPhotos } from './photos/open.ts';
import { photoRoutes } from './photos/routes.ts';
import type { PlacesClient } from './places/client.ts';
import { openPlaces } from './places/open.ts';
import { placesRoutes } from './places/routes.ts';
import { databasePath } from './storage/database.ts';
import { type Storage, openReplica } from './storage/storage.ts';
import { readVersion } from './version.ts';

/** The whole service but for its sockets. */
export interface App {
  readonly handle: Pipeline;
  readonly routes: readonly Route[];
  /** Whether the database answers and can be written. */
  readonly isWell: () => boolean;
  /** Brings the write-ahead log into the database file and closes it. */
  readonly close: () => void;
}

/** What no setting says; a test may bring its own. */
export interface AppInternals {
  /** Calls an upgrade of the data off. */
  readonly signal?: AbortSignal;
  /** How fast bodies must arrive. */
  readonly pace?: Pace;
}

/**
 * Opens the data folder, makes every room with the options it declares, and joins their routes. Rejects with a
 * StorageError when the data cannot be used, such as when another server uses it, with an AdministratorError when
 * the first administrator cannot be made, and with the reason of `signal`.
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
  const writes = createWrites();
  const storage = { ...opened, transactions: writes.measured(opened.transactions) };
  const { transactions, queries } = storage;
  const accounts = await openAccounts(storage, config, logger);
  const { readOnly, primaryUrl } = config.operations;
  const photos = await openPhotoRoom(storage, config, logger);
  const catalogue = createCatalogue(storage, accounts.requireOwner, logger.warn);
  const edge = openEdge(config, internals);
  const places = createPlaces(storage, config, logger);
  const operations = openOperations(storage, config, {
    writes,
    limits: edge.limits.named,
    bodyBytes: edge.bodyBytes,
    passwordLoad: accounts.passwordLoad,
    maps: places?.state,
  });
  const routes = [
    ...accounts.routes,
    ...catalogue.routes,
    ...photoRoutes({ ...photos, transactions, requireOwner: accounts.requireOwner }),
    ...photoFileRoutes(photos),
    ...placesRoutes({ places, limiter: edge.limits.places }),
    ...createDocumentationRoutes(config),
    ...operations.routes,
  ];
  queries.assertAllUsed();
  const handle = createPipeline({
    routes,
    logger,
    ...edge.options,
    authenticate: readOnly ? refuseWrites(accounts.authenticate, primaryUrl) : accounts.authenticate,
    classifyFailure,
    observe: operations.observe,
    noteFailure: noteDatabaseFailure(transactions),
  });
  photos.sweeper.start();
  if (!readOnly) catalogue.start();
  storage.beginServing();
  const close = (): void => {
    operations.close();
    photos.sweeper.stop();
    catalogue.stop();
    storage.close();
  };
  return { handle, routes, isWell: operations.isWell, close };
}

function openEdge(config: Config, { pace }: AppInternals): Edge {
  const terminatesTls = config.operations.tls !== undefined;
  return createEdge(config, { terminatesTls, hasAccounts: config.auth.mode !== 'none', pace });
}

/** On a replica the photos are left to whoever fills their folder. */
async function openPhotoRoom(
  { queries, transactions }: Storage,
  { dataFolder, operations }: Config,
  { warn: report }: Logger,
): Promise<Photos> {
  const options = { dataFolder, sql: queries.file('photos'), transactions, report };
  return operations.readOnly ? readPhotos(options) : openPhotos(options);
}

/** Health and metrics, which tell of what the other rooms do. */
function openOperations(
  { queries, transactions }: Storage,
  { dataFolder, operations }: Config,
  told: Pick<MetricsOptions, 'writes' | 'limits' | 'bodyBytes' | 'passwordLoad' | 'maps'>,
): Metrics & Pick<App, 'isWell'> {
  const health = { sql: queries.file('operations'), storageHasFailed: transactions.hasFailed };
  const { metricsToken: token, backups } = operations;
  const metrics = createMetrics({
    ...health,
    ...told,
    dataFolder,
    token,
    bearerToken,
    version: readVersion(),
    lastBackup: backups && (() => newestBackup(backups.folder)),
  });
  const isWell = createHealthCheck(health);
  return { ...metrics, isWell, routes: [...healthRoutes(isWell), ...metrics.routes] };
}

interface Accounts {
  readonly routes: readonly Route[];
  readonly authenticate: Authenticator;
  readonly requireOwner: OwnerCheck;
  readonly passwordLoad: Passwords['load'];
}

async function openAccounts(
  { queries, transactions, keys }: Storage,
  { auth, operations }: Config,
  logger: Logger,
): Promise<Accounts> {
  const sql = queries.file('accounts');
  const users = createUserStore(sql);
  const sessions = createSessionStore(sql, auth.refreshTokenRotation);
  const apiTokens = createApiTokenStore(sql);
  const passwords = createPasswords();
  const accessTokens = createAccessTokens(
    auth.jwtSecret === undefined ? keys('access tokens') : Buffer.from(auth.jwtSecret),
  );
  const attempts = createLoginAttempts();
  const signIn = createSignIn({ users, sessions, accessTokens, passwords, attempts, transactions });
  const { registrationIsOpen, adminsOnly, clientRedirectUrl, administrator } = auth;
  if (administrator && !operations.readOnly)
    await createAdministrator(administrator, { users, passwords, transactions, warn: logger.warn });
  const identity = {
    clientRedirectUrl,
    key: keys('sign-in handshakes'),
    join: createJoin({ sql: queries.file('identities'), users, sessions, apiTokens, registrationIsOpen }),
    startSession: (userId: number, context: RequestContext) =>
      signIn.startSession(userId, sessionClient(context)),
    transactions,
    report: logger.warn,
  };
  return {
    authenticate:
      auth.mode === 'none'
        ? authenticateNobody
        : createAuthenticator({ accessTokens, sessions, apiTokens, transactions, adminsOnly }),
    requireOwner: createOwnerCheck(adminsOnly),
    passwordLoad: passwords.load,
    routes: [
      ...accountRoutes({
        users,
        sessions,
        signIn,
        accessTokens,
        transactions,
        localAccounts: auth.mode !== 'oauth',
        registrationIsOpen,
      }),
      ...apiTokenRoutes({ apiTokens, transactions }),
      ...identityRoutes({ ...identity, name: 'idp', provider: auth.idp }),
      ...identityRoutes({ ...identity, name: 'oidc', provider: auth.oidc }),
    ],
  };
}

/** What only a provider needs is read where there is one. */
function createPlaces(
  { queries, transactions }: Storage,
  { maps: settings }: Config,
  { warn: report }: Logger,
): PlacesClient | undefined {
  return (
    settings &&
    openPlaces({ settings, version: readVersion(), sql: queries.file('places'), transactions, report })
  );
}

function createDocumentationRoutes({ auth }: Config): readonly Route[] {
  const { mode, registrationIsOpen, clientRedirectUrl } = auth;
  const endsAtPage = clientRedirectUrl !== undefined && new URL(clientRedirectUrl).pathname === '/api/docs';
  const providers = (['idp', 'oidc'] as const).filter((name) => endsAtPage && auth[name] !== undefined);
  return documentationRoutes({ authMode: mode, registrationIsOpen, providers });
}
