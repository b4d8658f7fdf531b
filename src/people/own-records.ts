import type { ShowAuthor } from '../authors.ts';
import { listJson } from '../lists/record.ts';
import { createListStore } from '../lists/store.ts';
import { photoJson } from '../photos/record.ts';
import { createPhotoStore } from '../photos/store.ts';
import { type RatingOfUser, ownRatingJson } from '../ratings/record.ts';
import { createRatingStore } from '../ratings/store.ts';
import { createLookupReader } from '../restaurants/lookups.ts';
import { createRestaurantStore } from '../restaurants/store.ts';
import type { Prepared, Queries } from '../storage/statements.ts';
import { suggestionJson } from '../suggestions/record.ts';
import { createSuggestionStore } from '../suggestions/store.ts';
import { type VisitRecord, visitJson } from '../visits/record.ts';
import { ALL_VISITS, createVisitStore } from '../visits/store.ts';

/** What a user has written, in slices of objects with their `type`; of no user with `null`. */
export type OwnRecords = (authorId: number | null) => Generator<readonly object[]>;

const SLICE = 100;

/** Opens it with stores of its own. */
export function createOwnRecords(queries: Queries, showAuthor: ShowAuthor): OwnRecords {
  const sql = queries.file('people');
  const ratings = createRatingStore(queries.file('ratings'));
  const photos = createPhotoStore(queries.file('photos'));
  const restaurants = createRestaurantStore(queries.file('restaurants'));
  const suggestions = createSuggestionStore(queries.file('suggestions'), restaurants);
  const readLookups = createLookupReader(queries.file('resident'));
  const ownPhotos = sql.prepare<{ id: number }>('listOwnPhotos');
  const ownSuggestions = sql.prepare<{ id: number }>('listOwnSuggestions');

  const [listsOf, visitsOf] = [createOwnLists(queries), createOwnVisits(queries)];

  function* ratingsOf(userId: number | null): Generator<readonly object[]> {
    for (let last: RatingOfUser | undefined; ;) {
      const slice = ratings.listOfUser({ userId, restaurantId: undefined }, last, SLICE, 0);
      last = slice.at(-1);
      if (!last) return;
      yield slice.map((rating) => ({ type: 'rating', ...ownRatingJson(rating, showAuthor) }));
    }
  }

  return function* (authorId) {
    yield* ratingsOf(authorId);
    for (const ids of idsOf(ownPhotos, authorId))
      yield ids.flatMap((id) => {
        const photo = photos.get(id);
        return photo ? [{ type: 'photo', ...photoJson(photo, showAuthor) }] : [];
      });
    const lookups = readLookups();
    for (const ids of idsOf(ownSuggestions, authorId))
      yield ids.flatMap((id) => {
        const suggestion = suggestions.get(id);
        return suggestion ? [{ type: 'suggestion', ...suggestionJson(suggestion, lookups, showAuthor) }] : [];
      });
    yield* listsOf(authorId);
    yield* visitsOf(authorId);
  };
}

function createOwnLists(queries: Queries): OwnRecords {
  const lists = createListStore(queries.file('lists'));
  const places = createVisitStore(queries.file('visits'));
  return function* (ownerId) {
    for (const list of lists.ofOwner(ownerId)) {
      yield [{ type: 'list', ...listJson(list) }];
      for (const items of lists.items.slices(list.id, { offset: 0, limit: undefined }, SLICE))
        yield items.map(({ restaurant_id: id, position, note, created_at }) => {
          const restaurant = { id, name: places.place(id)?.name ?? null };
          return { type: 'item', list_id: list.id, restaurant, position, note, created_at };
        });
    }
  };
}

function createOwnVisits(queries: Queries): OwnRecords {
  const visits = createVisitStore(queries.file('visits'));
  return function* (ownerId) {
    for (let last: VisitRecord | undefined; ;) {
      const after = last && { visitedOn: last.visited_on, id: last.id };
      const slice = visits.page(ownerId, ALL_VISITS, after, SLICE);
      last = slice.at(-1);
      if (!last) return;
      yield slice.map((visit) => ({ type: 'visit', ...visitJson(visit) }));
    }
  };
}

function* idsOf(list: Prepared<{ id: number }>, userId: number | null): Generator<readonly number[]> {
  for (let after: number | undefined = 0; after !== undefined;) {
    const ids: number[] = list.all({ userId, after, limit: SLICE }).map(({ id }) => id);
    if (ids.length > 0) yield ids;
    after = ids.at(-1);
  }
}
