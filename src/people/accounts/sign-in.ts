import type { Transactions } from '../../storage/transaction.ts';
import type { ApiTokenStore } from './api-tokens.ts';
import type { LoginAttempts } from './attempts.ts';
import { type Contributions, parseRegistration } from './input.ts';
import type { InvitationStore } from './invitations.ts';
import type { Passwords } from './passwords.ts';
import type { OpenSession, SessionClient, SessionStore } from './sessions.ts';
import { ACCESS_TOKEN_SECONDS, type AccessTokens } from './tokens.ts';
import type { User, UserStore } from './users.ts';

/** The stores and rules that all routes of accounts share. */
export interface AccountParts {
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly apiTokens: ApiTokenStore;
  readonly invitations: InvitationStore;
  readonly accessTokens: AccessTokens;
  readonly passwords: Passwords;
  readonly attempts: LoginAttempts;
  readonly transactions: Transactions;
  /** Erases an account; false for the last administrator. `recheck`: see `RequestContext`. */
  readonly erase: (userId: number, contributions: Contributions, recheck: () => void) => Promise<boolean>;
  /** False in mode oauth. */
  readonly localAccounts: boolean;
  /** False in mode none. */
  readonly withAccounts: boolean;
  /** Who may register. */
  readonly registration: 'open' | 'invite' | 'closed';
  readonly report: (message: string, fields: Readonly<Record<string, string | number>>) => void;
}

/** The TokenResponse of swagger.yaml. */
export interface TokenResponse {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly user: User;
}

/** A session that was just started or continued, and its user. */
export interface Started {
  readonly user: User;
  readonly session: OpenSession;
}

/** Must run in the transaction that checked that the user is active and the proof of identity valid. */
export function startSession(
  { users, sessions }: Pick<AccountParts, 'users' | 'sessions'>,
  userId: number,
  client: SessionClient,
): Started {
  const now = new Date();
  return { user: users.recordLogin(userId, now.toISOString()), session: sessions.start(userId, client, now) };
}

/** The tokens of a session that is stored. */
export async function tokensOf(
  { accessTokens }: Pick<AccountParts, 'accessTokens'>,
  { user, session }: Started,
): Promise<TokenResponse> {
  return {
    access_token: await accessTokens.issue(session),
    refresh_token: session.refreshToken,
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_SECONDS,
    user,
  };
}

/**
 * Creates the administrator of ADMIN_EMAIL and ADMIN_PASSWORD unless the email has an account; an existing one is never
 * changed. Rejects if the two break the rules for accounts.
 */
export async function createAdministrator(
  { users, passwords, transactions }: Pick<AccountParts, 'users' | 'passwords' | 'transactions'>,
  { email, password }: { readonly email: string; readonly password: string },
  warn: (message: string) => void,
): Promise<void> {
  const existing = users.findByEmail(email)?.user;
  if (existing?.is_admin === false)
    warn('the account of ADMIN_EMAIL is not an administrator; to make it one: catalogue user grant-admin');
  if (existing) return;
  const [localPart = ''] = email.split('@');
  const parsed = parseRegistration({ email, username: localPart, password });
  if (!parsed.ok) throw new Error(`ADMIN_EMAIL and ADMIN_PASSWORD: ${parsed.faults.join('; ')}`);
  const passwordHash = await passwords.hash(password);
  await transactions.write(() => {
    const username = users.freeUsername(parsed.value.username);
    // The operator, who sets the environment, vouches for the address.
    const input = { email, username, fullName: null, passwordHash, isAdmin: true, emailVerified: true };
    users.create(input, new Date().toISOString());
  });
}
