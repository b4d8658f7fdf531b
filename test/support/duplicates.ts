import { type Client, array, bodyOf, field } from './client.ts';
import { until } from './until.ts';

/** One place that is easy to find again. */
export const PLACE = {
  name: 'Chez Nous',
  address: '1 Rue du Bac, 75007 Paris',
  phone: '+33 1 23 45 67 89',
  website: 'https://www.chez-nous.example/menu',
  latitude: 48.858,
  longitude: 2.327,
};

/** The same place as another source has it. */
export const SAME = {
  name: 'Restaurant Chez Nous',
  address: '1 r. du Bac, Paris',
  phone: '01 23 45 67 89',
  latitude: 48.8581,
  longitude: 2.3271,
};

/** Entries of it that differ in what they have of its floor. */
export function floors(count: number): object[] {
  return Array.from({ length: count }, (_, floor) => ({
    name: PLACE.name,
    address: `1 Rue du Bac, étage ${floor + 1}, 75007 Paris`,
    phone: PLACE.phone,
  }));
}

/** What `GET /restaurants/similar` answers for a place. */
export async function similarTo(
  api: Client,
  place: Readonly<Record<string, string | number>>,
): Promise<readonly unknown[]> {
  const query = Object.entries(place).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return array(bodyOf(await api.get(`/restaurants/similar?${query.join('&')}`)));
}

/** The ids of similar places. */
export function idsOfSimilar(places: readonly unknown[]): number[] {
  return places.map((place) => Number(field(field(place, 'restaurant'), 'id')));
}

/** The first page of pairs, once all restaurants are compared. */
export async function pairPage(api: Client, query = ''): Promise<unknown> {
  let page: unknown;
  await until(async () => {
    page = bodyOf(await api.get(`/duplicates${query}`));
    return field(page, 'searching') === false;
  });
  return page;
}

/** The ids of the pairs of a page. */
export function idsOfPairs(page: unknown): (readonly [number, number])[] {
  return array(field(page, 'data')).map((pair) => [
    Number(field(field(pair, 'a'), 'id')),
    Number(field(field(pair, 'b'), 'id')),
  ]);
}

/** The ids of all pairs, once all restaurants are compared. */
export async function pairs(api: Client): Promise<(readonly [number, number])[]> {
  return idsOfPairs(await pairPage(api, '?limit=100'));
}
