import { type RequestContext, idInPath, userIdOf, writeChecked } from '../../http/context.ts';
import { HttpError, conflict, forbidden, notFound, requireFound, requireValid } from '../../http/errors.ts';
import { BY_ID, listReply, pageReply } from '../../http/list-replies.ts';
import { type Reply, created, json, noContent, ok } from '../../http/reply.ts';
import { OF_ACCOUNTS, type Route } from '../../http/router.ts';
import type { Sealer } from '../../kit/input/sealed.ts';
import { parseListPart } from '../../kit/input/query.ts';
import type { SliceReader } from '../../kit/slices.ts';
import { NOT_INVITED, requireAccounts, requireLocal } from './checks.ts';
import {
  parseActivation,
  parseContributions,
  parseInvitationSecret,
  parseNewInvitation,
  parseTokensToo,
  parseUserQuery,
} from './input.ts';
import type { Invitation } from './invitations.ts';
import type { AccountParts } from './sign-in.ts';
import { type Account, LAST_ADMINISTRATOR, PLACEHOLDER_USER } from './users.ts';

const MOST_INVITATIONS = 1_000;

/** `/api/users` and below: the accounts, for administrators; `cursors` seals the cursors of the list. */
export function userRoutes(parts: AccountParts, cursors: Sealer): readonly Route[] {
  const { users } = parts;

  function list(context: RequestContext): Promise<Reply> {
    const { filters, ...part } = requireValid(parseUserQuery(context.query), context);
    return pageReply(context, part, {
      scope: 'users',
      cursors,
      keys: BY_ID,
      start: 0,
      read: (after, limit) => users.accounts(filters, after, limit, new Date()),
      total: () => users.countAccounts(filters),
      render: (account) => account,
    });
  }

  async function activate(context: RequestContext): Promise<Reply> {
    const id = changeableId(context);
    const isActive = requireValid(parseActivation(context.body), context);
    const user = await writeChecked(parts, context, () => {
      const before = found(id);
      if (before.is_active === isActive) return before;
      const ended = users.setActive(id, isActive, new Date().toISOString());
      if (ended === undefined) throw conflict(LAST_ADMINISTRATOR);
      return found(id);
    });
    if (isActive) report('user activated', context);
    else report('user deactivated', context);
    return ok(user);
  }

  async function remove(context: RequestContext): Promise<Reply> {
    const id = otherId(context, 'Delete your own account with DELETE /api/auth/me');
    const contributions = requireValid(parseContributions(context.body), context);
    found(id);
    if (!(await parts.erase(id, contributions, context.recheck))) throw conflict(LAST_ADMINISTRATOR);
    report('user deleted', context);
    return noContent();
  }

  async function endSessions(context: RequestContext): Promise<Reply> {
    const id = changeableId(context);
    const withTokens = requireValid(parseTokensToo(context.query), context);
    await writeChecked(parts, context, () => {
      found(id);
      users.secrets.end(withTokens ? 'endSessionsAndTokens' : 'endSessions', id);
    });
    report('sessions of a user ended', context);
    return noContent();
  }

  async function endAccess(context: RequestContext): Promise<Reply> {
    const id = changeableId(context);
    const ended = await writeChecked(parts, context, () => {
      found(id);
      return users.secrets.end('endAccess', id, context.principal?.sid);
    });
    report('all access of a user ended', context);
    return ok(ended);
  }

  async function createReset(context: RequestContext): Promise<Reply> {
    requireLocal(parts);
    const id = otherId(context, 'Change your own password with POST /api/auth/password');
    requireAccounts(parts);
    const by = userIdOf(context);
    const link = await writeChecked(parts, context, () => {
      if (!found(id).is_active) throw conflict('User is not active');
      return users.createReset(id, by, new Date());
    });
    report('link to set a password made', context);
    return json(201, link);
  }

  const found = (id: number): Account => requireFound(users.account(id, new Date()), 'User');

  /** Logs each change for the operator: few other writes can do as much harm. */
  function report(message: string, context: RequestContext): void {
    parts.report(message, { user: idOf(context), by: userIdOf(context) });
  }

  const get = (context: RequestContext): Reply => ok(found(idOf(context)));

  const admin = { access: 'admin', credentials: ['session'], answers: 'secret', limit: 'api' } as const;
  const all = { ...admin, pattern: '/api/users' } as const;
  const one = { ...admin, pattern: '/api/users/:id' } as const;
  const ofOne = { ...admin, pattern: '/api/users/:id/sessions', query: 'read', body: 'none' } as const;
  const access = { ...admin, pattern: '/api/users/:id/access', body: 'none' } as const;
  const reset = { ...admin, pattern: '/api/users/:id/password-reset', body: 'jsonOrEmpty' } as const;
  return [
    { ...all, method: 'GET', body: 'none', operationId: 'listUsers', handle: list },
    { ...one, method: 'GET', body: 'none', operationId: 'getUser', handle: get },
    { ...one, method: 'PATCH', body: 'json', operationId: 'updateUser', handle: activate },
    { ...one, method: 'DELETE', body: 'jsonOrEmpty', operationId: 'deleteUser', handle: remove },
    { ...ofOne, method: 'DELETE', operationId: 'endSessionsOfUser', handle: endSessions },
    { ...access, method: 'DELETE', operationId: 'endAccessOfUser', handle: endAccess },
    { ...reset, method: 'POST', operationId: 'createPasswordReset', handle: createReset },
  ];
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
 * The id of a user other than the caller. Throws 409 `ownWay` for the caller: the routes under /auth ask for the current
 * password, so that a stolen session cannot take over the account.
 */
function otherId(context: RequestContext, ownWay: string): number {
  const id = changeableId(context);
  if (id === userIdOf(context)) throw conflict(ownWay);
  return id;
}

/** `/api/invitations` and below, for administrators, and `/api/auth/invitation`, for the invited. */
export function invitationRoutes(parts: AccountParts): readonly Route[] {
  const { invitations, report } = parts;
  const invitationId = ({ parameters }: RequestContext): number => idInPath(parameters, 'id', 'invitation');

  async function create(context: RequestContext): Promise<Reply> {
    requireAccounts(parts);
    if (parts.registration === 'closed') throw conflict('Registration is closed');
    const input = requireValid(parseNewInvitation(context.body), context);
    const by = userIdOf(context);
    const invitation = await writeChecked(parts, context, () => invitations.create(input, by, new Date()));
    report('invitation made', { invitation: invitation.id, by });
    return created(`/api/invitations/${invitation.id}`, invitation);
  }

  function list(context: RequestContext): Promise<Reply> {
    const { limit = MOST_INVITATIONS, offset } = requireValid(parseListPart(context.query), context);
    const read: SliceReader<Invitation> = (...part) => invitations.list(...part);
    return listReply(context, { limit, offset }, read, (invitation) => JSON.stringify(invitation));
  }

  function get(context: RequestContext): Reply {
    return ok(requireFound(invitations.get(invitationId(context)), 'Invitation'));
  }

  async function remove(context: RequestContext): Promise<Reply> {
    const id = invitationId(context);
    const isRemoved = await writeChecked(parts, context, () => invitations.remove(id));
    if (!isRemoved) throw notFound('Invitation');
    report('invitation deleted', { invitation: id, by: userIdOf(context) });
    return noContent();
  }

  function check(context: RequestContext): Reply {
    const secret = requireValid(parseInvitationSecret(context.body), context);
    const invitation = invitations.find(secret, new Date());
    if (!invitation) throw new HttpError(404, NOT_INVITED);
    const { email, invited_by, expires_at } = invitation;
    return ok({ email, invited_by, expires_at });
  }

  const admin = { access: 'admin', credentials: ['session'], answers: 'secret', limit: 'api' } as const;
  const all = { ...admin, pattern: '/api/invitations' } as const;
  const one = { ...admin, pattern: '/api/invitations/:id', body: 'none' } as const;
  const held = { ...OF_ACCOUNTS, access: 'public', credentials: ['invitation'], body: 'json' } as const;
  return [
    { ...all, method: 'GET', body: 'none', operationId: 'listInvitations', handle: list },
    { ...all, method: 'POST', body: 'jsonOrEmpty', operationId: 'createInvitation', handle: create },
    { ...one, method: 'GET', operationId: 'getInvitation', handle: get },
    { ...one, method: 'DELETE', operationId: 'deleteInvitation', handle: remove },
    {
      ...held,
      method: 'POST',
      pattern: '/api/auth/invitation',
      operationId: 'checkInvitation',
      handle: check,
    },
  ];
}
