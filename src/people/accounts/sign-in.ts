import { OverloadedError } from '../../kit/queue.ts';
import type { Transactions } from '../../storage/transaction.ts';
import { type GuardOptions, verifyGuarded } from './guarded-password.ts';
import { type Credentials, type Registration, parseRegistration } from './input.ts';
import { type InvitationStore, type OpenInvitation, isFor } from './invitations.ts';
import type { OpenSession, SessionClient } from './sessions.ts';
import { ACCESS_TOKEN_SECONDS, type AccessTokens } from './tokens.ts';
import { type StoredUser, type TakenNames, type User, nameKey } from './users.ts';

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
  /** With the account of the email, if there is one: for the log, never for the answer. */
  | { readonly outcome: 'refused'; readonly userId: number | undefined }
  | { readonly outcome: 'wait'; readonly seconds: number };

/** How a registration ended. */
export type RegistrationOutcome =
  | { readonly outcome: 'done'; readonly tokens: TokenResponse }
  | { readonly outcome: 'taken'; readonly names: TakenNames }
  /** The invitation is unknown, used or expired, or for another address. */
  | { readonly outcome: 'not_invited' | 'other_email' };

/** All that signing in takes. */
export interface SignInOptions extends GuardOptions {
  readonly accessTokens: AccessTokens;
  readonly invitations: InvitationStore;
  readonly transactions: Transactions;
}

/** Makes a local account and starts its first session. Rejects with an OverloadedError when too many are under way. */
export async function registerUser(
  options: SignInOptions,
  input: Registration,
  client: SessionClient,
): Promise<RegistrationOutcome> {
  const { users, passwords, invitations, transactions } = options;
  const early = admit(options, input);
  if (early.outcome !== 'admitted') return early;
  const { password, invitation: _secret, ...own } = input;
  const passwordHash = await passwords.hash(password);
  const written = await transactions.write(() => {
    const now = new Date();
    const admitted = admit(options, input);
    if (admitted.outcome !== 'admitted') return admitted;
    const account = { ...own, passwordHash, isAdmin: false, emailVerified: false };
    const { id } = users.create(account, now.toISOString());
    if (admitted.invitation) invitations.use(admitted.invitation, id, now);
    return { outcome: 'started' as const, ...startSession(options, id, client) };
  });
  if (written.outcome !== 'started') return written;
  return { outcome: 'done', tokens: await tokensOf(options, written) };
}

/** Whether an account may be made now, with the invitation that it uses up. Uninvited guests learn of no other user. */
function admit(
  { users, invitations }: SignInOptions,
  { email, username, invitation: secret }: Registration,
):
  | { readonly outcome: 'admitted'; readonly invitation: OpenInvitation | undefined }
  | Exclude<RegistrationOutcome, { readonly outcome: 'done' }> {
  const invitation = secret === undefined ? undefined : invitations.find(secret, new Date());
  if (secret !== undefined && !invitation) return { outcome: 'not_invited' };
  if (invitation && !isFor(invitation, email)) return { outcome: 'other_email' };
  const names = users.taken(email, username);
  return names ? { outcome: 'taken', names } : { outcome: 'admitted', invitation };
}

/** Checks a password and starts a session. Rejects with an OverloadedError when too many are under way. */
export async function logIn(
  options: SignInOptions,
  { email, password }: Credentials,
  client: SessionClient,
): Promise<LoginOutcome> {
  const { users, attempts } = options;
  const account = nameKey(email);
  const { addressKey } = client;
  const known = users.findByEmail(email);
  const attempt = { email, passwordHash: known?.passwordHash, password, addressKey };
  const matches = await verifyGuarded(options, attempt);
  if (typeof matches === 'number') return { outcome: 'wait', seconds: matches };
  // Not even the start of a transaction may distinguish an inactive account from a wrong password.
  const started =
    known?.user.is_active && matches ? await enter(options, known, password, client) : undefined;
  if (!started) {
    attempts.failed(account, addressKey);
    return { outcome: 'refused', userId: known?.user.id };
  }
  attempts.succeeded(account, addressKey);
  return { outcome: 'done', tokens: await tokensOf(options, started) };
}

/** Goes on with a session. Undefined when the refresh token is not valid. */
export async function refreshSession(
  options: SignInOptions,
  refreshToken: string,
  client: SessionClient,
): Promise<TokenResponse | undefined> {
  const { users, sessions, transactions } = options;
  const opened = await transactions.write(() => {
    const session = sessions.refresh(refreshToken, client, new Date());
    const user = session && users.get(session.userId);
    return user && { user, session };
  });
  return opened && tokensOf(options, opened);
}

/**
 * Makes the administrator of ADMIN_EMAIL and ADMIN_PASSWORD when the email has no account; one that is there is never
 * changed. Rejects with an error that says why when the two break the rules of an account.
 */
export async function createAdministrator(
  { users, passwords, transactions }: Pick<SignInOptions, 'users' | 'passwords' | 'transactions'>,
  { email, password }: Credentials,
  warn: (message: string) => void,
): Promise<void> {
  const existing = users.findByEmail(email)?.user;
  if (existing?.is_admin === false)
    warn('ADMIN_EMAIL has an account that is no administrator; to make it one: catalogue user grant-admin');
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

/** Starts the session unless the account has changed while its password was checked. */
async function enter(options: SignInOptions, known: StoredUser, password: string, client: SessionClient) {
  const { users, transactions } = options;
  const stronger = await strengthened(options, known, password);
  return transactions.write(() => {
    const current = users.findByEmail(known.user.email);
    const isSame = current?.user.id === known.user.id && current.passwordHash === known.passwordHash;
    if (!isSame || !current.user.is_active) return undefined;
    if (stronger !== undefined) users.setPasswordHash(known.user.id, stronger, new Date().toISOString());
    return startSession(options, known.user.id, client);
  });
}

/** A stronger hash of a password that was just found right; undefined when the old one will do, or too many hashes wait. */
async function strengthened({ passwords }: SignInOptions, { passwordHash }: StoredUser, password: string) {
  if (passwordHash === undefined || !passwords.isWeak(passwordHash)) return undefined;
  return passwords.hash(password).catch((error: unknown) => {
    if (error instanceof OverloadedError) return undefined;
    throw error;
  });
}

/** A session that was just started, and its user. */
export interface Started {
  readonly user: User;
  readonly session: OpenSession;
}

/** Must run inside the transaction that has found the user to be an active one whose identity is proved. */
export function startSession(
  { users, sessions }: Pick<SignInOptions, 'users' | 'sessions'>,
  userId: number,
  client: SessionClient,
): Started {
  const now = new Date();
  return { user: users.recordLogin(userId, now.toISOString()), session: sessions.start(userId, client, now) };
}

/** The tokens of a session that is stored. */
export async function tokensOf(
  { accessTokens }: Pick<SignInOptions, 'accessTokens'>,
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
