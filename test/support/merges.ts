import { isObject } from '../../src/kit/objects.ts';
import { inspectData } from '../../src/operations/inspection/check.ts';
import { changeOf } from './changes.ts';
import type { Cleanup } from './cleanup.ts';
import { type Answer, type Client, bodyOf } from './client.ts';
import { addRestaurants } from './lists.ts';
import { changeStored } from './people.ts';
import type { Service, Variables } from './service.ts';
import { type World, ownViews, startWorld, views } from './world.ts';

/** Merges restaurants into another one. */
export function merge(api: Client, id: number, ...from: readonly number[]): Promise<Answer> {
  return api.post(`/restaurants/${id}/merge`, { from });
}

/** Merges restaurants and returns the change. Throws when that is refused. */
export async function merged(api: Client, id: number, ...from: readonly number[]): Promise<number> {
  const answer = await merge(api, id, ...from);
  bodyOf(answer);
  return changeOf(answer);
}

/** Two entries of one place: the first with little, the second with all. */
export const TWINS: readonly [object, object] = [
  { name: 'Chez Nous', category_id: 5, food_type_ids: [8], diets: { halal: 'no' } },
  {
    name: 'Restaurant Chez Nous',
    description: 'Soup',
    address: '1 Rue du Bac, Paris',
    phone: '+33 1 23 45 67 89',
    website: 'https://chez-nous.example',
    latitude: 48.858,
    longitude: 2.327,
    google_place_id: 'ChIJabc-_1',
    category_id: 6,
    food_type_ids: [2, 8],
    status: 'temporarily_closed',
    price_level: 2,
    opening_hours: 'Mo-Fr 10:00-20:00',
    time_zone: 'Europe/Paris',
    diets: { vegan: 'yes', halal: 'yes' },
    external_ids: { osm: 'N1' },
  },
];

/** A world with restaurants 1 and 2, which are the same place, and 3, which is another one. */
export async function startTwins(t: Cleanup, variables: Variables = {}): Promise<World> {
  const world = await startWorld(t, variables);
  for (const twin of TWINS) bodyOf(await world.admin.post('/restaurants', twin));
  await addRestaurants(world.admin, 'Autre');
  return world;
}

/**
 * All that people see: the catalogue, and each their own lists, visits and export; without the moments of the last change of
 * restaurants and lists.
 */
export async function allViews(...people: readonly Client[]): Promise<unknown> {
  const found: unknown[] = [];
  for (const api of people) {
    const { body } = await api.get('/me/export');
    const lines = String(body)
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('{"type":"session"'));
    found.push(
      await ownViews(api),
      lines.map((line): unknown => JSON.parse(line)),
    );
  }
  const [first] = people;
  const isMoved = (value: object): boolean => 'avg_rating' in value || 'item_count' in value;
  const text = JSON.stringify([first && (await views(first)), found], (_name, value: unknown) =>
    isObject(value) && isMoved(value) ? { ...value, updated_at: null } : value,
  );
  const seen: unknown = JSON.parse(text);
  return seen;
}

/** Adds ratings and visits of a user to a restaurant behind the back of a service. */
export function addManyTo(
  folder: string,
  restaurantId: number,
  userId: number | null,
  ratings: number,
  visits: number,
): void {
  const numbers = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)';
  const at = "strftime('%Y-%m-%dT%H:%M:%fZ', '2026-01-01', i || ' seconds')";
  if (ratings > 0)
    changeStored(
      folder,
      `INSERT INTO ratings (restaurant_id, user_id, food_rating, service_rating, ambiance_rating, created_at, updated_at, comment)
       ${numbers} SELECT ?, ?, 1 + i % 5, 4, 3, ${at}, '', 'Rating ' || i FROM n`,
      ratings,
      restaurantId,
      userId,
    );
  if (visits > 0)
    changeStored(
      folder,
      `INSERT INTO visits (restaurant_id, user_id, visited_on, created_at, updated_at)
       ${numbers} SELECT ?, ?, '2026-01-01', ${at}, ${at} FROM n`,
      visits,
      restaurantId,
      userId,
    );
}

/** What `catalogue check` finds wrong. */
export function faultsIn({ folder }: Pick<Service, 'folder'>): string[] {
  return [...inspectData(folder)].flatMap(({ faults }) => faults);
}
