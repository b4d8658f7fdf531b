import { createApiTokenStore } from './accounts/api-tokens.ts';
import { createLoginAttempts } from './accounts/attempts.ts';
import {
  type OwnerCheck,
  authenticateAnyone,
  createAuthenticator,
  createOwnerCheck,
} from './accounts/authenticate.ts';
import { type Passwords, createPasswords } from './accounts/passwords.ts';
import { accountRoutes, sessionClient } from './accounts/routes.ts';
import { createSessionStore } from './accounts/sessions.ts';
import { createAdministrator, startSession } from './accounts/sign-in.ts';
import { createAccessTokens } from './accounts/tokens.ts';
import { createUserStore } from './accounts/users.ts';
import { type ShowAuthor, createShowAuthor } from './authors.ts';
import type { Config } from './config.ts';
import type { RequestContext } from './http/context.ts';
import type { Logger } from './http/log.ts';
import type { Authenticator } from './http/pipeline.ts';
import type { Route } from './http/router.ts';
import { createJoin } from './identity/join.ts';
import { identityRoutes } from './identity/routes.ts';
import type { Storage } from './storage/storage.ts';

/** Users, their sessions and tokens, and the ways to sign in. */
export interface Accounts {
  readonly routes: readonly Route[];
  readonly authenticate: Authenticator;
  /** The rules for what belongs to people. */
  readonly people: { readonly requireOwner: OwnerCheck; readonly showAuthor: ShowAuthor };
  /** For metrics. */
  readonly passwordLoad: Passwords['load'];
}

/**
 * Makes the accounts of an open data folder, and the first administrator where one is configured. Rejects when that
 * one cannot be made.
 */
export async function createAccounts(
  { queries, transactions, keys }: Storage,
  { auth, operations, history }: Config,
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
  const signIn = { users, sessions, accessTokens, passwords, attempts, transactions };
  const { registration, adminsOnly, clientRedirectUrl, administrator } = auth;
  if (administrator && !operations.readOnly) await createAdministrator(signIn, administrator, logger.warn);
  const identity = {
    clientRedirectUrl,
    key: keys('sign-in handshakes'),
    join: createJoin({ sql: queries.file('identities'), users, sessions, apiTokens, registration }),
    startSession: (userId: number, context: RequestContext) =>
      startSession(signIn, userId, sessionClient(context)),
    transactions,
    report: logger.warn,
  };
  return {
    authenticate:
      auth.mode === 'none'
        ? authenticateAnyone
        : createAuthenticator({ accessTokens, sessions, apiTokens, transactions, adminsOnly }),
    people: {
      requireOwner: createOwnerCheck(adminsOnly),
      showAuthor: createShowAuthor(history.showsAuthors),
    },
    passwordLoad: passwords.load,
    routes: [
      ...accountRoutes({ ...signIn, apiTokens, localAccounts: auth.mode !== 'oauth', registration }),
      ...identityRoutes({ ...identity, name: 'idp', provider: auth.idp }),
      ...identityRoutes({ ...identity, name: 'oidc', provider: auth.oidc }),
    ],
  };
}
