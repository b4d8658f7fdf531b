import { createAdministrator } from './accounts/administrator.ts';
import { createApiTokenStore } from './accounts/api-tokens.ts';
import { createLoginAttempts } from './accounts/attempts.ts';
import {
  type Authenticator,
  type OwnerCheck,
  authenticateNobody,
  createAuthenticator,
  createOwnerCheck,
} from './accounts/authenticate.ts';
import { createPasswords } from './accounts/passwords.ts';
import { accountRoutes, sessionClient } from './accounts/routes.ts';
import { createSessionStore } from './accounts/sessions.ts';
import { createSignIn } from './accounts/sign-in.ts';
import { apiTokenRoutes } from './accounts/token-routes.ts';
import { createAccessTokens } from './accounts/tokens.ts';
import { createUserStore } from './accounts/users.ts';
import type { Config } from './config.ts';
import { documentationRoutes } from './documentation/routes.ts';
import { classifyFailure } from './failures.ts';
import { parseAddressRanges } from './http/address.ts';
import type { RequestContext } from './http/context.ts';
import { createLimiter } from './http/limiter.ts';
import type { Logger } from './http/log.ts';
import { type Pipeline, createPipeline } from './http/pipeline.ts';
import type { Route } from './http/router.ts';
import { SECURITY_HEADERS, SECURITY_HEADERS_OVER_TLS } from './http/security.ts';
import { createJoin } from './identity/join.ts';
import { identityRoutes } from './identity/routes.ts';
import { lookupRoutes } from './lookups/routes.ts';
import { createLookupStore } from './lookups/store.ts';
import { healthRoutes } from './operations/health.ts';
import { refuseWrites } from './operations/replica.ts';
import { photoFileRoutes } from './photos/file-routes.ts';
import { openPhotos, readPhotos } from './photos/open.ts';
import { photoRoutes } from './photos/routes.ts';
import { openPlaces } from './places/open.ts';
import { placesRoutes } from './places/routes.ts';
import { ratingRoutes } from './ratings/routes.ts';
import { createRatingStore } from './ratings/store.ts';
import { createCursorSealer } from './restaurants/cursor.ts';
import { createFinder } from './restaurants/find.ts';
import { createLists, createPendingLists } from './restaurants/list.ts';
import { restaurantRoutes } from './restaurants/routes.ts';
import { createRestaurantStore } from './restaurants/store.ts';
import { searchRoutes } from './search/routes.ts';
import { createSearchStore } from './search/store.ts';
import { matchExpression } from './search/terms.ts';
import { createConverter } from './suggestions/convert.ts';
import { suggestionRoutes } from './suggestions/routes.ts';
import { createSuggestionStore } from './suggestions/store.ts';
import { type Storage, openReplica, openServedStorage } from './storage/storage.ts';
import { readVersion } from './version.ts';

/** The whole service but for its sockets. */
export interface App {
  readonly handle: Pipeline;
  readonly routes: readonly Route[];
  /** Brings the write-ahead log into the database file and closes it. */
  readonly close: () => void;
}

/**
 * Opens the data folder, makes every room with the options it declares, and joins their routes. Rejects with a
 * StorageError when the data cannot be used, such as when another server uses it, and with an AdministratorError when
 * the first administrator cannot be made.
 */
export async function createApp(config: Config, logger: Logger): Promise<App> {
  const storage = config.operations.readOnly
    ? openReplica(config.dataFolder)
    : openServedStorage(config.dataFolder);
  try {
    return await assemble(storage, config, logger);
  } catch (error) {
    storage.close();
    throw error;
  }
}

async function assemble(storage: Storage, config: Config, logger: Logger): Promise<App> {
  const accounts = await openAccounts(storage, config, logger);
  const { transactions } = storage;
  const { readOnly, primaryUrl } = config.operations;
  const photos = await (readOnly ? readPhotos : openPhotos)({
    dataFolder: config.dataFolder,
    sql: storage.queries.file('photos'),
    transactions,
    report: logger.warn,
  });
  const routes = [
    ...accounts.routes,
    ...createCatalogueRoutes(storage, accounts.requireOwner),
    ...photoRoutes({ ...photos, transactions, requireOwner: accounts.requireOwner }),
    ...photoFileRoutes(photos),
    ...createPlacesRoutes(storage, config, logger),
    ...createDocumentationRoutes(config),
  ];
  storage.queries.assertAllUsed();
  const handle = createPipeline({
    routes,
    logger,
    trustedProxies: parseAddressRanges(config.trustedProxies),
    securityHeaders: config.operations.tls ? SECURITY_HEADERS_OVER_TLS : SECURITY_HEADERS,
    allowedOrigins: new Set(config.allowedOrigins),
    limiter: config.rateLimit && createLimiter(config.rateLimit),
    edgeLimiters: config.edgeLimits
      ? EDGE_LIMITS.map(([prefix, limit]) => ({ prefix, limiter: createLimiter(limit) }))
      : [],
    authenticate: readOnly ? refuseWrites(accounts.authenticate, primaryUrl) : accounts.authenticate,
    classifyFailure,
  });
  photos.sweeper.start();
  const close = (): void => {
    photos.sweeper.stop();
    storage.close();
  };
  return { handle, routes, close };
}

/** What a proxy in front enforces, for when there is none (CONTRACT section 10). */
const EDGE_LIMITS = [
  ['/api', { perMinute: 600, burst: 20 }],
  ['/api/auth/', { perMinute: 5, burst: 5 }],
] as const;

/** The calls of the maps provider that an address may cost (RELIABILITY, rule 30). */
const STRANGERS_LOOK_UPS = { perMinute: 10, burst: 10 };

interface Accounts {
  readonly routes: readonly Route[];
  readonly authenticate: Authenticator;
  readonly requireOwner: OwnerCheck;
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

function createCatalogueRoutes(
  { queries, transactions, keys }: Storage,
  requireOwner: OwnerCheck,
): readonly Route[] {
  const restaurantSql = queries.file('restaurants');
  const restaurants = createRestaurantStore(restaurantSql);
  const ratings = createRatingStore(queries.file('ratings'));
  const suggestions = createSuggestionStore(queries.file('suggestions'), restaurants);
  const search = createSearchStore(queries.file('search'));
  return [
    ...restaurantRoutes({
      store: restaurants,
      finder: createFinder(createLists(restaurantSql), createPendingLists(restaurantSql)),
      cursors: createCursorSealer(keys('page cursors')),
      transactions,
      matchExpression,
    }),
    ...ratingRoutes({ store: ratings, transactions, requireOwner }),
    ...suggestionRoutes({
      store: suggestions,
      convert: createConverter({ suggestions, restaurants, ratings }),
      transactions,
      findReferenceFaults: restaurants.findReferenceFaults,
    }),
    ...lookupRoutes({
      store: createLookupStore(queries.file('lookups', 'categories')),
      transactions,
      segment: 'categories',
      noun: 'Category',
      operation: 'Category',
      operations: 'Categories',
    }),
    ...lookupRoutes({
      store: createLookupStore(queries.file('lookups', 'food_types')),
      transactions,
      segment: 'food-types',
      noun: 'Food type',
      operation: 'FoodType',
      operations: 'FoodTypes',
    }),
    ...searchRoutes({ store: search, getListed: restaurants.getListed }),
    ...healthRoutes({ sql: queries.file('operations'), storageHasFailed: transactions.hasFailed }),
  ];
}

/** Places are told by a provider outside; without one the routes say so. */
function createPlacesRoutes(
  { queries, transactions }: Storage,
  { maps: settings, rateLimit }: Config,
  { warn: report }: Logger,
): readonly Route[] {
  return placesRoutes({
    // What only a provider needs is read where there is one.
    places:
      settings &&
      openPlaces({ settings, version: readVersion(), sql: queries.file('places'), transactions, report }),
    limiter: rateLimit && createLimiter(STRANGERS_LOOK_UPS),
  });
}

function createDocumentationRoutes({ auth }: Config): readonly Route[] {
  const { mode, registrationIsOpen, clientRedirectUrl } = auth;
  const endsAtPage = clientRedirectUrl !== undefined && new URL(clientRedirectUrl).pathname === '/api/docs';
  const providers = (['idp', 'oidc'] as const).filter((name) => endsAtPage && auth[name] !== undefined);
  return documentationRoutes({ authMode: mode, registrationIsOpen, providers });
}
