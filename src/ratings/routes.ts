import { type Principal, type RequestContext, idInPath, writerOf } from '../http/context.ts';
import { notFound, requireValid } from '../http/errors.ts';
import { type Reply, created, jsonArray, noContent, ok, withChange } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import { type SliceReader, inSlices } from '../http/slices.ts';
import type { ChangeLog } from '../storage/change-log.ts';
import { parseNewRating, parseRatingListQuery } from './input.ts';
import type { RatingRecord, RatingStore } from './store.ts';

export interface RatingRouteOptions {
  readonly store: RatingStore;
  readonly changeLog: ChangeLog;
  /** Throws 403 when the caller may not remove a rating of `ownerId`. */
  readonly requireOwner: (principal: Principal | undefined, ownerId: number | null) => void;
}

const SLICE = 500;

/** `/api/restaurants/{restaurantId}/ratings` and `/api/ratings` (SPEC, "Ratings"). */
export function ratingRoutes(options: RatingRouteOptions): readonly Route[] {
  const { list, get, create, remove } = createHandlers(options);
  const read = { method: 'GET', access: 'public', body: 'none', limit: 'api' } as const;
  const write = { access: 'user', limit: 'api' } as const;
  const all = '/api/ratings';
  const one = '/api/ratings/:id';
  const ofRestaurant = '/api/restaurants/:restaurantId/ratings';
  return [
    { ...read, pattern: ofRestaurant, operationId: 'listRatings', handle: list },
    { ...read, pattern: one, operationId: 'getRating', handle: get },
    { ...write, method: 'POST', pattern: all, body: 'json', operationId: 'createRating', handle: create },
    { ...write, method: 'DELETE', pattern: one, body: 'none', operationId: 'deleteRating', handle: remove },
  ];
}

type Handlers = Readonly<Record<'list' | 'get' | 'create' | 'remove', Route['handle']>>;

function createHandlers({ store, changeLog, requireOwner }: RatingRouteOptions): Handlers {
  async function list(context: RequestContext): Promise<Reply> {
    const { parameters, query, work } = context;
    const restaurantId = idInPath(parameters, 'restaurantId', 'restaurant');
    const asked = requireValid(parseRatingListQuery(query), context);
    const { limit, offset } = asked;
    if (!store.restaurantExists(restaurantId)) throw notFound('Restaurant');
    if (limit !== undefined) return ok(store.list(restaurantId, limit, offset));
    const read: SliceReader<RatingRecord> = (after, most, skipped) =>
      after ? store.listAfter(after, most) : store.list(restaurantId, most, skipped);
    return jsonArray(inSlices(asked, SLICE, read, (rating) => rating, work));
  }

  function get({ parameters }: RequestContext): Reply {
    const rating = store.get(idInPath(parameters, 'id', 'rating'));
    if (!rating) throw notFound('Rating');
    return ok(rating);
  }

  async function create(context: RequestContext): Promise<Reply> {
    const input = requireValid(parseNewRating(context.body), context);
    const { result: reply } = await changeLog.write(writerOf(context), (write) => {
      const rating = store.create(input, write);
      if (!rating) throw notFound('Restaurant');
      const answer = created(`/api/ratings/${rating.id}`, rating);
      return context.storeAnswer(withChange(answer, write.changeId()));
    });
    return reply;
  }

  async function remove(context: RequestContext): Promise<Reply> {
    const id = idInPath(context.parameters, 'id', 'rating');
    const { changeId } = await changeLog.write(writerOf(context), (write) => {
      const ownerId = store.ownerOf(id);
      if (ownerId === undefined) throw notFound('Rating');
      requireOwner(context.principal, ownerId);
      store.remove(id, write);
    });
    return withChange(noContent(), changeId);
  }

  return { list, get, create, remove };
}
