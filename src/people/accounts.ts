import { createAdministration } from './accounts/administration.ts';
import { createApiTokenStore } from './accounts/api-tokens.ts';
import { createLoginAttempts } from './accounts/attempts.ts';
import {
  type OwnerCheck,
  authenticateAnyone,
  createAuthenticator,
  createOwnerCheck,
} from './accounts/authenticate.ts';
import { createDirectory } from './accounts/directory.ts';
import { invitationRoutes } from './accounts/invitation-routes.ts';
import { createInvitationStore } from './accounts/invitations.ts';
import { type OwnRouteOptions, ownRoutes } from './accounts/own-routes.ts';
import { type Passwords, createPasswords } from './accounts/passwords.ts';
import { sessionClient } from './accounts/cookie-routes.ts';
import { refreshCookie } from './accounts/cookies.ts';
import { type AccountRouteOptions, accountRoutes, currentUser } from './accounts/routes.ts';
import { createSessionStore } from './accounts/sessions.ts';
import { type SignInOptions, createAdministrator, startSession, tokensOf } from './accounts/sign-in.ts';
import { createAccessTokens } from './accounts/tokens.ts';
import { userRoutes } from './accounts/user-routes.ts';
import { createUserStore } from './accounts/users.ts';
import { type ShowAuthor, createShowAuthor } from '../catalogue/authors.ts';
import type { Config } from '../config/config.ts';
import type { RequestContext } from '../http/context.ts';
import type { Logger } from '../http/log.ts';
import type { Authenticator } from '../http/pipeline.ts';
import type { Route } from '../http/router.ts';
import type { HistoryParts } from '../history/history.ts';
import { createJoin } from './identity/join.ts';
import { loadJose } from './identity/provider.ts';
import { identityRoutes } from './identity/routes.ts';
import { Sealer } from '../kit/input/sealed.ts';
import { openErasures } from './own/open.ts';
import { createOwnRecords } from './own/own-records.ts';
import { peopleRoutes } from './own/routes.ts';
import type { Lookups } from '../catalogue/restaurants/lookups.ts';
import { skeleton } from '../storage/skeleton.ts';
import type { QueryFile } from '../storage/statements.ts';
import type { Storage } from '../storage/storage.ts';

/** Users, their sessions and tokens, and the ways to sign in. */
export interface Accounts {
  readonly routes: readonly Route[];
  readonly authenticate: Authenticator;
  /** The rules for what belongs to people. */
  readonly people: { readonly requireOwner: OwnerCheck; readonly showAuthor: ShowAuthor };
  /** Completes erasures that were cut short; not for a replica, which never writes. */
  readonly start: () => void;
  readonly stop: () => void;
  /** Loads all that the first sign-in and the first token need. */
  readonly loadAhead: () => Promise<unknown>;
  /** Those of a user's own export, which names categories and food types. */
  readonly exportRoutes: (lookups: () => Lookups) => readonly Route[];
  /** For metrics. */
  readonly passwordLoad: Passwords['load'];
}

/**
 * Makes the accounts of an open data folder, and the first administrator where one is configured. Rejects when that
 * one cannot be made.
 */
export async function createAccounts(
  storage: Storage,
  history: HistoryParts,
  config: Config,
  logger: Logger,
  passwords: Passwords = createPasswords(),
): Promise<Accounts> {
  const { auth, operations } = config;
  const { queries, transactions, keys } = storage;
  const sql = queries.file('accounts');
  const stores = openStores(sql, auth);
  const { sessions, apiTokens } = stores;
  const accessTokens = createAccessTokens(
    auth.jwtSecret === undefined ? keys('access tokens') : Buffer.from(auth.jwtSecret),
  );
  const attempts = createLoginAttempts();
  const signIn = { ...stores, accessTokens, passwords, attempts, transactions };
  const { registration, adminsOnly, administrator } = auth;
  if (administrator && !operations.readOnly) await createAdministrator(signIn, administrator, logger.warn);
  const erasures = openErasures(storage, history, stores, logger.warn);
  const shared = {
    ...{ ...signIn, erase: erasures.erase, registration, report: logger.warn },
    localAccounts: auth.mode !== 'oauth',
    withAccounts: auth.mode !== 'none',
  };
  const showAuthor = createShowAuthor(config.history.showsAuthors);
  return {
    authenticate:
      auth.mode === 'none'
        ? authenticateAnyone
        : createAuthenticator({ accessTokens, sessions, apiTokens, transactions, adminsOnly }),
    people: {
      requireOwner: createOwnerCheck(adminsOnly),
      showAuthor,
    },
    ...{ start: erasures.start, stop: erasures.stop },
    loadAhead: async () => {
      skeleton('');
      await Promise.all([
        accessTokens.loadAhead(),
        loadJose(),
        // In mode none, accounts of another mode may still sign in.
        auth.mode !== 'oauth' && passwords.loadAhead(),
      ]);
    },
    passwordLoad: passwords.load,
    exportRoutes: (lookups) => createExportRoutes(storage, stores, showAuthor, lookups),
    routes: [
      ...accountRoutes(shared),
      ...ownRoutes(shared),
      ...userRoutes({
        ...shared,
        directory: createDirectory(sql),
        sealer: new Sealer(keys('user cursors')),
      }),
      ...invitationRoutes(shared),
      ...createIdentityRoutes(storage, shared, auth),
    ],
  };
}

function createExportRoutes(
  { queries }: Storage,
  { users, sessions }: Pick<SignInOptions, 'users' | 'sessions'>,
  showAuthor: ShowAuthor,
  lookups: () => Lookups,
): readonly Route[] {
  return peopleRoutes({
    currentUser: (principal) => currentUser(principal, users),
    sessionsOf: (principal, after, limit) =>
      sessions.listOf(principal?.userId ?? 0, new Date(), principal?.sid, after, limit),
    records: createOwnRecords(queries, showAuthor, lookups),
  });
}

/** The routes of both identity providers. */
function createIdentityRoutes(
  { queries, keys }: Storage,
  signIn: SignInOptions &
    Pick<AccountRouteOptions, 'apiTokens'> &
    Pick<OwnRouteOptions, 'administration'> & { readonly report: Logger['warn'] },
  { clientRedirectUrl, registration, idp, oidc }: Config['auth'],
): readonly Route[] {
  const { transactions, report } = signIn;
  const identity = {
    ...{ clientRedirectUrl, transactions, report },
    key: keys('sign-in handshakes'),
    join: createJoin({ ...signIn, sql: queries.file('identities'), registration }),
    startSession: (userId: number, context: RequestContext) => {
      const started = startSession(signIn, userId, sessionClient(context, false));
      return () => tokensOf(signIn, started);
    },
    startCookieSession: (userId: number, context: RequestContext) => {
      const { session } = startSession(signIn, userId, sessionClient(context, true));
      return refreshCookie(session.refreshToken, context.scheme);
    },
  };
  return [
    ...identityRoutes({ ...identity, name: 'idp', provider: idp }),
    ...identityRoutes({ ...identity, name: 'oidc', provider: oidc }),
  ];
}

function openStores(sql: QueryFile, auth: Config['auth']) {
  const users = createUserStore(sql);
  const sessions = createSessionStore(sql, auth.refreshTokenRotation);
  const apiTokens = createApiTokenStore(sql);
  const invitations = createInvitationStore(sql);
  const administration = createAdministration(sql, { users, sessions, apiTokens });
  return { users, sessions, apiTokens, invitations, administration };
}
