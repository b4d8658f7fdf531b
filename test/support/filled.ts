import Database from 'better-sqlite3';
import { join } from 'node:path';
import { type Client, bodyOf, idOf, ids } from './client.ts';
import { inDays } from './outings.ts';

// What each route answers at most, and a catalogue that is filled to its limits.

/** How an answer is bounded. */
export type Bound =
  /** One row, or a number of rows that cannot grow. */
  | 'rows'
  /** A page, which ends after a megabyte. */
  | 'page'
  /** An array or lines, in slices, with any number of rows. */
  | 'slices'
  /** A file of the program or a photo, which does not grow with the data and is sent in pieces. */
  | 'file'
  /** Events as they happen. */
  | 'events';

/** What a route answers at most. */
export interface Size {
  readonly bound: Bound;
  /** Kilobytes of the longest row; of the whole where it is a file. */
  readonly rowKb: number;
  /** The most rows of an answer; 1 where it is one. */
  readonly rows: number;
  /** Why more than 256 KB at once is no harm, or whose it is to mend. */
  readonly because?: string;
  /** What to ask for, so that the answer is as long as it can be. */
  readonly ask?: string;
}

/** What an answer holds at a time. */
export const SLICE_BYTES = 256 * 1024;
/** Where a page ends. */
export const PAGE_BYTES = 1_000_000;

const ANY = Infinity;
const rows = (rowKb: number, more: Partial<Size> = {}): Size => ({ bound: 'rows', rowKb, rows: 1, ...more });
const slices = (rowKb: number, ask?: string): Size => ({
  bound: 'slices',
  rowKb,
  rows: ANY,
  ...(ask !== undefined && { ask }),
});
const page = (rowKb: number, ask: string): Size => ({ bound: 'page', rowKb, rows: 100, ask });
const file = (rowKb: number, more: Partial<Size> = {}): Size => ({ bound: 'file', rowKb, rows: 1, ...more });

// The longest row of each kind, in kilobytes of JSON where each character has four bytes.
const RESTAURANT = 60;
const RATING = 24;
const SUGGESTION = 56;
const PHOTO = 6;
const LOOKUP = 1;
const LIST = 6;
const ITEM = RESTAURANT + 5;
// Before there was a limit of 64 KB.
const OLD_VISIT = 280;
const VISIT = 68;
const USER = 6;
const TOKEN = 1;
const SESSION = 2;
const INVITATION = 3;
const BATCH = 2;
const PLACE = 6;
// Five restaurants, and fifty participants.
const OUTING = 5 * RESTAURANT + 25;
// A restaurant with a hundred ratings and photos that was deleted.
const DELETION = RESTAURANT + 100 * (RATING + PHOTO);

const IN_TURNS = 'a hundred long ratings are for administrators alone, and are read in turns';

const FIVE = 'five restaurants are less than a page';

const all = (size: Size, ...operations: readonly string[]): Readonly<Record<string, Size>> =>
  Object.fromEntries(operations.map((operation) => [operation, size]));

/** By the ids of operations; the pages of the web app and of the manual share one each. */
export const SIZES: Readonly<Record<string, Size>> = {
  ...all(
    rows(USER),
    'register',
    'login',
    'refreshSession',
    'logout',
    'getCurrentUser',
    'updateCurrentUser',
    'deleteCurrentUser',
    'changePassword',
    'endAccess',
    'endSession',
    'resetPassword',
    'getUser',
    'updateUser',
    'deleteUser',
    'endSessionsOfUser',
    'endAccessOfUser',
    'createPasswordReset',
    'beginIdpLogin',
    'finishIdpLogin',
    'beginOidcLogin',
    'finishOidcLogin',
    'beginOidcLoginAlias',
  ),
  listUsers: page(USER, '/users?limit=100'),
  ...all(rows(TOKEN), 'createApiToken', 'getApiToken', 'deleteApiToken'),
  listApiTokens: slices(TOKEN, '/auth/tokens'),
  listSessions: slices(SESSION, '/auth/sessions'),
  ...all(rows(INVITATION), 'createInvitation', 'getInvitation', 'deleteInvitation', 'checkInvitation'),
  listInvitations: slices(INVITATION, '/invitations'),
  exportOwnData: slices(OLD_VISIT, '/me/export'),
  ...all(rows(RESTAURANT), 'createRestaurant', 'updateRestaurant', 'mergeRestaurants', 'convertSuggestion'),
  getRestaurant: rows(RESTAURANT + 20 * (RATING + PHOTO), {
    because: 'twenty photos and ratings are as many as a usual page has',
    ask: '/restaurants/1?include=mine,cover,opening,photos,ratings',
  }),
  listRestaurants: slices(RESTAURANT, '/restaurants?include=mine,cover,opening'),
  pageRestaurants: page(
    RESTAURANT,
    '/restaurants/paginated?limit=100&include=mine,cover,opening,map&bbox=-180,-90,180,90&zoom=20',
  ),
  mapRestaurants: rows(2, {
    rows: 1_000,
    because: 'the cells of the grid bound its points and groups, most of which have short names',
    ask: '/restaurants/map?bbox=-180,-90,180,90&zoom=20',
  }),
  search: { ...slices(RESTAURANT, '/search?q=restaurant&limit=100&include=mine,cover,opening'), rows: 100 },
  findSimilar: rows(RESTAURANT, {
    rows: 10,
    because: 'ten are read at once',
    ask: '/restaurants/similar?name=Restaurant',
  }),
  listDuplicates: page(2 * RESTAURANT, '/duplicates?limit=100'),
  ...all(rows(RATING), 'createRating', 'updateRating'),
  getRating: rows(RATING, { ask: '/ratings/1' }),
  listRatings: slices(RATING, '/restaurants/1/ratings?limit=1000'),
  listOwnRatings: slices(RATING, '/ratings?user=me'),
  ...all(rows(SUGGESTION), 'getSuggestion', 'createSuggestion', 'setSuggestionStatus'),
  listSuggestions: slices(SUGGESTION, '/suggestions?status=all'),
  ...all(rows(LOOKUP), 'getCategory', 'createCategory', 'updateCategory', 'deleteCategory'),
  ...all(rows(LOOKUP), 'getFoodType', 'createFoodType', 'updateFoodType', 'deleteFoodType'),
  listCategories: slices(LOOKUP, '/categories'),
  listFoodTypes: slices(LOOKUP, '/food-types'),
  ...all(rows(LIST), 'createList', 'getList', 'updateList', 'joinShared'),
  listMembers: rows(1, { rows: 51 }),
  ...all(rows(1, { rows: 20 }), 'listLinks', 'createLink'),
  getShared: rows(ITEM, { rows: 5_000, because: 'it is made in turns, once for a version of the catalogue' }),
  listLists: { ...slices(LIST, '/lists'), rows: 202 },
  listItems: { ...slices(ITEM, '/lists/want/items'), rows: 5_000 },
  putItem: rows(ITEM),
  getMarks: rows(2, {
    rows: 5_000,
    because:
      'few people have noted thousands of restaurants, whose marks have 0.1 KB each and are read in turns',
    ask: '/me/marks',
  }),
  ...all(rows(VISIT), 'createVisit', 'updateVisit'),
  getVisit: rows(OLD_VISIT, { because: 'visits of the versions before may be longer', ask: '/visits/1' }),
  listVisits: page(OLD_VISIT, '/visits?limit=100'),
  ...all(rows(OUTING, { because: FIVE }), 'createOuting', 'closeOuting', 'vote', 'voteByLink'),
  getOuting: rows(OUTING, { because: FIVE, ask: '/outings/1' }),
  listOutings: page(OUTING, '/outings?limit=100'),
  ...all(rows(1, { rows: 20 }), 'listFeeds', 'createFeed', 'deleteFeed'),
  getFeed: slices(OLD_VISIT),
  ...all(rows(PHOTO), 'getPhoto', 'setPhotoCaption'),
  uploadPhoto: rows(2 * PHOTO),
  listPhotos: slices(PHOTO, '/restaurants/1/photos?limit=1000'),
  getPhotoFile: file(15 * 1024),
  ...all(
    rows(0),
    'dismissDuplicate',
    'forgetDismissal',
    'deleteRestaurant',
    'deleteRating',
    'deleteSuggestion',
    'deleteList',
    'deleteItem',
    'cancelOuting',
  ),
  ...all(
    rows(0),
    'removeMember',
    'removeParticipant',
    'deleteLink',
    'deleteVisit',
    'deletePhoto',
    'purgeChange',
  ),
  exportRestaurants: slices(RESTAURANT),
  importFile: rows(9, { rows: 100, because: 'one import at a time, in a thread of its own' }),
  getChange: rows(DELETION, { because: IN_TURNS, ask: '/changes/1' }),
  revertChange: rows(DELETION, { because: IN_TURNS }),
  listChanges: page(DELETION, '/changes?order=newest&limit=1000'),
  getRestaurantHistory: page(DELETION, '/restaurants/1/history'),
  streamChanges: { bound: 'events', rowKb: DELETION, rows: ANY },
  ...all(rows(BATCH), 'getBatch', 'revertBatch'),
  listBatches: page(BATCH, '/batches?limit=100'),
  ...all(rows(PLACE), 'getPlace', 'readMapLink'),
  ...all(rows(PLACE, { rows: 20 }), 'searchPlaces', 'findCities'),
  ...all(file(1_000), 'getDescription', 'getDocsAsset', 'webApp'),
  getDescriptionAsJson: file(1_500),
  getDocs: file(300),
  manual: file(500),
  getMapFile: file(ANY),
  getAppConfig: rows(4),
  ...all(rows(1), 'getHealth', 'getPlainHealth'),
  getMetrics: rows(200, { ask: '/metrics' }),
};

/** How much to fill in. */
export interface Scale {
  readonly restaurants: number;
  readonly suggestions: number;
  /** At the first restaurant. */
  readonly ratings: number;
  readonly visits: number;
  /** And API tokens. */
  readonly lookups: number;
  readonly lists: number;
  /** Photos of the first restaurant, invitations, users and batches. */
  readonly others: number;
}

// A character of four bytes.
const long = (characters: number): string => '🍝'.repeat(characters);
const DISHES = 15;
const MOMENT = '2026-01-01T00:00:00.000Z';

/** Fills a service of mode none, which nothing has been written to. */
export async function fill(
  { api, folder }: { readonly api: Client; readonly folder: string },
  scale: Scale,
): Promise<void> {
  const add = async (path: string, body: object): Promise<number> => idOf(await api.post(path, body));
  const types: number[] = [];
  for (let type = 0; type < 50; type += 1)
    types.push(await add('/food-types', { name: `${type} ${long(90)}` }));
  const place = {
    address: long(500),
    phone: '0'.repeat(50),
    website: `https://x.example/${'x'.repeat(480)}`,
    food_type_ids: types,
  };
  for (let number = 0; number < scale.restaurants; number += 1)
    await add('/restaurants', {
      ...place,
      name: `Restaurant ${number} ${long(230)}`,
      description: long(5_000),
      latitude: 45 + number / 1e4,
      longitude: 9,
      opening_hours: 'Mo-Su 10:00-22:00',
    });
  for (let number = 0; number < scale.suggestions; number += 1)
    await add('/suggestions', { ...place, name: `Suggestion ${number} ${long(200)}`, notes: long(5_000) });
  for (let number = 0; number < scale.lists; number += 1)
    await add('/lists', { name: `List ${number}`, description: long(1_000) });
  const stars = { food_rating: 5, service_rating: 5, ambiance_rating: 5 };
  await add('/ratings', { restaurant_id: 1, ...stars, comment: long(5_000) });
  const dish = { name: long(100), note: long(900) };
  await add('/visits', { restaurant_id: 1, dishes: Array.from({ length: DISHES }, () => dish) });
  const noon = `${inDays(1).slice(0, 10)}T12:00:00Z`;
  await add('/outings', { at: noon, title: long(100), options: [1, 2, 3, 4, 5] });
  await add('/auth/tokens', { name: long(100) });
  const deleted = await add('/restaurants', { name: 'Deleted' });
  // The built-in lists are made when they are asked for.
  const listIds = ids((await api.get('/lists')).body);
  const database = new Database(join(folder, 'catalogue.db'));
  try {
    const run = (count: number, sql: string): void => {
      const numbers = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)';
      if (count > 0) database.prepare(sql.replace('{n}', numbers)).run(count);
    };
    database.pragma('busy_timeout = 10000');
    database.transaction(() => {
      run(
        scale.ratings - 1,
        `INSERT INTO ratings (restaurant_id, food_rating, service_rating, ambiance_rating, comment, created_at, updated_at)
         {n} SELECT 1, 5, 5, 5, comment, created_at, updated_at FROM n, ratings WHERE ratings.id = 1`,
      );
      run(
        scale.visits - 1,
        `INSERT INTO visits (restaurant_id, visited_on, note, companions, dishes, created_at, updated_at)
         {n} SELECT 1, visited_on, note, companions, dishes, created_at, updated_at FROM n, visits WHERE visits.id = 1`,
      );
      for (const table of ['categories', 'food_types'])
        run(
          scale.lookups,
          `INSERT INTO ${table} (name, name_key, search_name, created_at, updated_at)
           {n} SELECT 'more ' || i || '${long(80)}', 'more ' || i, 'more ' || i, '${MOMENT}', '${MOMENT}' FROM n`,
        );
      run(
        scale.others,
        `INSERT INTO photos (restaurant_id, filename, caption, file_size, mime_type, width, height, created_at, updated_at)
         {n} SELECT 1, printf('%032x.png', i), '${long(255)}', 1, 'image/png', 1, 1, '${MOMENT}', '${MOMENT}' FROM n`,
      );
      run(
        scale.others,
        `INSERT INTO invitations (secret_hash, email, note, created_at, expires_at)
         {n} SELECT randomblob(32), 'x' || i || '@example.com', '${long(255)}', '${MOMENT}', '2030-01-01T00:00:00.000Z' FROM n`,
      );
      run(
        scale.lookups,
        `INSERT INTO api_tokens (name, token_hash, created_at)
         {n} SELECT '${long(100)}', randomblob(32), '${MOMENT}' FROM n`,
      );
      run(
        scale.others,
        `INSERT INTO users (email, email_key, username, username_key, username_skeleton, full_name, created_at, updated_at)
         {n} SELECT i || '@example.com', i || '@example.com', 'u' || i || '${long(90)}', 'u' || i, 'u' || i, '${long(255)}',
           '${MOMENT}', '${MOMENT}' FROM n`,
      );
      run(scale.others, `INSERT INTO batches (at, file) {n} SELECT '${MOMENT}', '${long(255)}' FROM n`);
      const item = database.prepare(
        `INSERT INTO list_items (list_id, restaurant_id, rank, note, created_at)
         SELECT ?, id, id, ?, '${MOMENT}' FROM restaurants`,
      );
      for (const id of listIds) item.run(id, id === listIds[0] ? long(1_000) : null);
      run(
        100,
        `INSERT INTO ratings (restaurant_id, food_rating, service_rating, ambiance_rating, comment, created_at, updated_at)
         {n} SELECT ${deleted}, 5, 5, 5, comment, created_at, updated_at FROM n, ratings WHERE ratings.id = 1`,
      );
    })();
  } finally {
    database.close();
  }
  bodyOf(await api.delete(`/restaurants/${deleted}`));
}
