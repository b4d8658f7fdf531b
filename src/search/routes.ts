import type { RequestContext } from '../http/context.ts';
import { requireValid } from '../http/errors.ts';
import { type Reply, ok } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import { type Parsed, parsed } from '../input/fields.ts';
import { choiceParameter, integerParameter, readQuery, requiredTextParameter } from '../input/query.ts';
import { type ListedRecord, restaurantJson } from '../restaurants/record.ts';
import type { SearchStore } from './store.ts';

export interface SearchRouteOptions {
  readonly store: SearchStore;
  /** Those of the ids that exist, restaurants and pending suggestions, as records in the order given. */
  readonly getListed: (ids: readonly number[]) => ListedRecord[];
}

interface SearchQuery {
  readonly words: string;
  readonly limit: number;
  readonly withPending: boolean;
}

/** `/api/search` (CONTRACT section 2). */
export function searchRoutes({ store, getListed }: SearchRouteOptions): readonly Route[] {
  function search({ query }: RequestContext): Reply {
    const { words, limit, withPending } = requireValid(parseSearchQuery(query));
    return ok(getListed(store.find(words, limit, withPending)).map((record) => restaurantJson(record)));
  }
  return [
    {
      method: 'GET',
      pattern: '/api/search',
      access: 'public',
      body: 'none',
      limit: 'api',
      operationId: 'search',
      handle: search,
    },
  ];
}

function parseSearchQuery(queryString: string): Parsed<SearchQuery> {
  const query = readQuery(queryString);
  const included = choiceParameter(query, 'include_suggestions', ['true', 'false']);
  return parsed(query, {
    words: requiredTextParameter(query, 'q', 200),
    limit: integerParameter(query, 'limit', 1, 100) ?? 20,
    withPending: included !== 'false',
  });
}
