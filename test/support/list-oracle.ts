import assert from 'node:assert/strict';
import { FILTERS } from '../../src/catalogue/restaurants/filters.ts';
import { referenceDistance } from './catalogue.ts';
import { type Client, array, field, ids, record, textOf } from './client.ts';
import { type Place, SAMPLES } from './filter-samples.ts';

// Nowhere in the middle between two places, so that no two distances differ by rounding alone.
const CENTRE = { latitude: 48.8617, longitude: 2.3411 };
const RADIUS = 40;

type Compare = (left: Place, right: Place) => number;

function distance({ latitude, longitude }: Place): number {
  return latitude === null || longitude === null
    ? Infinity
    : referenceDistance([CENTRE.latitude, CENTRE.longitude], [latitude, longitude]);
}

const SORTS: Readonly<Record<string, Compare>> = {
  newest: (left, right) => right.createdAt.localeCompare(left.createdAt) || right.id - left.id,
  name: (left, right) => (left.name < right.name ? -1 : left.name > right.name ? 1 : left.id - right.id),
  rating: (left, right) => right.overall - left.overall || right.id - left.id,
  distance: (left, right) => {
    const [near, far] = [distance(left), distance(right)];
    return near === far ? right.id - left.id : near - far;
  },
};

/** Nothing, each filter alone, and each pair. */
export function pairs(): readonly (readonly string[])[] {
  const names = Object.keys(FILTERS);
  const both = names.flatMap((name, index) => names.slice(index + 1).map((other) => [name, other]));
  return [[], ...names.map((name) => [name]), ...both];
}

/** All that there is, one by one. */
async function places(api: Client, lastId: number): Promise<readonly Place[]> {
  const found: Place[] = [];
  for (let id = 1; id <= lastId; id += 1) {
    const restaurant = await api.get(`/restaurants/${id}?include=mine`);
    const answer = restaurant.status === 200 ? restaurant : await api.get(`/suggestions/${id}`);
    if (answer.status === 200) found.push(placeOf(record(answer.body)));
  }
  return found.filter(({ status }) => ['active', 'closed', 'temporarily_closed', 'pending'].includes(status));
}

function placeOf(body: Readonly<Record<string, unknown>>): Place {
  const numberOrNull = (value: unknown): number | null => (typeof value === 'number' ? value : null);
  return {
    id: Number(body['id']),
    name: textOf(body, 'name').toLowerCase().normalize('NFKD').replace(/\p{M}/gu, ''),
    latitude: numberOrNull(body['latitude']),
    longitude: numberOrNull(body['longitude']),
    category: numberOrNull(body['category_id'] ?? body['suggested_category_id']),
    foodTypes: ids(body['food_types']),
    status: textOf(body, 'status'),
    overall: 'avg_rating' in body ? Number(field(body['avg_rating'], 'overall')) : 0,
    createdAt: textOf(body, 'created_at'),
    mine: record(body['mine'] ?? {}),
    answer: body,
  };
}

/**
 * Throws unless every list and all pages hold what a plain look at all places finds, whose ids go up to `lastId`: with
 * these combinations of filters, every sort, and with and without a circle.
 */
export async function checkLists(
  api: Client,
  lastId: number,
  combinations: readonly (readonly string[])[],
): Promise<void> {
  const all = await places(api, lastId);
  assert.ok(all.length > 50);
  for (const names of combinations)
    for (const area of ['', `lat=${CENTRE.latitude}&lng=${CENTRE.longitude}`, circle()]) {
      const parts = [...names.map((name) => `${name}=${SAMPLES[name]?.value ?? ''}`), area];
      const fits = (place: Place): boolean =>
        names.every((name) => SAMPLES[name]?.has(place) === true) &&
        (!area.includes('radius') || distance(place) <= RADIUS);
      const found = all.filter(fits);
      await checkMap(api, parts, found, names);
      for (const [sort, compare] of Object.entries(SORTS)) {
        if (sort === 'distance' && area === '') continue;
        const query = [...parts, `sort=${sort}`].filter((part) => part !== '').join('&');
        const expected = found.toSorted(compare);
        await checkList(api, query, expected, names);
        const restaurants = expected.filter(({ status }) => status !== 'pending');
        await checkPages(api, query, restaurants);
      }
    }
}

function circle(): string {
  return `lat=${CENTRE.latitude}&lng=${CENTRE.longitude}&radius=${RADIUS}`;
}

async function checkList(
  api: Client,
  query: string,
  expected: readonly Place[],
  names: readonly string[],
): Promise<void> {
  const listed = passing(expected, names);
  const whole = await api.get(`/restaurants?${query}`);
  assert.deepEqual(ids(whole.body), ids(listed), query);
  const part = await api.get(`/restaurants?${query}&offset=3&limit=4`);
  assert.deepEqual(ids(part.body), ids(listed.slice(3, 7)), query);
}

/** All of them, or without suggestions where a filter is not about these. */
function passing(places: readonly Place[], names: readonly string[]): readonly Place[] {
  const isOfAll = names.every((name) => SAMPLES[name]?.isOfSuggestions);
  return isOfAll ? places : places.filter(({ status }) => status !== 'pending');
}

/** The map of the world, or of the box of the filter. */
async function checkMap(
  api: Client,
  parts: readonly string[],
  found: readonly Place[],
  names: readonly string[],
): Promise<void> {
  const world = names.includes('bbox') ? [] : ['bbox=-180,-90,180,90'];
  const query = ['zoom=9', ...world, ...parts].filter((part) => part !== '').join('&');
  const placed = passing(found, names).filter(({ latitude }) => latitude !== null);
  const { body } = await api.get(`/restaurants/map?${query}`);
  assert.deepEqual(
    array(field(body, 'points')).map((point) => array(point).slice(0, 4)),
    placed.map(({ id, latitude, longitude, overall }) => [id, latitude, longitude, overall || null]),
    query,
  );
  assert.equal(field(body, 'total'), placed.length, query);
}

async function checkPages(api: Client, query: string, expected: readonly Place[]): Promise<void> {
  const found: unknown[] = [];
  for (let cursor = ''; ;) {
    const { body } = await api.get(`/restaurants/paginated?${query}&limit=40${cursor}`);
    found.push(...ids(field(body, 'data')));
    assert.equal(field(body, 'total'), expected.length, query);
    if (field(body, 'has_more') !== true) break;
    cursor = `&cursor=${textOf(body, 'next_cursor')}`;
  }
  assert.deepEqual(found, ids(expected), `pages ${query}`);
}
