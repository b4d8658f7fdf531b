import assert from 'node:assert/strict';
import { type Client, array, field, ids, record } from '../support/client.ts';
import { referenceDistance } from '../support/catalogue.ts';
import { type Entry, type Model, newestFirst, ratingsOf } from './model.ts';
import { searchWords } from './model-steps.ts';
import {
  type Query,
  byName,
  listed,
  parametersOf,
  restaurantView,
  searched,
  suggestionView,
} from './model-views.ts';

const NEARLY_KM = 1e-6;
const MOST_FOUND = 100;
const OPEN_STATUSES = ['pending', 'approved', 'tested', 'rejected'];

/** Throws unless the service has exactly what the model has, however it is asked. */
export async function compareAll(api: Client, model: Model): Promise<void> {
  await compareRecords(api, model);
  await compareLookups(api, model);
  await compareSuggestions(api, model);
  const queries: readonly Query[] = [
    ...([{ sort: 'newest' }, { sort: 'name' }, { sort: 'rating' }] as const),
    { category: 5 },
    { foodTypes: [1, 11] },
    { status: 'active' },
    { minRating: 3 },
    ...([{ words: 'garden' }, { near: { at: [48.85, 2.3], radius: 20 } }] as const),
  ];
  for (const query of queries) for (const look of LOOKS) await look(api, model, query);
  for (const words of searchWords()) await compareSearch(api, model, words);
}

async function body(api: Client, path: string): Promise<unknown> {
  const answer = await api.get(path);
  assert.equal(answer.status, 200, `${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

async function compareRecords(api: Client, model: Model): Promise<void> {
  for (const [id, entry] of model.restaurants) {
    const path = `/restaurants/${id}`;
    assert.deepEqual(await body(api, path), restaurantView(model, entry));
    assert.deepEqual(await body(api, `${path}/ratings`), ratingsOf(model, id));
    const photos = [...model.photos.values()].filter(({ restaurant_id: of }) => of === id);
    const found = array(await body(api, `${path}/photos`)).map(record);
    assert.deepEqual(
      found.toSorted((left, right) => Number(left['id']) - Number(right['id'])),
      photos.map((photo) => photo.record),
    );
  }
  for (const id of model.suggestions.keys())
    assert.equal((await api.get(`/restaurants/${id}`)).status, 404, `suggestion ${id}`);
}

async function compareLookups(api: Client, model: Model): Promise<void> {
  assert.deepEqual(await body(api, '/categories'), byName([...model.categories.values()]));
  assert.deepEqual(await body(api, '/food-types'), byName([...model.foodTypes.values()]));
}

async function compareSuggestions(api: Client, model: Model): Promise<void> {
  const all = newestFirst([...model.suggestions.values()]);
  const of = (statuses: readonly string[]): object[] =>
    all.filter(({ status }) => statuses.includes(status)).map((one) => suggestionView(model, one));
  assert.deepEqual(await body(api, '/suggestions'), of(OPEN_STATUSES));
  for (const status of [...OPEN_STATUSES, 'converted'])
    assert.deepEqual(await body(api, `/suggestions?status=${status}`), of([status]));
  assert.deepEqual(await body(api, '/suggestions?status=all'), of([...OPEN_STATUSES, 'converted']));
}

/** One way to ask for a list: which answer is compared with which part of what the query finds. */
type Look = (api: Client, model: Model, query: Query) => Promise<void>;

const LOOKS: readonly Look[] = [
  async (api, model, query) => {
    const found = await body(api, `/restaurants?${parametersOf(query)}`);
    compareEntries(model, query, found, listed(model, query, true));
  },
  async (api, model, query) => {
    const found = await body(api, `/restaurants?${parametersOf(query)}&include_suggestions=false`);
    compareEntries(model, query, found, listed(model, query, false));
  },
  async (api, model, query) => {
    const found = await body(api, `/restaurants?${parametersOf(query)}&limit=3&offset=2`);
    compareEntries(model, query, found, listed(model, query, true).slice(2, 5));
  },
  async (api, model, query) => {
    const page = await body(api, `/restaurants/paginated?limit=3&${parametersOf(query)}`);
    const own = listed(model, query, false);
    compareEntries(model, query, field(page, 'data'), own.slice(0, 3));
    assert.deepEqual([field(page, 'total'), field(page, 'has_more')], [own.length, own.length > 3]);
  },
];

/** Looks at the service from one side, another by each number. Throws where it is not as the model. */
export async function compareSomething(
  api: Client,
  model: Model,
  { pick, query }: { readonly pick: number; readonly query: Query },
): Promise<void> {
  // A total that is counted and remembered, which has to be forgotten with every step.
  const active = await body(api, '/restaurants/paginated?status=active&limit=1');
  assert.equal(field(active, 'total'), listed(model, { status: 'active' }, false).length);
  const words = searchWords();
  const look = LOOKS[pick % (LOOKS.length + 1)];
  if (look) await look(api, model, query);
  else await compareSearch(api, model, words[pick % words.length] ?? '');
}

function compareEntries(model: Model, { near }: Query, found: unknown, expected: readonly Entry[]): void {
  const rows = array(found).map((row) => {
    const { distance, ...own } = record(row);
    if (near) assert.ok(isDistance(distance, near.at, own), JSON.stringify(row));
    return near ? own : row;
  });
  assert.deepEqual(
    rows,
    expected.map((one) => restaurantView(model, one)),
  );
}

function isDistance(
  distance: unknown,
  from: readonly [number, number],
  { latitude, longitude }: Readonly<Record<string, unknown>>,
): boolean {
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return distance === null;
  return Math.abs(Number(distance) - referenceDistance(from, [latitude, longitude])) < NEARLY_KM;
}

/** Throws unless a search finds exactly what it has to, names before all else and the exact name first. */
async function compareSearch(api: Client, model: Model, words: string): Promise<void> {
  const ranks = searched(model, words);
  const found = ids(await body(api, `/search?limit=${MOST_FOUND}&q=${encodeURIComponent(words)}`));
  const ranked = found.map((id) => ranks.get(id) ?? -1);
  assert.equal(found.length, Math.min(ranks.size, MOST_FOUND), `"${words}" finds ${found.join(', ')}`);
  assert.ok(!ranked.includes(-1) && new Set(found).size === found.length, `"${words}": ${found.join(', ')}`);
  assert.deepEqual(
    ranked,
    ranked.toSorted((left, right) => left - right),
    words,
  );
}
