import { type RequestContext, idInPath, userIdOf } from '../../http/context.ts';
import { badRequest, conflict, forbidden, notFound, requireValid, unauthorized } from '../../http/errors.ts';
import { type Reply, noContent, ok } from '../../http/reply.ts';
import type { Route } from '../../http/router.ts';
import { listReply } from '../../http/list-replies.ts';
import { ALL, type SliceReader } from '../../kit/slices.ts';
import { type Administration, LAST_ADMINISTRATOR } from './administration.ts';
import { type OwnPasswordCheck, checkOwnPassword } from './guarded-password.ts';
import { parsePasswordReset } from './input.ts';
import {
  type Contributions,
  type Deletion,
  parseDeletion,
  parsePasswordChange,
  parseProfile,
} from './own-input.ts';
import { passwordFaults } from './passwords.ts';
import { inTime, reportFailedLogin, requireLocal, takenMessage, tooManyFailures } from './routes.ts';
import type { SessionRecord } from './sessions.ts';
import type { SignInOptions } from './sign-in.ts';
import { nameKey } from './users.ts';

export interface OwnRouteOptions extends SignInOptions {
  readonly administration: Administration;
  /** Erases an account with all that is its user's alone; false for the last administrator. */
  readonly erase: (userId: number, contributions: Contributions, recheck: () => void) => Promise<boolean>;
  /** False in mode oauth. */
  readonly localAccounts: boolean;
  readonly report: (message: string, fields: Readonly<Record<string, string | number>>) => void;
}

/** A signed-in user's own account: `/api/auth/me`, `password`, `sessions`, and `password-reset`, which needs a link. */
export function ownRoutes(options: OwnRouteOptions): readonly Route[] {
  const own = { access: 'user', limit: 'auth', needsSession: true } as const;
  const bound =
    (handle: Handler): Route['handle'] =>
    (context) =>
      handle(context, options);
  const me = { ...own, body: 'json', pattern: '/api/auth/me' } as const;
  const password = { ...own, method: 'POST', body: 'json', pattern: '/api/auth/password' } as const;
  const sessions = { ...own, method: 'GET', body: 'none', pattern: '/api/auth/sessions' } as const;
  const session = { ...own, method: 'DELETE', body: 'none', pattern: '/api/auth/sessions/:id' } as const;
  const reset = { method: 'POST', access: 'public', body: 'json', limit: 'auth' } as const;
  return [
    { ...me, method: 'PATCH', operationId: 'updateCurrentUser', handle: bound(changeProfile) },
    { ...me, method: 'DELETE', operationId: 'deleteCurrentUser', handle: bound(deleteAccount) },
    { ...password, operationId: 'changePassword', handle: bound(changePassword) },
    { ...sessions, operationId: 'listSessions', handle: bound(listSessions) },
    { ...session, operationId: 'endSession', handle: bound(endSession) },
    {
      ...reset,
      pattern: '/api/auth/password-reset',
      operationId: 'resetPassword',
      handle: bound(resetPassword),
    },
  ];
}

type Handler = (context: RequestContext, options: OwnRouteOptions) => Reply | Promise<Reply>;

/** The caller's own account. Throws 403 for the placeholder of mode none. */
function ownId(context: RequestContext): number {
  if (context.principal?.credential === 'none') throw forbidden('The placeholder user cannot be changed');
  return userIdOf(context);
}

async function changeProfile(
  context: RequestContext,
  { users, transactions }: OwnRouteOptions,
): Promise<Reply> {
  const id = ownId(context);
  const wanted = requireValid(parseProfile(context.body), context);
  const user = await transactions.write(() => {
    context.recheck();
    const before = users.get(id);
    if (!before) throw unauthorized('Invalid token');
    const profile = { username: before.username, fullName: before.full_name, ...wanted };
    if (users.usernameIsTaken(profile.username, id))
      throw conflict(takenMessage({ email: false, username: true }));
    const isSame = profile.username === before.username && profile.fullName === before.full_name;
    if (!isSame) users.setProfile(id, profile, new Date().toISOString());
    return users.get(id);
  });
  return ok(user);
}

async function changePassword(context: RequestContext, options: OwnRouteOptions): Promise<Reply> {
  requireLocal(options);
  const { users, passwords, administration, transactions } = options;
  const id = ownId(context);
  const { current, password } = requireValid(parsePasswordChange(context.body), context);
  const { user, passwordHash: before } = await requireOwnPassword(context, current, options);
  requireNoFaults(passwordFaults(password, user));
  const passwordHash = await inTime(passwords.hash(password));
  const changed = await transactions.write(() => {
    context.recheck();
    // Another request may have changed it while this one was hashing.
    if (users.getStored(id)?.passwordHash !== before) throw forbidden(WRONG_PASSWORD);
    return administration.setPassword(id, passwordHash, new Date(), context.principal?.sid ?? null);
  });
  return ok({ message: 'Password changed', ended_sessions: changed.ended, api_tokens: changed.tokens });
}

const WRONG_PASSWORD = 'Current password is wrong';

/** The caller's account, whose password was given. Throws 403 for a wrong one, 409 where there is none, 429. */
async function requireOwnPassword(
  context: RequestContext,
  password: string,
  options: OwnRouteOptions,
): Promise<Extract<OwnPasswordCheck, { outcome: 'right' }>> {
  const given = { password, addressKey: context.client.key };
  const checked = await inTime(checkOwnPassword(options, userIdOf(context), given));
  if (checked.outcome === 'wait') throw tooManyFailures(checked.seconds);
  if (checked.outcome === 'none') throw conflict('This account has no password');
  if (checked.outcome === 'wrong') {
    reportFailedLogin(options, context, userIdOf(context));
    throw forbidden(WRONG_PASSWORD);
  }
  return checked;
}

function listSessions(context: RequestContext, { sessions }: OwnRouteOptions): Promise<Reply> {
  const { sid = null } = context.principal ?? {};
  const [userId, now] = [userIdOf(context), new Date()];
  const read: SliceReader<SessionRecord> = (after, limit) => sessions.listOf(userId, now, sid, after, limit);
  return listReply(context, ALL, read, (session) => JSON.stringify(session));
}

async function endSession(
  context: RequestContext,
  { sessions, transactions }: OwnRouteOptions,
): Promise<Reply> {
  const id = idInPath(context.parameters, 'id', 'session');
  const userId = userIdOf(context);
  const isEnded = await transactions.write(() => {
    context.recheck();
    return sessions.endOf(userId, id, new Date());
  });
  if (!isEnded) throw notFound('Session');
  return noContent();
}

async function deleteAccount(context: RequestContext, options: OwnRouteOptions): Promise<Reply> {
  const id = ownId(context);
  const deletion = requireValid(parseDeletion(context.body), context);
  await requireConfirmation(context, deletion, options);
  if (!(await options.erase(id, deletion.contributions, context.recheck))) throw conflict(LAST_ADMINISTRATOR);
  options.report('user deleted the own account', { user: id });
  return noContent();
}

/** A password confirms, and the username where there is none: a stranger at an unlocked screen knows neither. */
async function requireConfirmation(
  context: RequestContext,
  { password, confirm }: Deletion,
  options: OwnRouteOptions,
): Promise<void> {
  const stored = options.users.getStored(userIdOf(context));
  if (stored?.passwordHash === undefined) {
    if (confirm !== stored?.user.username) throw badRequest('confirm must be your username');
    return;
  }
  if (password === undefined) throw badRequest('password is required');
  await requireOwnPassword(context, password, options);
}

async function resetPassword(context: RequestContext, options: OwnRouteOptions): Promise<Reply> {
  requireLocal(options);
  const { users, passwords, attempts, administration, transactions } = options;
  const { token, password } = requireValid(parsePasswordReset(context.body), context);
  const find = () => {
    const user = users.get(administration.findReset(token, new Date()) ?? 0);
    if (!user) throw badRequest('Reset link is unknown, used or expired');
    return user;
  };
  requireNoFaults(passwordFaults(password, find()));
  const passwordHash = await inTime(passwords.hash(password));
  const user = await transactions.write(() => {
    const owner = find();
    administration.setPassword(owner.id, passwordHash, new Date());
    return owner;
  });
  attempts.succeeded(nameKey(user.email), context.client.key);
  options.report('password set by a link', { user: user.id });
  return ok({ message: 'Password changed' });
}

function requireNoFaults(faults: readonly string[]): void {
  if (faults.length > 0) throw badRequest(...faults);
}
