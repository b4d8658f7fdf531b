import { createRestaurants } from './catalogue.ts';
import { type Change, allChanges } from './changes.ts';
import type { Cleanup } from './cleanup.ts';
import { type Answer, type Client, array, bodyOf, field, idOf } from './client.ts';
import { type World, startWorld } from './world.ts';

/** Adds restaurants of these names, which get the next ids. */
export function addRestaurants(api: Client, ...names: readonly string[]): Promise<number[]> {
  const restaurants = names.map((name) => ({ name }));
  return createRestaurants(api, restaurants);
}

/** Puts restaurants on a list, one after the other. */
export async function addItems(api: Client, list: number | string, ids: readonly number[]): Promise<void> {
  for (const id of ids) bodyOf(await putItem(api, list, id));
}

/** Puts a restaurant on a list, or changes its item. */
export function putItem(
  api: Client,
  list: number | string,
  id: number,
  change: object = {},
): Promise<Answer> {
  return api.put(`/lists/${list}/items/${id}`, change);
}

/** The names on a list in order. Throws when the positions are not 1, 2, 3 and so on. */
export async function namesOn(api: Client, list: number | string, query = ''): Promise<string[]> {
  const items = array((await api.get(`/lists/${list}/items${query}`)).body);
  const [first] = items;
  const start = first === undefined ? 1 : Number(field(first, 'position'));
  items.forEach((item, index) => {
    if (field(item, 'position') !== start + index) throw new Error(JSON.stringify(items));
  });
  return items.map((item) => String(field(field(item, 'restaurant'), 'name')));
}

/** Makes a list and returns its id. */
export async function addList(api: Client, name: string): Promise<number> {
  return idOf(await api.post('/lists', { name }));
}

/** A world with restaurants A to C on a list of the owner's, which is the only own one. */
export async function startListWorld(t: Cleanup): Promise<World & { readonly id: number }> {
  const world = await startWorld(t);
  await addRestaurants(world.admin, 'A', 'B', 'C');
  const id = await addList(world.owner, 'Lyon');
  await addItems(world.owner, id, [1, 2, 3]);
  return { ...world, id };
}

/** The changes of lists and visits that a caller reads. */
export function changesOfLists(api: Client): Promise<Change[]> {
  return allChanges(api, 'kind=list,visit');
}
