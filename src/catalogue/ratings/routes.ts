import type { ShowAuthor } from '../authors.ts';
import { OWN } from '../../http/conditional.ts';
import { type Principal, type RequestContext, authorIdOf, idInPath, writerOf } from '../../http/context.ts';
import { badRequest, forbidden, notFound, requireValid } from '../../http/errors.ts';
import { type Reply, created, noContent, ok, withChange } from '../../http/reply.ts';
import type { Route } from '../../http/router.ts';
import { listReply } from '../../http/list-replies.ts';
import type { SliceReader } from '../../kit/slices.ts';
import type { ChangeLog } from '../../storage/change-log.ts';
import { parseNewRating, parseOwnRatingsQuery, parseRatingChange, parseRatingListQuery } from './input.ts';
import { type RatingOfUser, ownRatingJson, ratingJson } from './record.ts';
import type { RatingStore } from './store.ts';

export interface RatingRouteOptions {
  readonly store: RatingStore;
  readonly changeLog: ChangeLog;
  readonly showAuthor: ShowAuthor;
  /** Throws 403 when the caller may not remove a rating of `ownerId`. */
  readonly requireOwner: (principal: Principal | undefined, ownerId: number | null) => void;
}

type Rating = NonNullable<ReturnType<RatingStore['get']>>;

/** `/api/restaurants/{restaurantId}/ratings` and `/api/ratings` (SPEC, "Ratings"). */
export function ratingRoutes(options: RatingRouteOptions): readonly Route[] {
  const { list, listOwn, get, create, update, remove } = createHandlers(options);
  const read = { method: 'GET', access: 'public', body: 'none', limit: 'api' } as const;
  const write = { access: 'user', body: 'json', limit: 'api' } as const;
  const all = '/api/ratings';
  const one = '/api/ratings/:id';
  const ofRestaurant = '/api/restaurants/:restaurantId/ratings';
  return [
    { ...read, pattern: ofRestaurant, operationId: 'listRatings', handle: list },
    { ...read, access: 'user', pattern: all, operationId: 'listOwnRatings', handle: listOwn },
    { ...read, pattern: one, operationId: 'getRating', handle: get },
    { ...write, method: 'POST', pattern: all, operationId: 'createRating', handle: create },
    { ...write, method: 'PUT', pattern: one, operationId: 'updateRating', handle: update },
    { ...write, method: 'DELETE', pattern: one, body: 'none', operationId: 'deleteRating', handle: remove },
  ];
}

type Handlers = Readonly<
  Record<'list' | 'listOwn' | 'get' | 'create' | 'update' | 'remove', Route['handle']>
>;

function createHandlers(options: RatingRouteOptions): Handlers {
  const { store, changeLog, showAuthor, requireOwner } = options;
  const answer = (rating: Rating): object => ratingJson(rating, showAuthor);

  async function create(context: RequestContext): Promise<Reply> {
    const input = requireValid(parseNewRating(context.body), context);
    const { result: reply } = await changeLog.write(writerOf(context), (write) => {
      const rating = store.create(input, write);
      if (!rating) throw notFound('Restaurant');
      const made = created(`/api/ratings/${rating.id}`, answer(rating));
      return context.storeAnswer(withChange(made, write.changeId()));
    });
    return reply;
  }

  async function update(context: RequestContext): Promise<Reply> {
    const id = idOf(context);
    const { change, restaurantId } = requireValid(parseRatingChange(context.body), context);
    const { result, changeId } = await changeLog.write(writerOf(context), (write) => {
      const { author_id, restaurant_id } = found(store.stored(id));
      if (author_id !== authorIdOf(context)) throw forbidden('Only its author may change a rating');
      if (restaurantId !== undefined && restaurantId !== restaurant_id)
        throw badRequest('restaurant_id cannot be changed');
      return found(store.update(id, change, write));
    });
    return withChange(ok(answer(result)), changeId);
  }

  async function remove(context: RequestContext): Promise<Reply> {
    const id = idOf(context);
    const { changeId } = await changeLog.write(writerOf(context), (write) => {
      requireOwner(context.principal, found(store.stored(id)).author_id);
      store.remove(id, write);
    });
    return withChange(noContent(), changeId);
  }

  return {
    ...createLists(options),
    get: (context) => ok(answer(found(store.get(idOf(context))))),
    ...{ create, update, remove },
  };
}

function createLists({ store, showAuthor }: RatingRouteOptions): Pick<Handlers, 'list' | 'listOwn'> {
  return {
    list: (context) => {
      const { parameters, query } = context;
      const restaurantId = idInPath(parameters, 'restaurantId', 'restaurant');
      const asked = requireValid(parseRatingListQuery(query), context);
      if (!store.restaurantExists(restaurantId)) throw notFound('Restaurant');
      const read: SliceReader<Rating> = (...part) => store.list(restaurantId, ...part);
      const toText = (rating: Rating): string => JSON.stringify(ratingJson(rating, showAuthor));
      return listReply(context, asked, read, toText);
    },
    listOwn: (context) => {
      const { restaurantId, ...asked } = requireValid(parseOwnRatingsQuery(context.query), context);
      const of = { userId: authorIdOf(context), restaurantId };
      const read: SliceReader<RatingOfUser> = (...part) => store.listOfUser(of, ...part);
      const toText = (rating: RatingOfUser): string => JSON.stringify(ownRatingJson(rating, showAuthor));
      return listReply(context, asked, read, toText, OWN);
    },
  };
}

const idOf = ({ parameters }: RequestContext): number => idInPath(parameters, 'id', 'rating');

function found<Found>(rating: Found | undefined): Found {
  if (rating === undefined) throw notFound('Rating');
  return rating;
}
