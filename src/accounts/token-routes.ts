import type { RequestContext } from '../http/context.ts';
import { forbidden, notFound, requireValid, unauthorized } from '../http/errors.ts';
import { idInPath } from '../http/parameters.ts';
import { type Reply, created, noContent, ok } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import type { Transactions } from '../storage/transaction.ts';
import type { ApiTokenStore } from './api-tokens.ts';
import { parseNewApiToken } from './input.ts';

export interface ApiTokenRouteOptions {
  readonly apiTokens: ApiTokenStore;
  readonly transactions: Transactions;
}

/** `/api/auth/tokens`: everybody's own tokens for scripts (CONTRACT section 8). */
export function apiTokenRoutes({ apiTokens, transactions }: ApiTokenRouteOptions): readonly Route[] {
  async function create(context: RequestContext): Promise<Reply> {
    // Otherwise a token that leaked could outlive its own removal.
    if (context.principal?.credential === 'apiToken') throw forbidden('API tokens cannot create API tokens');
    const input = requireValid(parseNewApiToken(context.body));
    const token = await transactions.write(() => apiTokens.create(userIdOf(context), input, new Date()));
    return created(`/api/auth/tokens/${token.id}`, token);
  }

  async function remove(context: RequestContext): Promise<Reply> {
    const id = idInPath(context.parameters, 'id', 'token');
    if (!(await transactions.write(() => apiTokens.remove(id, userIdOf(context))))) throw notFound('Token');
    return noContent();
  }

  const own = { access: 'user', limit: 'auth' } as const;
  return [
    {
      ...own,
      method: 'GET',
      pattern: '/api/auth/tokens',
      body: 'none',
      operationId: 'listApiTokens',
      handle: (context) => ok(apiTokens.listOf(userIdOf(context))),
    },
    {
      ...own,
      method: 'POST',
      pattern: '/api/auth/tokens',
      body: 'json',
      operationId: 'createApiToken',
      handle: create,
    },
    {
      ...own,
      method: 'DELETE',
      pattern: '/api/auth/tokens/:id',
      body: 'none',
      operationId: 'deleteApiToken',
      handle: remove,
    },
  ];
}

function userIdOf({ principal }: RequestContext): number {
  if (!principal) throw unauthorized('Authentication required');
  return principal.userId;
}
