import type { ShowAuthor } from '../../catalogue/authors.ts';
import { photoJson } from '../../catalogue/photos/record.ts';
import { PhotoStore } from '../../catalogue/photos/store.ts';
import { type RatingOfUser, ownRatingJson } from '../../catalogue/ratings/record.ts';
import { RatingStore } from '../../catalogue/ratings/store.ts';
import type { Lookups } from '../../index/lookups.ts';
import { RestaurantStore } from '../../catalogue/restaurants/store.ts';
import { suggestionJson } from '../../catalogue/suggestions/record.ts';
import { SuggestionStore } from '../../catalogue/suggestions/store.ts';
import { type RequestContext, authorIdOf } from '../../http/context.ts';
import { conflict } from '../../http/errors.ts';
import { type Reply, stream } from '../../http/reply.ts';
import type { Route } from '../../http/router.ts';
import { ALL, type Slice, type SliceReader, inSlices } from '../../kit/slices.ts';
import type { Prepared, Queries } from '../../storage/statements.ts';
import { currentUser } from '../accounts/routes.ts';
import type { AccountParts } from '../accounts/sign-in.ts';
import type { SessionRecord } from '../accounts/sessions.ts';
import type { ItemRecord } from '../lists/items.ts';
import { listJson } from '../lists/record.ts';
import { ListStore } from '../lists/store.ts';
import { type VisitRecord, visitJson } from '../visits/record.ts';
import { ALL_VISITS, VisitStore, placeOf } from '../visits/store.ts';

interface Id {
  readonly id: number;
}

const HEADERS = {
  'Content-Type': 'application/x-ndjson; charset=utf-8',
  'Content-Disposition': 'attachment; filename="my-data.ndjson"',
};

/**
 * `/api/me/export`: everything that is the caller's own, one object a line (NDJSON), each with its `type`, and no secrets. A user
 * has one export at a time. `lookups` returns all categories and food types.
 */
export function exportRoutes(
  queries: Queries,
  { users, sessions }: Pick<AccountParts, 'users' | 'sessions'>,
  showAuthor: ShowAuthor,
  lookups: () => Lookups,
): readonly Route[] {
  const sql = queries.file('people');
  const ratings = new RatingStore(queries.file('ratings'));
  const photos = new PhotoStore(queries.file('photos'));
  const restaurants = new RestaurantStore(queries.file('restaurants'));
  const suggestions = new SuggestionStore(queries.file('suggestions'), restaurants);
  const lists = new ListStore(queries.file('lists'));
  const visits = new VisitStore(queries.file('visits'));
  const ownPhotos = sql.prepare<Id>('listOwnPhotos');
  const ownSuggestions = sql.prepare<Id>('listOwnSuggestions');
  const underWay = new Set<number | null>();

  /** Everything that a user has written; with `null`, entries without a user. */
  function* records(userId: number | null): Generator<Slice<unknown>> {
    yield* inSlices(
      ALL,
      (after: RatingOfUser | undefined, limit, offset) =>
        ratings.listOfUser({ userId, restaurantId: undefined }, after, limit, offset),
      (rating) => textOf('rating', ownRatingJson(rating, showAuthor)),
    );
    yield* inSlices(ALL, byId(ownPhotos, userId), ({ id }) => {
      const photo = photos.get(id);
      return photo && textOf('photo', photoJson(photo, showAuthor));
    });
    yield* inSlices(ALL, byId(ownSuggestions, userId), ({ id }) => {
      const suggestion = suggestions.get(id);
      return suggestion && textOf('suggestion', suggestionJson(suggestion, lookups(), showAuthor));
    });
    for (let [list] = lists.part(userId, undefined, 1); list; [list] = lists.part(userId, list, 1)) {
      const { id: list_id } = list;
      yield single(list, textOf('list', listJson(list)));
      yield* inSlices(
        ALL,
        (after: ItemRecord | undefined, limit, offset) => lists.items.read(list_id, after, limit, offset),
        ({ restaurant_id: id, position, note, created_at }) => {
          const restaurant = { id, name: visits.place(id)?.name ?? null };
          return textOf('item', { list_id, restaurant, position, note, created_at });
        },
      );
    }
    yield* inSlices(
      ALL,
      (last: VisitRecord | undefined, limit) => visits.page(userId, ALL_VISITS, last && placeOf(last), limit),
      (visit) => textOf('visit', visitJson(visit)),
    );
  }

  function exportOwn(context: RequestContext): Reply {
    const { principal } = context;
    const user = currentUser(principal, users);
    const authorId = authorIdOf(context);

    function* all(): Generator<Slice<unknown>> {
      yield single(user, textOf('user', user));
      yield* inSlices(
        ALL,
        (after: SessionRecord | undefined, limit) =>
          sessions.listOf(principal?.userId ?? 0, new Date(), principal?.sid, after, limit),
        (session) => textOf('session', session),
      );
      yield* records(authorId);
    }

    return stream(200, HEADERS, async function* () {
      // Claim only when the stream starts: the end of the stream releases the claim, even if the client disconnects.
      if (underWay.has(authorId)) throw conflict('An export is under way');
      underWay.add(authorId);
      try {
        for (const { entries } of all()) {
          if (entries.length > 0) yield entries.map(({ text }) => `${text}\n`).join('');
          await context.work.pause();
        }
      } finally {
        underWay.delete(authorId);
      }
    });
  }

  const own = { access: 'user', needsSession: true, body: 'none', limit: 'api' } as const;
  return [
    { ...own, method: 'GET', pattern: '/api/me/export', operationId: 'exportOwnData', handle: exportOwn },
  ];
}

function byId(list: Prepared<Id>, userId: number | null): SliceReader<Id> {
  return (last, limit) => list.iterate({ userId, after: last?.id ?? 0, limit });
}

function single(element: unknown, text: string): Slice<unknown> {
  return { entries: [{ element, text }], isCut: true };
}

function textOf(type: string, fields: object): string {
  return JSON.stringify({ type, ...fields });
}
