import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RequestContext } from '../http/context.ts';
import { notFound, requireValid } from '../http/errors.ts';
import { idInPath } from '../http/parameters.ts';
import { type Reply, created, jsonArray, noContent, ok } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import type { Transactions } from '../storage/transaction.ts';
import { parseNewRating, parseRatingListQuery } from './input.ts';
import type { RatingRecord, RatingStore } from './store.ts';

export interface RatingRouteOptions {
  readonly store: RatingStore;
  readonly transactions: Transactions;
}

const SLICE = 500;

/** `/api/restaurants/{restaurantId}/ratings` and `/api/ratings` (SPEC, "Ratings"). */
export function ratingRoutes({ store, transactions }: RatingRouteOptions): readonly Route[] {
  async function list({ parameters, query }: RequestContext): Promise<Reply> {
    const restaurantId = idInPath(parameters, 'restaurantId', 'restaurant');
    const { limit, offset } = requireValid(parseRatingListQuery(query));
    if (!store.restaurantExists(restaurantId)) throw notFound('Restaurant');
    if (limit !== undefined) return ok(store.list(restaurantId, limit, offset));
    return jsonArray(allRatings(store, restaurantId, offset));
  }

  async function create({ body }: RequestContext): Promise<Reply> {
    const input = requireValid(parseNewRating(body));
    const rating = await transactions.write(() => store.create(input, new Date().toISOString()));
    if (!rating) throw notFound('Restaurant');
    return created(`/api/ratings/${rating.id}`, rating);
  }

  async function remove({ parameters }: RequestContext): Promise<Reply> {
    const id = idInPath(parameters, 'id', 'rating');
    if (!(await transactions.write(() => store.remove(id)))) throw notFound('Rating');
    return noContent();
  }

  const shared = { limit: 'api', access: 'user' } as const;
  return [
    {
      ...shared,
      method: 'GET',
      pattern: '/api/restaurants/:restaurantId/ratings',
      access: 'public',
      body: 'none',
      operationId: 'listRatings',
      handle: list,
    },
    {
      ...shared,
      method: 'POST',
      pattern: '/api/ratings',
      body: 'json',
      operationId: 'createRating',
      handle: create,
    },
    {
      ...shared,
      method: 'DELETE',
      pattern: '/api/ratings/:id',
      body: 'none',
      operationId: 'deleteRating',
      handle: remove,
    },
  ];
}

/** All ratings of a restaurant in slices; no statement stays open while the client reads. */
async function* allRatings(
  store: RatingStore,
  restaurantId: number,
  offset: number,
): AsyncGenerator<RatingRecord[]> {
  let slice = store.list(restaurantId, SLICE, offset);
  for (;;) {
    yield slice;
    const last = slice.at(-1);
    if (last === undefined || slice.length < SLICE) return;
    await nextTurn();
    slice = store.listAfter(last, SLICE);
  }
}
