import { type Client, bodyOf, idOf } from './client.ts';

/** Numbers from 0 up to 1 that are the same in every run (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A suggestion with every field that there is. */
export const FULL_SUGGESTION = {
  name: 'Chez Nous',
  address: '1 Rue du Bac, Paris',
  phone: '+33 1 23 45 67 89',
  website: 'https://chez-nous.example',
  latitude: 48.858,
  longitude: 2.327,
  google_place_id: 'ChIJabc-_1',
  suggested_category_id: 5,
  food_type_ids: [8, 2],
  notes: 'Ask for Zoë',
};

/** Creates restaurants one after the other and returns their ids. Throws when one is refused. */
export function createRestaurants(api: Client, bodies: readonly object[]): Promise<number[]> {
  return createAll(api, '/restaurants', bodies);
}

/** The same for suggestions. */
export function createSuggestions(api: Client, bodies: readonly object[]): Promise<number[]> {
  return createAll(api, '/suggestions', bodies);
}

async function createAll(api: Client, path: string, bodies: readonly object[]): Promise<number[]> {
  const ids: number[] = [];
  for (const body of bodies) ids.push(idOf(await api.post(path, body)));
  return ids;
}

/** Rates a restaurant with the same value throughout. */
export async function rate(api: Client, restaurantId: number, value: number): Promise<void> {
  const stars = { food_rating: value, service_rating: value, ambiance_rating: value };
  bodyOf(await api.post('/ratings', { restaurant_id: restaurantId, ...stars }));
}

/** Great-circle distance in kilometres by the spherical law of cosines in vectors, unlike the service's own way. */
export function referenceDistance(from: readonly [number, number], to: readonly [number, number]): number {
  const vector = ([latitude, longitude]: readonly [number, number]): [number, number, number] => {
    const [phi, lambda] = [(latitude * Math.PI) / 180, (longitude * Math.PI) / 180];
    return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)];
  };
  const [ax, ay, az] = vector(from);
  const [bx, by, bz] = vector(to);
  const cross = Math.hypot(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx);
  return 6371.0088 * Math.atan2(cross, ax * bx + ay * by + az * bz);
}
