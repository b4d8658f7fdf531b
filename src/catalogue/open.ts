import { cacheReplies } from '../http/reply-cache.ts';
import type { Route } from '../http/router.ts';
import { CatalogueIndex } from '../index/catalogue-index.ts';
import type { BackgroundWork } from '../storage/background.ts';
import type { ChangeLog } from '../storage/change-log.ts';
import { Follower } from '../storage/follower.ts';
import type { Storage } from '../storage/storage.ts';
import { Versions } from '../storage/versions.ts';
import { Sealer } from '../kit/input/sealed.ts';
import { whileUsed } from '../kit/once.ts';
import { MINUTE_MS } from '../kit/time.ts';
import { Duplicates } from './duplicates/duplicates.ts';
import { duplicateRoutes } from './duplicates/routes.ts';
import { Timetables } from './hours/timetables.ts';
import { lookupRoutes } from './lookups/routes.ts';
import type { ShowAuthor } from './authors.ts';
import type { CatalogueParts } from './parts.ts';
import { photoJson } from './photos/record.ts';
import { PublicAnswers } from './public-answers.ts';
import { ratingJson } from './ratings/record.ts';
import { ratingRoutes } from './ratings/routes.ts';
import { zoneOfPlace } from './restaurants/field-table.ts';
import { INDEXED_FIELDS } from './restaurants/fields.ts';
import { PageCursors } from './restaurants/input.ts';
import { RestaurantReads } from './restaurants/reads.ts';
import { restaurantRoutes } from './restaurants/routes.ts';
import { type Extra, RestaurantTexts } from './restaurants/texts.ts';
import { type Personal, type StoredReaders, Views } from './restaurants/views.ts';
import { searchRoutes } from './search/routes.ts';
import { CatalogueStores } from './stores.ts';
import { suggestionRoutes } from './suggestions/routes.ts';

// About 8,000 short responses or 600 pages.
const ANSWERS_BYTES = 16 * 1024 * 1024;

/** What the catalogue needs to know of people: who owns what, and whose lists a restaurant is on. */
type People = Pick<CatalogueParts, 'requireOwner' | 'showAuthor'> & { readonly lists: Personal };

/** Restaurants, ratings, suggestions, categories, food types and search. */
export interface Catalogue {
  readonly parts: CatalogueParts;
  readonly routes: readonly Route[];
  readonly publicAnswers: PublicAnswers;
  /** Resolves once the index is loaded. */
  readonly ready: () => Promise<void>;
}

export function createCatalogue(
  storage: Storage,
  changeLog: ChangeLog,
  { requireOwner, showAuthor, lists }: People,
  lookupSweeper: BackgroundWork,
): Catalogue {
  const { queries, keys } = storage;
  const versions = new Versions(queries.file('storage'), storage.transactions);
  const sql = queries.file('restaurants');
  const texts = new RestaurantTexts(sql, () => index.lookups());
  const index = new CatalogueIndex({
    sql: queries.file('index'),
    searchSql: queries.file('search'),
    versions,
    follower: new Follower(queries.file('follower')),
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
  const sweep = (): void => {
    lookupSweeper.wake();
  };
  const stores = new CatalogueStores(queries);
  const views = new Views(sql, lists, storedReaders(stores, showAuthor));
  const reads = new RestaurantReads(index, texts, views, new PageCursors(keys('page cursors')), (id) =>
    stores.restaurants.successorOf(id),
  );
  const parts = { stores, index, texts, views, reads, changeLog, showAuthor, requireOwner };
  const routes = [
    ...restaurantRoutes(parts),
    ...ratingRoutes(parts),
    ...suggestionRoutes(parts),
    ...lookupRoutes('categories', parts, sweep),
    ...lookupRoutes('foodTypes', parts, sweep),
    ...searchRoutes(parts),
    ...duplicateRoutes({
      duplicates: whileUsed(
        () => new Duplicates(queries.file('duplicates'), new Follower(queries.file('follower'))),
        10 * MINUTE_MS,
      ),
      texts,
      transactions: storage.transactions,
      sql: queries.file('duplicates'),
      cursors: new Sealer(keys('duplicate cursors')),
    }),
  ];
  const version = (): string => versions.text();
  return {
    parts,
    routes: cacheReplies(routes, version, ANSWERS_BYTES),
    publicAnswers: new PublicAnswers(parts, version),
    ready: () => index.ready(),
  };
}

// How many photos and ratings come with a restaurant.
const FIRST = 20;

/** The members that are the same for every caller; of photos and ratings the first ones, as their own lists have them. */
function storedReaders({ photos, ratings }: CatalogueStores, showAuthor: ShowAuthor): StoredReaders {
  return {
    cover: (ids) => photos.covers(ids),
    photos: arrays(
      (id) => photos.list(id, undefined, FIRST, 0),
      (photo) => photoJson(photo, showAuthor),
    ),
    ratings: arrays(
      (id) => ratings.list(id, undefined, FIRST, 0),
      (rating) => ratingJson(rating, showAuthor),
    ),
  };
}

function arrays<Item>(list: (id: number) => Iterable<Item>, toJson: (item: Item) => object): Extra['read'] {
  return (ids) =>
    new Map(ids.map((id) => [id, JSON.stringify(Array.from(list(id), (item) => toJson(item)))]));
}
