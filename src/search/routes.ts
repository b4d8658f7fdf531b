import type { RequestContext } from '../http/context.ts';
import { requireValid } from '../http/errors.ts';
import { type Reply, ok } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import { type Parsed, parsed } from '../input/fields.ts';
import { choiceParameter, integerParameter, readQuery, textParameter } from '../input/query.ts';
import { type RestaurantRecord, restaurantJson } from '../restaurants/record.ts';
import type { SearchStore } from './store.ts';

export interface SearchRouteOptions {
  readonly store: SearchStore;
  /** Those of the ids that exist, as records in the order given. */
  readonly getRestaurants: (ids: readonly number[]) => RestaurantRecord[];
}

interface SearchQuery {
  readonly words: string;
  readonly limit: number;
}

/** `/api/search` (CONTRACT section 2). */
export function searchRoutes({ store, getRestaurants }: SearchRouteOptions): readonly Route[] {
  function search({ query }: RequestContext): Reply {
    const { words, limit } = requireValid(parseSearchQuery(query));
    return ok(getRestaurants(store.find(words, limit)).map((record) => restaurantJson(record)));
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
  choiceParameter(query, 'include_suggestions', ['true', 'false']);
  const words = textParameter(query, 'q', 200);
  if (words === undefined && !query.raw.has('q')) query.faults.push('q is required');
  return parsed(query, { words: words ?? '', limit: integerParameter(query, 'limit', 1, 100) ?? 20 });
}
