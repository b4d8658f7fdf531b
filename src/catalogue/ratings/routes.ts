import type { Authored } from '../authors.ts';
import { type RequestContext, authorIdOf, idInPath, replyOfWrite } from '../../http/context.ts';
import { badRequest, conflict, forbidden, notFound, requireFound, requireValid } from '../../http/errors.ts';
import { type Reply, created, noContent, ok } from '../../http/reply.ts';
import { FOR_USER, PUBLIC_READ, type Route } from '../../http/router.ts';
import { listReply } from '../../http/list-replies.ts';
import { parseListPart } from '../../kit/input/query.ts';
import type { SliceReader } from '../../kit/slices.ts';
import type { CatalogueParts } from '../parts.ts';
import { parseNewRating, parseOwnRatingsQuery, parseRatingChange } from './input.ts';
import { type RatingOfUser, type RatingRecord, ownRatingJson, ratingJson } from './record.ts';

// Of one restaurant by one user.
const MOST_RATINGS = 50;

/** `/api/restaurants/{restaurantId}/ratings` and `/api/ratings`. */
export function ratingRoutes(parts: CatalogueParts): readonly Route[] {
  const { changeLog, showAuthor, requireOwner } = parts;
  const store = parts.stores.ratings;
  const answer = (rating: Authored<RatingRecord>): object => ratingJson(rating, showAuthor);

  function list(context: RequestContext): Promise<Reply> {
    const { parameters, query } = context;
    const restaurantId = idInPath(parameters, 'restaurantId', 'restaurant');
    const part = requireValid(parseListPart(query), context);
    if (!store.restaurantExists(restaurantId)) throw notFound('Restaurant');
    const read: SliceReader<Authored<RatingRecord>> = (...slice) => store.list(restaurantId, ...slice);
    return listReply(context, part, read, (rating) => JSON.stringify(answer(rating)));
  }

  function listOwn(context: RequestContext): Promise<Reply> {
    const { restaurantId, ...part } = requireValid(parseOwnRatingsQuery(context.query), context);
    const of = { userId: authorIdOf(context), restaurantId };
    const read: SliceReader<RatingOfUser> = (...slice) => store.listOfUser(of, ...slice);
    const toText = (rating: RatingOfUser): string => JSON.stringify(ownRatingJson(rating, showAuthor));
    return listReply(context, part, read, toText);
  }

  function get(context: RequestContext): Reply {
    return ok(answer(found(store.get(idOf(context)))));
  }

  function create(context: RequestContext): Promise<Reply> {
    const input = requireValid(parseNewRating(context.body), context);
    return replyOfWrite(context, changeLog, (write) => {
      // Imports, merges and undo may bring more.
      if (store.countOf(input.restaurant_id, authorIdOf(context)) >= MOST_RATINGS)
        throw conflict(`You have rated this restaurant ${MOST_RATINGS} times`);
      const rating = requireFound(store.create(input, write), 'Restaurant');
      return created(`/api/ratings/${rating.id}`, answer(rating));
    });
  }

  function update(context: RequestContext): Promise<Reply> {
    const id = idOf(context);
    const { change, restaurantId } = requireValid(parseRatingChange(context.body), context);
    return replyOfWrite(context, changeLog, (write) => {
      const { author_id, restaurant_id } = found(store.stored(id));
      if (author_id !== authorIdOf(context)) throw forbidden('Only its author may change a rating');
      if (restaurantId !== undefined && restaurantId !== restaurant_id)
        throw badRequest('restaurant_id cannot be changed');
      return ok(answer(found(store.update(id, change, write))));
    });
  }

  function remove(context: RequestContext): Promise<Reply> {
    const id = idOf(context);
    return replyOfWrite(context, changeLog, (write) => {
      requireOwner(context.principal, found(store.stored(id)).author_id);
      store.remove(id, write);
      return noContent();
    });
  }

  const write = { ...FOR_USER, answers: 'public', body: 'json' } as const;
  const own = { ...FOR_USER, method: 'GET', body: 'none' } as const;
  const all = '/api/ratings';
  const one = '/api/ratings/:id';
  const ofRestaurant = '/api/restaurants/:restaurantId/ratings';
  return [
    { ...PUBLIC_READ, pattern: ofRestaurant, operationId: 'listRatings', handle: list },
    { ...own, pattern: all, operationId: 'listOwnRatings', handle: listOwn },
    { ...PUBLIC_READ, pattern: one, operationId: 'getRating', handle: get },
    { ...write, method: 'POST', pattern: all, operationId: 'createRating', handle: create },
    { ...write, method: 'PUT', pattern: one, operationId: 'updateRating', handle: update },
    { ...write, method: 'DELETE', pattern: one, body: 'none', operationId: 'deleteRating', handle: remove },
  ];
}

const idOf = ({ parameters }: RequestContext): number => idInPath(parameters, 'id', 'rating');

const found = <Found>(rating: Found | undefined): Found => requireFound(rating, 'Rating');
