import { type RequestContext, idInPath } from '../http/context.ts';
import { forbidden, notFound, requireValid, unauthorized } from '../http/errors.ts';
import { type Reply, created, noContent, ok } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import type { Transactions } from '../storage/transaction.ts';
import type { ApiTokenStore } from './api-tokens.ts';
import { parseNewApiToken } from './input.ts';

export interface ApiTokenRouteOptions {
  readonly apiTokens: ApiTokenStore;
  readonly transactions: Transactions;
}

/** `/api/auth/tokens`: a user's own tokens for scripts. */
export function apiTokenRoutes({ apiTokens, transactions }: ApiTokenRouteOptions): readonly Route[] {
  const list = (context: RequestContext): Reply => ok(apiTokens.listOf(userIdOf(context)));

  async function create(context: RequestContext): Promise<Reply> {
    // Otherwise a token that leaked could outlive its own removal.
    if (context.principal?.credential === 'apiToken') throw forbidden('API tokens cannot create API tokens');
    const input = requireValid(parseNewApiToken(context.body));
    const token = await transactions.write(() => apiTokens.create(userIdOf(context), input, new Date()));
    return created(`/api/auth/tokens/${token.id}`, token);
  }

  function get(context: RequestContext): Reply {
    const token = apiTokens.get(idOf(context), userIdOf(context));
    if (!token) throw notFound('Token');
    return ok(token);
  }

  async function remove(context: RequestContext): Promise<Reply> {
    const id = idOf(context);
    if (!(await transactions.write(() => apiTokens.remove(id, userIdOf(context))))) throw notFound('Token');
    return noContent();
  }

  const all = { access: 'user', limit: 'auth', pattern: '/api/auth/tokens' } as const;
  const one = { ...all, pattern: '/api/auth/tokens/:id' } as const;
  return [
    { ...all, method: 'GET', body: 'none', operationId: 'listApiTokens', handle: list },
    { ...all, method: 'POST', body: 'json', operationId: 'createApiToken', handle: create },
    { ...one, method: 'GET', body: 'none', operationId: 'getApiToken', handle: get },
    { ...one, method: 'DELETE', body: 'none', operationId: 'deleteApiToken', handle: remove },
  ];
}

function idOf({ parameters }: RequestContext): number {
  return idInPath(parameters, 'id', 'token');
}

function userIdOf({ principal }: RequestContext): number {
  if (!principal) throw unauthorized('Authentication required');
  return principal.userId;
}
