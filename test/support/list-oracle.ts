import assert from 'node:assert/strict';
import { FILTERS } from '../../src/restaurants/filters.ts';
import { referenceDistance } from './catalogue.ts';
import { type Client, array, field, record, textOf } from './client.ts';

/** A place as its own answer shows it. */
interface Place {
  readonly id: number;
  readonly name: string;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly category: number | null;
  readonly foodTypes: readonly number[];
  readonly status: string;
  readonly overall: number;
  readonly createdAt: string;
  /** What the caller has noted. */
  readonly mine: Readonly<Record<string, unknown>>;
  /** All of the answer. */
  readonly answer: Readonly<Record<string, unknown>>;
}

interface Sample {
  readonly value: string;
  readonly has: (place: Place) => boolean;
  /** Fields of random places that no other part of these tests has a use for. */
  readonly fields?: (below: (count: number) => number) => Readonly<Record<string, unknown>>;
  /** Notes something of a random place. */
  readonly note?: (api: Client, id: number, below: (count: number) => number) => Promise<unknown>;
}

/** Every filter of the table, by the name of its parameter. */
export const SAMPLES: Readonly<Record<string, Sample>> = {
  category_id: { value: '2', has: ({ category }) => category === 2 },
  food_type_ids: { value: '3,5', has: ({ foodTypes }) => foodTypes.some((id) => id === 3 || id === 5) },
  bbox: {
    value: '2.05,48.55,2.45,49.05',
    has: ({ latitude, longitude }) => isBetween(latitude, 48.55, 49.05) && isBetween(longitude, 2.05, 2.45),
  },
  status: { value: 'closed', has: ({ status }) => status === 'closed' },
  price_level: {
    value: '1,3',
    has: ({ answer }) => answer['price_level'] === 1 || answer['price_level'] === 3,
    fields: (below) => ({ price_level: below(5) || null }),
  },
  diet: {
    value: 'vegan,halal',
    has: ({ answer }) => {
      const diets = record(answer['diets'] ?? {});
      return ['vegan', 'halal'].every((diet) => ['yes', 'only'].includes(String(diets[diet])));
    },
    fields: (below) => {
      const values = ['yes', 'only', 'limited', 'no', null];
      return { diets: { vegan: values[below(5)], halal: values[below(5)], kosher: values[below(5)] } };
    },
  },
  list: {
    value: 'want',
    has: ({ mine }) => mine['want'] === true,
    note: async (api, id, below) => below(3) > 0 && api.put(`/lists/want/items/${id}`, {}),
  },
  visited: {
    value: 'no',
    has: ({ mine }) => mine['visits'] === 0,
    note: async (api, id, below) => below(2) === 0 && api.post('/visits', { restaurant_id: id }),
  },
  min_rating: { value: '3', has: ({ overall }) => overall >= 3 },
  // A Wednesday, 14:00 at these places; without coordinates no place has a time zone.
  open_at: {
    value: '2026-07-15T12:00:00Z',
    has: ({ status, latitude, answer }) =>
      status === 'active' && (latitude === null || answer['opening_hours'] !== 'Sa-Su 10:00-20:00'),
    fields: (below) => ({
      opening_hours: ['Mo-Fr 12:00-15:00', 'Sa-Su 10:00-20:00', 'Sa-Su 10:00-20:00', 'sometimes', null][
        below(5)
      ],
    }),
  },
};
function isBetween(value: number | null, least: number, most: number): boolean {
  return value !== null && value >= least && value <= most;
}

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
    foodTypes: array(body['food_types']).map((foodType) => Number(field(foodType, 'id'))),
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
        await checkPages(
          api,
          query,
          expected.filter(({ status }) => status !== 'pending'),
        );
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
  assert.deepEqual(
    idsOf((await api.get(`/restaurants?${query}`)).body),
    listed.map(({ id }) => id),
    query,
  );
  const part = await api.get(`/restaurants?${query}&offset=3&limit=4`);
  assert.deepEqual(
    idsOf(part.body),
    listed.slice(3, 7).map(({ id }) => id),
    query,
  );
}

/** All of them, or without suggestions where a filter is about fields that these do not have, or about ratings. */
function passing(places: readonly Place[], names: readonly string[]): readonly Place[] {
  const isOfAll = names.every((name) => ['category_id', 'food_type_ids', 'bbox'].includes(name));
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
    found.push(...idsOf(field(body, 'data')));
    assert.equal(field(body, 'total'), expected.length, query);
    if (field(body, 'has_more') !== true) break;
    cursor = `&cursor=${textOf(body, 'next_cursor')}`;
  }
  assert.deepEqual(
    found,
    expected.map(({ id }) => id),
    `pages ${query}`,
  );
}

function idsOf(body: unknown): readonly number[] {
  return array(body).map((restaurant) => Number(field(restaurant, 'id')));
}
