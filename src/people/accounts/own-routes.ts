import { type RequestContext, idInPath, userIdOf, writeChecked } from '../../http/context.ts';
import {
  badRequest,
  conflict,
  forbidden,
  notFound,
  requireFound,
  requireValid,
  unauthorized,
} from '../../http/errors.ts';
import { listReply } from '../../http/list-replies.ts';
import { type Reply, created, noContent, ok } from '../../http/reply.ts';
import { OF_ACCOUNTS, type Route } from '../../http/router.ts';
import { ALL, type SliceReader } from '../../kit/slices.ts';
import type { ApiToken } from './api-tokens.ts';
import { checkPassword, inTime, namesTaken, ownId, reportFailedLogin, requireLocal } from './checks.ts';
import {
  parseDeletion,
  parseNewApiToken,
  parsePasswordChange,
  parsePasswordReset,
  parseProfile,
} from './input.ts';
import { passwordFaults } from './passwords.ts';
import type { SessionRecord } from './sessions.ts';
import type { AccountParts } from './sign-in.ts';
import { LAST_ADMINISTRATOR, type StoredUser, type User, nameKey } from './users.ts';

const MOST_TOKENS = 100;
const WRONG_PASSWORD = 'Current password is wrong';
const CHANGED = { message: 'Password changed' };

/** The caller's account: `/api/auth/me`, `password`, `sessions`, `tokens`, and `password-reset`, which needs a link. */
export function ownRoutes(parts: AccountParts): readonly Route[] {
  const { users, sessions, apiTokens, passwords, attempts, transactions } = parts;

  async function changeProfile(context: RequestContext): Promise<Reply> {
    const id = ownId(context);
    const wanted = requireValid(parseProfile(context.body), context);
    const user = await writeChecked(parts, context, () => {
      const before = users.get(id);
      if (!before) throw unauthorized('Invalid token');
      const profile = { username: before.username, fullName: before.full_name, ...wanted };
      if (users.usernameIsTaken(profile.username, id)) throw namesTaken('username');
      const isSame = profile.username === before.username && profile.fullName === before.full_name;
      if (!isSame) users.setProfile(id, profile, new Date().toISOString());
      return users.get(id);
    });
    return ok(user);
  }

  async function changePassword(context: RequestContext): Promise<Reply> {
    requireLocal(parts);
    const id = ownId(context);
    const { current, password } = requireValid(parsePasswordChange(context.body), context);
    const { user, passwordHash: before } = await requireOwnPassword(context, current);
    requireNoFaults(password, user);
    const passwordHash = await inTime(passwords.hash(password));
    const changed = await writeChecked(parts, context, () => {
      // Another request may have changed the password while this one was hashing.
      if (users.getStored(id)?.passwordHash !== before) throw forbidden(WRONG_PASSWORD);
      return users.changePassword(id, passwordHash, 'passwordChange', context.principal?.sid);
    });
    const { ended, stillValid } = changed;
    const { api_tokens } = stillValid;
    return ok({ ...CHANGED, ended_sessions: ended.sessions, api_tokens, still_valid: stillValid });
  }

  /**
   * The caller's account, if `password` is right. Throws 403 if it is wrong, 409 if the account has none, and 429 after too
   * many failures. They count as failed logins: a stolen session must not help to guess the password.
   */
  async function requireOwnPassword(context: RequestContext, password: string): Promise<StoredUser> {
    const stored = users.getStored(userIdOf(context));
    if (stored?.passwordHash === undefined) throw conflict('This account has no password');
    const { email, id } = stored.user;
    const { key } = context.client;
    const matches = await checkPassword(parts, key, email, stored.passwordHash, password);
    attempts[matches ? 'succeeded' : 'failed'](nameKey(email), key);
    if (matches) return stored;
    reportFailedLogin(parts, context, id);
    throw forbidden(WRONG_PASSWORD);
  }

  async function resetPassword(context: RequestContext): Promise<Reply> {
    requireLocal(parts);
    const { token, password } = requireValid(parsePasswordReset(context.body), context);
    const requireOwner = (): User => {
      const user = users.findReset(token, new Date());
      if (!user) throw badRequest('Reset link is unknown, used or expired');
      return user;
    };
    requireNoFaults(password, requireOwner());
    const passwordHash = await inTime(passwords.hash(password));
    const { owner, stillValid } = await transactions.write(() => {
      const owner = requireOwner();
      return { owner, ...users.changePassword(owner.id, passwordHash, 'passwordReset') };
    });
    attempts.succeeded(nameKey(owner.email), context.client.key);
    parts.report('password set by a link', { user: owner.id });
    return ok({ ...CHANGED, still_valid: stillValid });
  }

  async function deleteAccount(context: RequestContext): Promise<Reply> {
    const id = ownId(context);
    const { password, confirm, contributions } = requireValid(parseDeletion(context.body), context);
    // Without a password the username confirms: a stranger at an unlocked screen may not know it.
    const stored = users.getStored(id);
    if (stored?.passwordHash !== undefined) {
      if (password === undefined) throw badRequest('password is required');
      await requireOwnPassword(context, password);
    } else if (confirm !== stored?.user.username) throw badRequest('confirm must be your username');
    if (!(await parts.erase(id, contributions, context.recheck))) throw conflict(LAST_ADMINISTRATOR);
    parts.report('user deleted their own account', { user: id });
    return noContent();
  }

  function listSessions(context: RequestContext): Promise<Reply> {
    const [userId, now, sid] = [userIdOf(context), new Date(), context.principal?.sid];
    const read: SliceReader<SessionRecord> = (after, limit) =>
      sessions.listOf(userId, now, sid, after, limit);
    return listReply(context, ALL, read, (session) => JSON.stringify(session));
  }

  async function endSession(context: RequestContext): Promise<Reply> {
    const id = idInPath(context.parameters, 'id', 'session');
    const userId = userIdOf(context);
    const isEnded = await writeChecked(parts, context, () => sessions.endOf(userId, id, new Date()));
    if (!isEnded) throw notFound('Session');
    return noContent();
  }

  /** Ends everything but this session and what was shared with accounts. */
  async function endAccess(context: RequestContext): Promise<Reply> {
    const id = ownId(context);
    const end = () => users.secrets.end('endAccess', id, context.principal?.sid);
    const ended = await writeChecked(parts, context, end);
    parts.report('all access ended', { user: id });
    return ok(ended);
  }

  function listTokens(context: RequestContext): Promise<Reply> {
    const userId = userIdOf(context);
    const read: SliceReader<ApiToken> = (after, limit) => apiTokens.listOf(userId, after, limit);
    return listReply(context, ALL, read, (token) => JSON.stringify(token));
  }

  async function createToken(context: RequestContext): Promise<Reply> {
    const { name, expiresInDays } = requireValid(parseNewApiToken(context.body), context);
    const userId = userIdOf(context);
    const token = await writeChecked(parts, context, () => {
      if ([...apiTokens.listOf(userId, undefined, MOST_TOKENS)].length === MOST_TOKENS)
        throw conflict(`At most ${MOST_TOKENS} API tokens`);
      return apiTokens.create(userId, name, expiresInDays, new Date());
    });
    return created(`/api/auth/tokens/${token.id}`, token);
  }

  function getToken(context: RequestContext): Reply {
    const token = apiTokens.get(idInPath(context.parameters, 'id', 'token'), userIdOf(context));
    return ok(requireFound(token, 'Token'));
  }

  async function removeToken(context: RequestContext): Promise<Reply> {
    const id = idInPath(context.parameters, 'id', 'token');
    const isRemoved = await writeChecked(parts, context, () => apiTokens.remove(id, userIdOf(context)));
    if (!isRemoved) throw notFound('Token');
    return noContent();
  }

  const own = { ...OF_ACCOUNTS, access: 'user', credentials: ['session'] } as const;
  const make = { ...own, method: 'POST', body: 'json' } as const;
  const me = { ...own, body: 'json', pattern: '/api/auth/me' } as const;
  const password = { ...own, body: 'json', pattern: '/api/auth/password' } as const;
  const byLink = { ...OF_ACCOUNTS, access: 'public', credentials: ['resetLink'], body: 'json' } as const;
  const access = { ...own, body: 'none', pattern: '/api/auth/access' } as const;
  const [allSessions, oneSession] = ['/api/auth/sessions', '/api/auth/sessions/:id'];
  const [allTokens, oneToken] = ['/api/auth/tokens', '/api/auth/tokens/:id'];
  const reset = '/api/auth/password-reset';
  const list = { ...own, method: 'GET', body: 'none' } as const;
  const remove = { ...own, method: 'DELETE', body: 'none' } as const;
  return [
    { ...me, method: 'PATCH', operationId: 'updateCurrentUser', handle: changeProfile },
    { ...me, method: 'DELETE', operationId: 'deleteCurrentUser', handle: deleteAccount },
    { ...password, method: 'POST', operationId: 'changePassword', handle: changePassword },
    { ...access, method: 'DELETE', operationId: 'endAccess', handle: endAccess },
    { ...list, pattern: allSessions, operationId: 'listSessions', handle: listSessions },
    { ...remove, pattern: oneSession, operationId: 'endSession', handle: endSession },
    { ...list, pattern: allTokens, operationId: 'listApiTokens', handle: listTokens },
    { ...make, pattern: allTokens, operationId: 'createApiToken', handle: createToken },
    { ...list, pattern: oneToken, operationId: 'getApiToken', handle: getToken },
    { ...remove, pattern: oneToken, operationId: 'deleteApiToken', handle: removeToken },
    { ...byLink, method: 'POST', pattern: reset, operationId: 'resetPassword', handle: resetPassword },
  ];
}

function requireNoFaults(password: string, owner: User): void {
  const faults = passwordFaults(password, owner);
  if (faults.length > 0) throw badRequest(...faults);
}
