import { type RequestContext, idInPath, userIdOf } from '../../http/context.ts';
import { HttpError, conflict, notFound, requireValid } from '../../http/errors.ts';
import { type Reply, created, noContent, ok } from '../../http/reply.ts';
import type { Route } from '../../http/router.ts';
import { listReply } from '../../http/list-replies.ts';

import type { Transactions } from '../../storage/transaction.ts';
import { parseInvitationSecret } from './input.ts';
import type { Invitation, InvitationStore } from './invitations.ts';
import { NOT_INVITED, requireAccounts } from './routes.ts';
import { parseInvitationList, parseNewInvitation } from './user-input.ts';

export interface InvitationRouteOptions {
  readonly invitations: InvitationStore;
  readonly transactions: Transactions;
  readonly registration: 'open' | 'invite' | 'closed';
  /** False in mode none. */
  readonly withAccounts: boolean;
  /** Reports each change to the operator. */
  readonly report: (message: string, fields: Readonly<Record<string, number>>) => void;
}

const MOST = 1_000;

/** `/api/invitations` and below, for administrators, and `/api/auth/invitation`, for those who hold one. */
export function invitationRoutes(options: InvitationRouteOptions): readonly Route[] {
  const { create, list, get, remove, look } = createHandlers(options);
  const admin = { access: 'admin', limit: 'api', needsSession: true } as const;
  const all = { ...admin, pattern: '/api/invitations' } as const;
  const one = { ...admin, pattern: '/api/invitations/:id' } as const;
  const held = { method: 'POST', access: 'public', body: 'json', limit: 'auth' } as const;
  return [
    { ...all, method: 'GET', body: 'none', operationId: 'listInvitations', handle: list },
    { ...all, method: 'POST', body: 'jsonOrEmpty', operationId: 'createInvitation', handle: create },
    { ...one, method: 'GET', body: 'none', operationId: 'getInvitation', handle: get },
    { ...one, method: 'DELETE', body: 'none', operationId: 'deleteInvitation', handle: remove },
    { ...held, pattern: '/api/auth/invitation', operationId: 'checkInvitation', handle: look },
  ];
}

function createHandlers(options: InvitationRouteOptions) {
  const { invitations, transactions, registration, report } = options;
  const idOf = ({ parameters }: RequestContext): number => idInPath(parameters, 'id', 'invitation');
  return {
    create: async (context): Promise<Reply> => {
      requireAccounts(options);
      if (registration === 'closed') throw conflict('Registration is closed');
      const input = requireValid(parseNewInvitation(context.body), context);
      const by = userIdOf(context);
      const invitation = await transactions.write(() => {
        context.recheck();
        return invitations.create(input, by, new Date());
      });
      report('invitation made', { invitation: invitation.id, by });
      return created(`/api/invitations/${invitation.id}`, invitation);
    },
    list: (context): Promise<Reply> => {
      const { limit = MOST, offset } = requireValid(parseInvitationList(context.query), context);
      const toText = (invitation: Invitation): string => JSON.stringify(invitation);
      return listReply(context, { limit, offset }, invitations.list, toText);
    },
    get: (context): Reply => {
      const invitation = invitations.get(idOf(context));
      if (!invitation) throw notFound('Invitation');
      return ok(invitation);
    },
    remove: async (context): Promise<Reply> => {
      const id = idOf(context);
      const isRemoved = await transactions.write(() => {
        context.recheck();
        return invitations.remove(id);
      });
      if (!isRemoved) throw notFound('Invitation');
      report('invitation deleted', { invitation: id, by: userIdOf(context) });
      return noContent();
    },
    look: (context): Reply => {
      const secret = requireValid(parseInvitationSecret(context.body), context);
      const invitation = invitations.find(secret, new Date());
      if (!invitation) throw new HttpError(404, NOT_INVITED);
      return ok({ email: invitation.email, expires_at: invitation.expires_at });
    },
  } satisfies Readonly<Record<string, Route['handle']>>;
}
