import { cacheReplies } from '../http/reply-cache.ts';
import type { Logger } from '../http/log.ts';
import type { Route } from '../http/router.ts';
import { CatalogueIndex } from '../index/catalogue-index.ts';
import type { Lookups } from '../index/lookups.ts';
import type { ChangeLog } from '../storage/change-log.ts';
import type { Storage } from '../storage/storage.ts';
import { Versions } from '../storage/versions.ts';
import { Timetables } from './hours/timetables.ts';
import { lookupRoutes } from './lookups/routes.ts';
import { LookupStore } from './lookups/store.ts';
import { createLookupSweeper } from './lookups/sweep.ts';
import { PhotoStore } from './photos/store.ts';
import { type RatingRouteOptions, ratingRoutes } from './ratings/routes.ts';
import { RatingStore } from './ratings/store.ts';
import { zoneOfPlace } from './restaurants/field-table.ts';
import { INDEXED_FIELDS } from './restaurants/fields.ts';
import { PageCursors } from './restaurants/input.ts';
import { restaurantRoutes } from './restaurants/routes.ts';
import { RestaurantStore } from './restaurants/store.ts';
import { RestaurantTexts } from './restaurants/texts.ts';
import { type Personal, Views } from './restaurants/views.ts';
import { searchRoutes } from './search/routes.ts';
import { suggestionRoutes } from './suggestions/routes.ts';
import { SuggestionStore } from './suggestions/store.ts';

// About 8,000 short responses or 600 pages.
const ANSWERS_BYTES = 16 * 1024 * 1024;

/** Restaurants, ratings, suggestions, categories, food types and search. */
export interface Catalogue {
  readonly routes: readonly Route[];
  readonly lookups: () => Lookups;
  readonly texts: RestaurantTexts;
  /** Starts completing deletions. Not for a replica, which never writes. */
  readonly start: () => void;
  readonly stop: () => void;
  /** Resolves once the index is loaded. */
  readonly ready: () => Promise<void>;
}

export function createCatalogue(
  storage: Storage,
  changeLog: ChangeLog,
  { requireOwner, showAuthor }: Pick<RatingRouteOptions, 'requireOwner' | 'showAuthor'>,
  personal: Personal,
  report: Logger['warn'],
): Catalogue {
  const { queries, keys } = storage;
  const versions = new Versions(queries.file('storage'), storage.transactions);
  const sql = queries.file('restaurants');
  const texts = new RestaurantTexts(sql, () => index.lookups());
  const index = new CatalogueIndex({
    sql: queries.file('index'),
    searchSql: queries.file('search'),
    versions,
    fields: INDEXED_FIELDS,
    zoneOf: zoneOfPlace,
    timetables: () => new Timetables(),
    changed: (ids) => {
      if (ids === undefined) texts.forgetAll();
      else for (const id of ids) texts.forget(id);
    },
  });
  changeLog.listen(({ kind }) => {
    index.note(kind);
  });
  const lookups = (): Lookups => index.lookups();
  const lookupModules = openLookups(storage, changeLog, lookups, report);
  const restaurants = new RestaurantStore(sql);
  const ratings = new RatingStore(queries.file('ratings'));
  const suggestions = new SuggestionStore(queries.file('suggestions'), restaurants);
  const photos = new PhotoStore(queries.file('photos'));
  const views = new Views(sql, personal, (ids) => photos.covers(ids));
  const routes = [
    ...restaurantRoutes({
      store: restaurants,
      index,
      texts,
      cursors: new PageCursors(keys('page cursors')),
      changeLog,
      views,
    }),
    ...ratingRoutes({ store: ratings, changeLog, showAuthor, requireOwner }),
    ...suggestionRoutes({
      store: suggestions,
      lookups,
      texts,
      changeLog,
      restaurants,
      ratings,
      showAuthor,
      requireOwner,
    }),
    ...lookupModules.routes,
    ...searchRoutes({ index, texts, views }),
  ];
  const { sweeper } = lookupModules;
  return {
    routes: cacheReplies(routes, () => versions.text(), ANSWERS_BYTES),
    lookups,
    texts,
    ready: () => index.ready(),
    start: () => {
      sweeper.wake();
    },
    stop: () => {
      sweeper.stop();
    },
  };
}

function openLookups(storage: Storage, changeLog: ChangeLog, lookups: () => Lookups, report: Logger['warn']) {
  const sweeper = createLookupSweeper(storage, report);
  const categories = new LookupStore(storage.queries, 'category');
  const foodTypes = new LookupStore(storage.queries, 'food_type');
  const removed = (): void => {
    sweeper.wake();
  };
  const shared = { changeLog, removed };
  return {
    sweeper,
    routes: [
      ...lookupRoutes('category', { store: categories, all: () => lookups().categories, ...shared }),
      ...lookupRoutes('food_type', { store: foodTypes, all: () => lookups().foodTypes, ...shared }),
    ],
  };
}
