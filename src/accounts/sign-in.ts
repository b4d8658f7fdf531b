import { OverloadedError } from '../memory/queue.ts';
import type { Transactions } from '../storage/transaction.ts';
import type { LoginAttempts } from './attempts.ts';
import type { Credentials, Registration } from './input.ts';
import type { Passwords } from './passwords.ts';
import type { OpenSession, SessionClient, SessionStore } from './sessions.ts';
import { ACCESS_TOKEN_SECONDS, type AccessTokens } from './tokens.ts';
import { type StoredUser, type TakenNames, type User, type UserStore, localUser, nameKey } from './users.ts';

/** The answer when a session starts or goes on (SPEC, "Token response"). */
export interface TokenResponse {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly user: User;
}

/** How a login ended. It does not say which of email and password was wrong. */
export type LoginOutcome =
  | { readonly outcome: 'done'; readonly tokens: TokenResponse }
  | { readonly outcome: 'refused' }
  | { readonly outcome: 'wait'; readonly seconds: number };

/** How a registration ended. */
export type RegistrationOutcome =
  | { readonly outcome: 'done'; readonly tokens: TokenResponse }
  | { readonly outcome: 'taken'; readonly names: TakenNames };

/** The ways to start and to go on with a session. Register and login reject with an OverloadedError when too many are under way. */
export interface SignIn {
  readonly register: (input: Registration, client: SessionClient) => Promise<RegistrationOutcome>;
  readonly login: (input: Credentials, client: SessionClient) => Promise<LoginOutcome>;
  /** For a user whose identity was checked elsewhere, such as by an identity provider. */
  readonly startSession: (userId: number, client: SessionClient) => Promise<TokenResponse>;
  /** Undefined when the refresh token is not valid. */
  readonly refresh: (refreshToken: string, client: SessionClient) => Promise<TokenResponse | undefined>;
}

export interface SignInOptions {
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly accessTokens: AccessTokens;
  readonly passwords: Passwords;
  readonly attempts: LoginAttempts;
  readonly transactions: Transactions;
}

/** Puts accounts, passwords, sessions and tokens together. */
export function createSignIn(options: SignInOptions): SignIn {
  const { users, sessions, transactions } = options;

  /** To be run inside a transaction. */
  function start(userId: number, client: SessionClient): Started {
    const now = new Date();
    return {
      user: users.recordLogin(userId, now.toISOString()),
      session: sessions.start(userId, client, now),
    };
  }

  async function tokensOf({ user, session }: Started): Promise<TokenResponse> {
    return {
      access_token: await options.accessTokens.issue(session),
      refresh_token: session.refreshToken,
      token_type: 'Bearer',
      expires_in: ACCESS_TOKEN_SECONDS,
      user,
    };
  }

  return {
    login: createLogin(options, start, tokensOf),
    startSession: async (userId, client) => tokensOf(await transactions.write(() => start(userId, client))),
    register: createRegister(options, start, tokensOf),
    refresh: async (refreshToken, client) => {
      const opened = await transactions.write(() => {
        const session = sessions.refresh(refreshToken, client, new Date());
        const user = session && users.get(session.userId);
        return user && { user, session };
      });
      return opened && tokensOf(opened);
    },
  };
}

interface Started {
  readonly user: User;
  readonly session: OpenSession;
}

type Start = (userId: number, client: SessionClient) => Started;
type TokensOf = (started: Started) => Promise<TokenResponse>;

function createRegister(
  { users, passwords, transactions }: SignInOptions,
  start: Start,
  tokensOf: TokensOf,
): SignIn['register'] {
  return async ({ email, username, fullName, password }, client) => {
    const early = users.taken(email, username);
    if (early.email || early.username) return { outcome: 'taken', names: early };
    const passwordHash = await passwords.hash(password);
    const written = await transactions.write(() => {
      const names = users.taken(email, username);
      if (names.email || names.username) return names;
      const input = { email, username, fullName, passwordHash, isAdmin: false, emailVerified: false };
      return start(users.create(localUser(input), new Date().toISOString()).id, client);
    });
    if (!('user' in written)) return { outcome: 'taken', names: written };
    return { outcome: 'done', tokens: await tokensOf(written) };
  };
}

function createLogin(
  { users, sessions, passwords, attempts, transactions }: SignInOptions,
  start: Start,
  tokensOf: TokensOf,
): SignIn['login'] {
  /** A stronger hash of a password that was just found right; undefined when the old one will do, or too many hashes wait. */
  async function strengthened({ passwordHash }: StoredUser, password: string): Promise<string | undefined> {
    if (passwordHash === undefined || !passwords.isWeak(passwordHash)) return undefined;
    return passwords.hash(password).catch((error: unknown) => {
      if (error instanceof OverloadedError) return undefined;
      throw error;
    });
  }

  /** Starts the session unless the account has changed while its password was checked. */
  async function enter(
    known: StoredUser,
    password: string,
    client: SessionClient,
  ): Promise<Started | undefined> {
    const stronger = await strengthened(known, password);
    return transactions.write(() => {
      const current = users.findByEmail(known.user.email);
      const isSame = current?.user.id === known.user.id && current.passwordHash === known.passwordHash;
      if (!isSame || !current.user.is_active) return undefined;
      if (stronger !== undefined) users.setPasswordHash(known.user.id, stronger, new Date().toISOString());
      return start(known.user.id, client);
    });
  }

  return async ({ email, password }, client) => {
    const account = nameKey(email);
    const { addressKey } = client;
    const wait = (): number =>
      attempts.wait(account, addressKey, () => sessions.knowsAddress(account, addressKey));
    const before = wait();
    if (before > 0) return { outcome: 'wait', seconds: before };
    const known = users.findByEmail(email);
    const matches = await passwords.verify(known?.passwordHash, password);
    // Others may have failed meanwhile. One too many learns nothing, not even that the password was right.
    const after = wait();
    if (after > 0) return { outcome: 'wait', seconds: after };
    // Not even the start of a transaction may distinguish an inactive account from a wrong password.
    const started = known?.user.is_active && matches ? await enter(known, password, client) : undefined;
    if (!started) {
      attempts.failed(account, addressKey);
      return { outcome: 'refused' };
    }
    attempts.succeeded(account, addressKey);
    return { outcome: 'done', tokens: await tokensOf(started) };
  };
}
