import type { ShowAuthor } from '../../catalogue/authors.ts';
import { ALL, type Slice, type SliceReader, inSlices } from '../../kit/slices.ts';
import type { ItemRecord } from '../lists/items.ts';
import { listJson } from '../lists/record.ts';
import { createListStore } from '../lists/store.ts';
import { photoJson } from '../../catalogue/photos/record.ts';
import { createPhotoStore } from '../../catalogue/photos/store.ts';
import { type RatingOfUser, ownRatingJson } from '../../catalogue/ratings/record.ts';
import { RatingStore } from '../../catalogue/ratings/store.ts';
import type { Lookups } from '../../catalogue/restaurants/lookups.ts';
import { createRestaurantStore } from '../../catalogue/restaurants/store.ts';
import type { Prepared, Queries } from '../../storage/statements.ts';
import { suggestionJson } from '../../catalogue/suggestions/record.ts';
import { createSuggestionStore } from '../../catalogue/suggestions/store.ts';
import { type VisitRecord, visitJson } from '../visits/record.ts';
import { ALL_VISITS, createVisitStore } from '../visits/store.ts';

/** The texts of objects with their `type`, in slices. */
export type Slices = Generator<Slice<unknown>>;

/** What a user has written; of no user with `null`. */
export type OwnRecords = (authorId: number | null) => Slices;

/** Opens it with stores of its own; `lookups` returns all categories and food types. */
export function createOwnRecords(
  queries: Queries,
  showAuthor: ShowAuthor,
  lookups: () => Lookups,
): OwnRecords {
  const sql = queries.file('people');
  const ratings = new RatingStore(queries.file('ratings'));
  const photos = createPhotoStore(queries.file('photos'));
  const restaurants = createRestaurantStore(queries.file('restaurants'));
  const suggestions = createSuggestionStore(queries.file('suggestions'), restaurants);
  const lists = createListStore(queries.file('lists'));
  const visits = createVisitStore(queries.file('visits'));
  const ownPhotos = sql.prepare<Id>('listOwnPhotos');
  const ownSuggestions = sql.prepare<Id>('listOwnSuggestions');

  return function* (userId) {
    const ratingsOf: SliceReader<RatingOfUser> = (...part) =>
      ratings.listOfUser({ userId, restaurantId: undefined }, ...part);
    yield* inSlices(ALL, ratingsOf, (rating) => textOf('rating', ownRatingJson(rating, showAuthor)));

    const photoText = ({ id }: Id): string | undefined => {
      const photo = photos.get(id);
      return photo && textOf('photo', photoJson(photo, showAuthor));
    };
    yield* inSlices(ALL, byId(ownPhotos, userId), photoText);

    const suggestionText = ({ id }: Id): string | undefined => {
      const suggestion = suggestions.get(id);
      return suggestion && textOf('suggestion', suggestionJson(suggestion, lookups(), showAuthor));
    };
    yield* inSlices(ALL, byId(ownSuggestions, userId), suggestionText);

    const itemText = (list_id: number, item: ItemRecord): string => {
      const { restaurant_id: id, position, note, created_at } = item;
      const restaurant = { id, name: visits.place(id)?.name ?? null };
      return textOf('item', { list_id, restaurant, position, note, created_at });
    };
    for (let [list] = lists.part(userId, undefined, 1); list; [list] = lists.part(userId, list, 1)) {
      const { id } = list;
      yield { entries: [{ element: list, text: textOf('list', listJson(list)) }], isCut: true };
      const itemsOf: SliceReader<ItemRecord> = (...part) => lists.items.read(id, ...part);
      yield* inSlices(ALL, itemsOf, (item) => itemText(id, item));
    }

    const visitsOf: SliceReader<VisitRecord> = (last, limit) => {
      const after = last && { visitedOn: last.visited_on, id: last.id };
      return visits.page(userId, ALL_VISITS, after, limit);
    };
    yield* inSlices(ALL, visitsOf, (visit) => textOf('visit', visitJson(visit)));
  };
}

interface Id {
  readonly id: number;
}

function byId(list: Prepared<Id>, userId: number | null): SliceReader<Id> {
  return (last, limit) => list.iterate({ userId, after: last?.id ?? 0, limit });
}

/** An object of an export as JSON text. */
export function textOf(type: string, fields: object): string {
  return JSON.stringify({ type, ...fields });
}
