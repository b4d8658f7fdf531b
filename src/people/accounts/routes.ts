import type { RequestContext } from '../../http/context.ts';
import { HttpError, badRequest, forbidden, requireValid, unauthorized } from '../../http/errors.ts';
import { type Reply, ok } from '../../http/reply.ts';
import { FOR_USER, OF_ACCOUNTS, type Route } from '../../http/router.ts';
import { OverloadedError } from '../../kit/queue.ts';
import { bearerToken } from './authenticate.ts';
import {
  NOT_INVITED,
  checkPassword,
  currentUser,
  inTime,
  namesTaken,
  reportFailedLogin,
  requireAccounts,
  requireLocal,
} from './checks.ts';
import { clearedCookie, clientOf, cookieToken, tokenReply } from './cookie-routes.ts';
import { parseCredentials, parseLogout, parseRefresh, parseRegistration } from './input.ts';
import { isFor } from './invitations.ts';
import type { SessionClient } from './sessions.ts';
import { type AccountParts, type Started, startSession, tokensOf } from './sign-in.ts';
import { type StoredUser, type User, nameKey } from './users.ts';

/**
 * `/api/auth/register`, `login`, `refresh`, `logout` and `me`. `pendingFor` counts the suggestions that a user may decide
 * on; undefined for a user who may not.
 */
export function accountRoutes(
  parts: AccountParts,
  pendingFor: (user: User) => number | undefined,
): readonly Route[] {
  const { users, sessions, invitations, accessTokens, passwords, attempts, transactions } = parts;

  async function register(context: RequestContext): Promise<Reply> {
    const client = clientOf(context);
    requireLocal(parts);
    requireAccounts(parts);
    if (parts.registration === 'closed') throw forbidden('Registration is closed');
    const input = requireValid(parseRegistration(context.body), context);
    const { password, invitation: secret, ...own } = input;
    if (parts.registration === 'invite' && secret === undefined)
      throw forbidden('Registration is by invitation');
    requireAdmitted(own.email, own.username, secret);
    const passwordHash = await inTime(passwords.hash(password));
    const started = await transactions.write(() => {
      const now = new Date();
      const invitation = requireAdmitted(own.email, own.username, secret);
      const account = { ...own, passwordHash, isAdmin: false, emailVerified: false };
      const { id } = users.create(account, now.toISOString());
      if (invitation) invitations.use(invitation, id, now);
      return startSession(parts, id, client);
    });
    const headers = { Location: '/api/auth/me' };
    return tokenReply(context, client, await tokensOf(parts, started), { status: 201, headers });
  }

  /** The invitation that a registration uses. Checked before the names, so that uninvited clients cannot probe for users. */
  function requireAdmitted(email: string, username: string, secret: string | undefined) {
    const invitation = secret === undefined ? undefined : invitations.find(secret, new Date());
    if (secret !== undefined && !invitation) throw forbidden(NOT_INVITED);
    if (invitation && !isFor(invitation, email)) throw badRequest('email must be the invited one');
    const taken = users.taken(email, username);
    if (taken.length > 0) throw namesTaken(...taken);
    return invitation;
  }

  async function login(context: RequestContext): Promise<Reply> {
    const client = clientOf(context);
    requireLocal(parts);
    const { email, password } = requireValid(parseCredentials(context.body), context);
    const known = users.findByEmail(email);
    const matches = await checkPassword(parts, client.addressKey, email, known?.passwordHash, password);
    // Do not start a transaction for an inactive account: its time would distinguish it from a wrong password.
    const started = known?.user.is_active && matches ? await enter(known, password, client) : undefined;
    if (!started) {
      attempts.failed(nameKey(email), client.addressKey);
      reportFailedLogin(parts, context, known?.user.id);
      throw unauthorized('Invalid credentials');
    }
    attempts.succeeded(nameKey(email), client.addressKey);
    return tokenReply(context, client, await tokensOf(parts, started));
  }

  /** Starts the session unless the account changed during the password check. */
  async function enter(
    { user: { id, email }, passwordHash }: StoredUser,
    password: string,
    client: SessionClient,
  ): Promise<Started | undefined> {
    const isWeak = passwordHash !== undefined && passwords.isWeak(passwordHash);
    const stronger = isWeak
      ? await passwords.hash(password).catch((error: unknown) => {
          // A later login will upgrade it.
          if (!(error instanceof OverloadedError)) throw error;
          return undefined;
        })
      : undefined;
    return transactions.write(() => {
      const current = users.findByEmail(email);
      const isSame = current?.user.id === id && current.passwordHash === passwordHash;
      if (!isSame || !current.user.is_active) return undefined;
      if (stronger !== undefined) users.setPasswordHash(id, stronger, new Date().toISOString());
      return startSession(parts, id, client);
    });
  }

  async function refresh(context: RequestContext): Promise<Reply> {
    const client = clientOf(context);
    const sent = client.inCookie ? cookieToken(context) : requireValid(parseRefresh(context.body), context);
    const started =
      sent === undefined
        ? undefined
        : await transactions.write(() => {
            const session = sessions.refresh(sent, client, new Date());
            const user = session && users.get(session.userId);
            return user && { user, session };
          });
    if (started) {
      const pending = pendingFor(started.user);
      const tokens = await tokensOf(parts, started);
      const all = pending === undefined ? tokens : { ...tokens, pending_suggestions: pending };
      return tokenReply(context, client, all, { sent });
    }
    const refused = unauthorized('Invalid or expired refresh token');
    if (!client.inCookie) throw refused;
    const headers = { ...refused.headers, 'Set-Cookie': clearedCookie(context.scheme) };
    throw new HttpError(refused.status, refused.message, headers);
  }

  async function logout(context: RequestContext): Promise<Reply> {
    const client = clientOf(context);
    const refreshToken = client.inCookie
      ? cookieToken(context)
      : requireValid(parseLogout(context.body), context);
    // The holder of an expired access token may still end its session.
    const checked = await accessTokens.check(bearerToken(context.request) ?? '');
    const sid = checked.outcome === 'invalid' ? undefined : checked.sid;
    await transactions.write(() => {
      if (refreshToken !== undefined) sessions.endByRefreshToken(refreshToken, client);
      if (sid !== undefined) sessions.end(sid);
    });
    const reply = ok({ message: 'Logged out successfully' });
    return client.inCookie ? { ...reply, cookies: [clearedCookie(context.scheme)] } : reply;
  }

  const me = ({ principal }: RequestContext): Reply => ok(currentUser(principal, users));

  const post = { ...OF_ACCOUNTS, method: 'POST', access: 'public', credentials: [], body: 'json' } as const;
  const join = { ...post, credentials: ['invitation'] } as const;
  const renew = { ...post, credentials: ['refreshToken'] } as const;
  const leave = { ...post, credentials: ['refreshToken', 'session'], body: 'jsonOrEmpty' } as const;
  const own = { ...FOR_USER, ...OF_ACCOUNTS, method: 'GET', body: 'none' } as const;
  return [
    { ...join, pattern: '/api/auth/register', operationId: 'register', handle: register },
    { ...post, pattern: '/api/auth/login', operationId: 'login', handle: login },
    { ...renew, pattern: '/api/auth/refresh', operationId: 'refreshSession', handle: refresh },
    { ...leave, pattern: '/api/auth/logout', operationId: 'logout', handle: logout },
    { ...own, pattern: '/api/auth/me', operationId: 'getCurrentUser', handle: me },
  ];
}
