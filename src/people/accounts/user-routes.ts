import { type RequestContext, idInPath, userIdOf } from '../../http/context.ts';
import { conflict, forbidden, notFound, requireValid } from '../../http/errors.ts';
import { BY_ID, pageReply } from '../../http/list-replies.ts';
import { type Reply, json, noContent, ok } from '../../http/reply.ts';
import type { Route } from '../../http/router.ts';
import type { Sealer } from '../../kit/input/sealed.ts';
import type { Transactions } from '../../storage/transaction.ts';
import { type Administration, LAST_ADMINISTRATOR } from './administration.ts';
import { PLACEHOLDER_USER } from './authenticate.ts';
import type { Account, Directory } from './directory.ts';
import { type Contributions, parseContributions } from './own-input.ts';
import { requireAccounts, requireLocal } from './routes.ts';
import { parseActivation, parseTokensToo, parseUserQuery } from './user-input.ts';

export interface UserRouteOptions {
  readonly directory: Directory;
  readonly administration: Administration;
  readonly transactions: Transactions;
  /** Seals the cursors of the list. */
  readonly sealer: Sealer;
  /** Erases an account with all that is its user's alone; false for the last administrator. `recheck`: see `RequestContext`. */
  readonly erase: (userId: number, contributions: Contributions, recheck: () => void) => Promise<boolean>;
  /** False in mode oauth. */
  readonly localAccounts: boolean;
  /** False in mode none. */
  readonly withAccounts: boolean;
  /** Reports each change to the operator. */
  readonly report: (message: string, fields: Readonly<Record<string, number>>) => void;
}

/** `/api/users` and below: the accounts, for administrators. Who is one is set outside of the API (SPEC, "Rules"). */
export function userRoutes(options: UserRouteOptions): readonly Route[] {
  const admin = { access: 'admin', limit: 'api', needsSession: true } as const;
  const bound =
    (handle: Handler): Route['handle'] =>
    (context) =>
      handle(context, options);
  const all = { ...admin, pattern: '/api/users' } as const;
  const one = { ...admin, pattern: '/api/users/:id' } as const;
  const sessions = { ...admin, pattern: '/api/users/:id/sessions', readsQuery: true } as const;
  const reset = { ...admin, pattern: '/api/users/:id/password-reset' } as const;
  return [
    { ...all, method: 'GET', body: 'none', operationId: 'listUsers', handle: bound(list) },
    { ...one, method: 'GET', body: 'none', operationId: 'getUser', handle: bound(get) },
    { ...one, method: 'PATCH', body: 'json', operationId: 'updateUser', handle: bound(activate) },
    { ...one, method: 'DELETE', body: 'jsonOrEmpty', operationId: 'deleteUser', handle: bound(remove) },
    {
      ...sessions,
      method: 'DELETE',
      body: 'none',
      operationId: 'endSessionsOfUser',
      handle: bound(endSessions),
    },
    {
      ...reset,
      method: 'POST',
      body: 'jsonOrEmpty',
      operationId: 'createPasswordReset',
      handle: bound(createReset),
    },
  ];
}

type Handler = (context: RequestContext, options: UserRouteOptions) => Reply | Promise<Reply>;

function list(context: RequestContext, { directory, sealer }: UserRouteOptions): Promise<Reply> {
  const { limit, cursor, ...filters } = requireValid(parseUserQuery(context.query), context);
  return pageReply(
    context,
    { limit, cursor },
    {
      ...{ scope: 'users', cursors: sealer, keys: BY_ID, start: 0 },
      read: (after, most) => directory.page(filters, after, most, new Date()),
      total: () => directory.count(filters),
      render: (account) => account,
    },
  );
}

function get(context: RequestContext, { directory }: UserRouteOptions): Reply {
  return ok(found(idOf(context), directory));
}

async function activate(context: RequestContext, options: UserRouteOptions): Promise<Reply> {
  const { directory, administration, transactions } = options;
  const id = changeableId(context);
  const isActive = requireValid(parseActivation(context.body), context);
  const user = await transactions.write(() => {
    context.recheck();
    const before = found(id, directory);
    if (before.is_active === isActive) return before;
    if (!administration.setActive(id, isActive, new Date())) throw conflict(LAST_ADMINISTRATOR);
    return found(id, directory);
  });
  if (isActive) report('user activated', context, options);
  else report('user deactivated', context, options);
  return ok(user);
}

async function remove(context: RequestContext, options: UserRouteOptions): Promise<Reply> {
  const id = otherId(context, 'Delete your own account with DELETE /api/auth/me');
  const contributions = requireValid(parseContributions(context.body), context);
  found(id, options.directory);
  if (!(await options.erase(id, contributions, context.recheck))) throw conflict(LAST_ADMINISTRATOR);
  report('user deleted', context, options);
  return noContent();
}

async function endSessions(context: RequestContext, options: UserRouteOptions): Promise<Reply> {
  const { directory, administration, transactions } = options;
  const id = changeableId(context);
  const withTokens = requireValid(parseTokensToo(context.query), context);
  await transactions.write(() => {
    context.recheck();
    return administration.endSessions(found(id, directory).id, withTokens);
  });
  report('sessions of a user ended', context, options);
  return noContent();
}

async function createReset(context: RequestContext, options: UserRouteOptions): Promise<Reply> {
  requireLocal(options);
  const { directory, administration, transactions } = options;
  const id = otherId(context, 'Change your own password with POST /api/auth/password');
  requireAccounts(options);
  const by = userIdOf(context);
  const link = await transactions.write(() => {
    context.recheck();
    if (!found(id, directory).is_active) throw conflict('User is not active');
    return administration.createReset(id, by, new Date());
  });
  report('link to set a password made', context, options);
  return json(201, link);
}

function idOf({ parameters }: RequestContext): number {
  return idInPath(parameters, 'id', 'user');
}

/** The id of a user who may be changed. Throws 403 for the placeholder of mode none. */
function changeableId(context: RequestContext): number {
  const id = idOf(context);
  if (id === PLACEHOLDER_USER.id && context.principal?.credential === 'none')
    throw forbidden('The placeholder user cannot be changed');
  return id;
}

/**
 * The id of a user other than the caller. Throws 409 `ownWay` for the caller's own: the routes below /auth ask for the
 * current password, without which a stolen session must not become more than that.
 */
function otherId(context: RequestContext, ownWay: string): number {
  const id = changeableId(context);
  if (id === userIdOf(context)) throw conflict(ownWay);
  return id;
}

function found(id: number, directory: Directory): Account {
  const account = directory.get(id, new Date());
  if (!account) throw notFound('User');
  return account;
}

/** Each of these is a warning, since few other writes can do as much harm. */
function report(message: string, context: RequestContext, options: UserRouteOptions): void {
  options.report(message, { user: idOf(context), by: userIdOf(context) });
}
