import { cacheReplies } from '../http/reply-cache.ts';
import type { Logger } from '../http/log.ts';
import type { Route } from '../http/router.ts';
import { createHours } from './hours/hours.ts';
import { lookupRoutes } from './lookups/routes.ts';
import { LookupStore } from './lookups/store.ts';
import { createLookupSweeper } from './lookups/sweep.ts';
import { createCovers } from './photos/covers.ts';
import { type RatingRouteOptions, ratingRoutes } from './ratings/routes.ts';
import { RatingStore } from './ratings/store.ts';
import { createCursorSealer } from './restaurants/cursor.ts';
import { createLists } from './restaurants/lists.ts';
import type { Lookups } from './restaurants/lookups.ts';
import type { Personal } from './restaurants/personal.ts';
import { createOpeningReader } from './restaurants/opening-texts.ts';
import { createMapReader } from './restaurants/map.ts';
import { type Resident, createResident } from './restaurants/resident.ts';
import { restaurantRoutes } from './restaurants/routes.ts';
import { createRestaurantStore } from './restaurants/store.ts';
import { type RestaurantTexts, createRestaurantTexts } from './restaurants/texts.ts';
import { createViews } from './restaurants/views.ts';
import { searchRoutes } from './search/routes.ts';
import { createSearchStore } from './search/store.ts';
import { createConverter } from './suggestions/convert.ts';
import { suggestionRoutes } from './suggestions/routes.ts';
import { createSuggestionStore } from './suggestions/store.ts';
import type { ChangeLog } from '../storage/change-log.ts';
import type { Storage } from '../storage/storage.ts';
import { createVersionedCache, createVersions } from '../storage/versions.ts';

// Some 8,000 short answers or 600 pages.
const ANSWERS_BYTES = 16 * 1024 * 1024;

/** The modules of the catalogue: restaurants, ratings, suggestions, categories, food types, search. */
export interface Catalogue {
  readonly routes: readonly Route[];
  readonly texts: RestaurantTexts;
  /** All categories and food types. */
  readonly lookups: () => Lookups;
  /** Completes deletions; not for a replica, which never writes. */
  readonly start: () => void;
  readonly stop: () => void;
  /** Resolves once lists are answered from memory. */
  readonly ready: () => Promise<unknown>;
}

/** Opens the modules of the catalogue. */
export function createCatalogue(
  storage: Storage,
  changeLog: ChangeLog,
  people: Pick<RatingRouteOptions, 'requireOwner' | 'showAuthor'>,
  personal: Personal,
  report: Logger['warn'],
): Catalogue {
  const { queries, keys } = storage;
  const versions = createVersions(queries.file('storage'), storage.transactions);
  const hours = createHours();
  const resident = createResident({ sql: queries.file('resident'), versions, hours });
  changeLog.listen(({ kind, id, restaurantId = null }, after) => {
    resident.note({ kind, entity_id: id, restaurant_id: restaurantId, after });
  });
  const lookups = openLookups(storage, changeLog, resident, report);
  const restaurants = createRestaurantStore(queries.file('restaurants'));
  const texts = createRestaurantTexts(queries.file('restaurants'), resident);
  const ratings = new RatingStore(queries.file('ratings'));
  const suggestions = createSuggestionStore(queries.file('suggestions'), restaurants);
  const search = createSearchStore(queries.file('search'), resident);
  const views = createViews({
    personal,
    covers: createCovers(queries.file('photos')),
    openings: createOpeningReader(queries.file('restaurants'), hours.openings),
  });
  const routes = [
    ...restaurantRoutes({
      ...{ store: restaurants, texts },
      lists: createLists(resident),
      map: createMapReader(resident, queries.file('resident')),
      cursors: createCursorSealer(keys('page cursors')),
      changeLog,
      matches: search.matches,
      views,
    }),
    ...ratingRoutes({ store: ratings, changeLog, ...people }),
    ...suggestionRoutes({
      ...{ store: suggestions, resident, texts },
      convert: createConverter({ suggestions, restaurants, ratings }),
      changeLog,
      findReferenceFaults: restaurants.findReferenceFaults,
      ...people,
    }),
    ...lookups.routes,
    ...searchRoutes({ store: search, texts, views }),
  ];
  const { wake: start, stop } = lookups.sweeper;
  const cached = cacheReplies(routes, createVersionedCache(versions, ANSWERS_BYTES));
  return {
    routes: cached,
    texts,
    lookups: resident.lookups,
    ready: resident.current,
    start,
    stop,
  };
}

function openLookups(storage: Storage, changeLog: ChangeLog, { lookups }: Resident, report: Logger['warn']) {
  const { queries } = storage;
  const sweeper = createLookupSweeper(storage, report);
  const attach = queries.file('attach');
  const categories = new LookupStore(queries.file('lookups', 'categories'), attach, 'category');
  const foodTypes = new LookupStore(queries.file('lookups', 'food_types'), attach, 'food_type');
  const shared = { changeLog, removed: sweeper.wake };
  return {
    sweeper,
    routes: [
      ...lookupRoutes('category', { store: categories, all: () => lookups().categories, ...shared }),
      ...lookupRoutes('food_type', { store: foodTypes, all: () => lookups().foodTypes, ...shared }),
    ],
  };
}
