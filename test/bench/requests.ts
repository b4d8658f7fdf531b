import { randomNumbers } from '../support/catalogue.ts';
import { CATEGORIES, CITY_KM, FOOD_TYPES, PROSE, cityCentre, cityCount, shifted } from './generate.ts';
import type { BenchRequest } from './plan.ts';

/** Makes the requests of the rows. Two calls of the same function return the same requests. */
export interface Requests {
  /** One restaurant by its id: each of up to `count` once, in random order. */
  readonly restaurants: (count: number) => readonly BenchRequest[];
  readonly newestPage: readonly BenchRequest[];
  readonly allRestaurants: readonly BenchRequest[];
  /** Pages of one category with any of three food types; no combination comes twice. */
  readonly filteredPages: (count: number) => readonly BenchRequest[];
  /** Twenty of a circle of 5 km in a city; no centre comes twice. */
  readonly circles: (count: number, sort: 'newest' | 'distance') => readonly BenchRequest[];
  /** Twenty of those in such a circle that are open now. */
  readonly openCircles: (count: number) => readonly BenchRequest[];
  /** Twenty of a city by its box, with their number; no box comes twice. */
  readonly boxes: (count: number) => readonly BenchRequest[];
  /** The map of the whole world at zoom 2; no box comes twice. */
  readonly worldMaps: (count: number) => readonly BenchRequest[];
  /** The map of a city at zoom 12; no box comes twice. */
  readonly cityMaps: (count: number) => readonly BenchRequest[];
  /** Sort, filter and offset in every combination, `each` times; the groups name the combinations. */
  readonly sortedLists: (each: number) => readonly BenchRequest[];
  /** One to eight of the 60 most common words; never the same in the same order. */
  readonly searches: (count: number) => readonly BenchRequest[];
  /** The 21 most common words, in another order each time. */
  readonly commonSearches: (count: number) => readonly BenchRequest[];
  readonly ratings: (count: number) => readonly BenchRequest[];
  /** A rating and then a filtered list, by turns; the lists are the group "read". */
  readonly readsAfterRatings: (count: number) => readonly BenchRequest[];
}

const COMMON_WORDS = 21;
const MAX_WORDS = 8;
const CENTRE_KM = 0.5;

interface Random {
  /** A whole number from 0 to below `end`. */
  readonly below: (end: number) => number;
  readonly pick: <Value>(values: readonly Value[]) => Value;
  readonly shuffled: <Value>(values: readonly Value[]) => Value[];
  readonly number: () => number;
}

function createRandom(seed: number): Random {
  const number = randomNumbers(seed);
  const below = (end: number): number => Math.floor(number() * end);
  const pick = <Value>(values: readonly Value[]): Value => {
    const value = values[below(values.length)];
    if (value === undefined) throw new Error('nothing to pick from');
    return value;
  };
  const shuffled = <Value>(values: readonly Value[]): Value[] =>
    values
      .map((value) => ({ value, rank: number() }))
      .sort((left, right) => left.rank - right.rank)
      .map(({ value }) => value);
  return { number, below, pick, shuffled };
}

const get = (path: string, group?: string): BenchRequest => ({
  method: 'GET',
  path: `/api${path}`,
  ...(group !== undefined && { group }),
});

/** So many requests of `make`, none of which it made before. Throws when it repeats itself too often. */
function different(count: number, make: () => BenchRequest): BenchRequest[] {
  const requests = new Map<string, BenchRequest>();
  for (let tries = 0; requests.size < count; tries += 1) {
    if (tries > 20 * count) throw new Error(`there are no ${count} different requests`);
    const request = make();
    requests.set(request.path, request);
  }
  return [...requests.values()];
}

/** The requests for a generated catalogue of `size` restaurants. */
export function createRequests(size: number): Requests {
  const ids = Array.from({ length: size }, (_, index) => index + 1);
  /** So many different requests for the paths that `make` returns. */
  const gets = (seed: number, count: number, make: (random: Random) => string): readonly BenchRequest[] => {
    const random = createRandom(size + seed);
    return different(count, () => get(make(random)));
  };
  return {
    restaurants: (count) =>
      createRandom(size)
        .shuffled(ids)
        .slice(0, count)
        .map((id) => get(`/restaurants/${id}`)),
    newestPage: [get('/restaurants/paginated?limit=20')],
    allRestaurants: [get('/restaurants')],
    filteredPages: (count) =>
      gets(1, count, (random) => `/restaurants/paginated?limit=20&${category(random)}&${foodTypes(random)}`),
    circles: (count, sort) =>
      gets(2, count, (random) => `/restaurants?${near(size, random)}&radius=5&limit=20&sort=${sort}`),
    openCircles: (count) =>
      gets(9, count, (random) => `/restaurants?${near(size, random)}&radius=5&limit=20&open_at=now`),
    boxes: (count) =>
      gets(3, count, (random) => `/restaurants/paginated?limit=20&bbox=${boxOfCity(size, random)}`),
    worldMaps: (count) =>
      gets(10, count, ({ number }) => {
        const west = (-170 - 9 * number()).toFixed(5);
        return `/restaurants/map?zoom=2&bbox=${west},-85,180,85`;
      }),
    cityMaps: (count) =>
      gets(11, count, (random) => `/restaurants/map?zoom=12&bbox=${boxOfCity(size, random)}`),
    sortedLists: (each) => sortedLists(size, each),
    searches: (count) =>
      gets(4, count, ({ shuffled, below }) => {
        const words = shuffled(PROSE.slice(0, 60)).slice(0, 1 + below(MAX_WORDS));
        return `/search?q=${words.join('+')}`;
      }),
    commonSearches: (count) =>
      gets(5, count, ({ shuffled }) => `/search?q=${shuffled(PROSE.slice(0, COMMON_WORDS)).join('+')}`),
    ratings: (count) => {
      const random = createRandom(size + 6);
      return Array.from({ length: count }, () => rating(size, random));
    },
    readsAfterRatings: (count) => {
      const random = createRandom(size + 7);
      const lists = different(count, () =>
        get(`/restaurants?${category(random)}&${foodTypes(random)}&sort=rating&limit=20`, 'read'),
      );
      return lists.flatMap((list) => [rating(size, random), list]);
    },
  };
}

const category = ({ below }: Random): string => `category_id=${1 + below(CATEGORIES)}`;

function foodTypes({ below }: Random): string {
  const ids = new Set<number>();
  while (ids.size < 3) ids.add(1 + below(FOOD_TYPES));
  return `food_type_ids=${[...ids].sort((left, right) => left - right).join(',')}`;
}

function near(size: number, { below, number }: Random): string {
  const away = (): number => (2 * number() - 1) * CENTRE_KM;
  const { latitude, longitude } = shifted(cityCentre(below(cityCount(size))), away(), away());
  return `lat=${latitude.toFixed(5)}&lng=${longitude.toFixed(5)}`;
}

function boxOfCity(size: number, { below, number }: Random): string {
  const centre = cityCentre(below(cityCount(size)));
  const km = (): number => CITY_KM + number();
  const [low, high] = [shifted(centre, -km(), -km()), shifted(centre, km(), km())];
  return [low.longitude, low.latitude, high.longitude, high.latitude]
    .map((degrees) => degrees.toFixed(5))
    .join(',');
}

function sortedLists(size: number, each: number): BenchRequest[] {
  const random = createRandom(size + 8);
  const sorts = ['newest', 'name', 'rating', 'distance'];
  // With the share of all restaurants that they leave at least, which the offsets stay below.
  const filters: readonly (readonly [string, number, () => string])[] = [
    ['no filter', 1, () => ''],
    ['a category', 0.9 / CATEGORIES, () => `&${category(random)}`],
    ['three food types', 0.15, () => `&${foodTypes(random)}`],
    ['a category and three food types', 0.1 / CATEGORIES, () => `&${category(random)}&${foodTypes(random)}`],
    ['a least rating', 0.2, () => `&min_rating=${(2 + random.number()).toFixed(6)}`],
  ];
  const depths = [0, 0.01, 0.5, 1];
  return random.shuffled(
    sorts.flatMap((sort) =>
      filters.flatMap(([name, share, filter]) =>
        depths.flatMap((depth) => {
          const most = Math.floor(size * share) - 21 - each;
          const group = `by ${sort}, ${name}, offset ${Math.floor(most * depth).toLocaleString('en')}`;
          return Array.from({ length: each }, (_, index) => {
            const offset = Math.floor(most * depth) + index;
            const centre = sort === 'distance' ? `&${near(size, random)}` : '';
            return get(`/restaurants?limit=20&sort=${sort}&offset=${offset}${filter()}${centre}`, group);
          });
        }),
      ),
    ),
  );
}

function rating(size: number, { below }: Random): BenchRequest {
  const star = (): number => 1 + below(5);
  const stars = { food_rating: star(), service_rating: star(), ambiance_rating: star() };
  const body = JSON.stringify({ restaurant_id: 1 + below(size), ...stars, comment: 'As good as they say' });
  return { method: 'POST', path: '/api/ratings', body };
}
