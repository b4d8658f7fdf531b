import { createRestaurants } from './catalogue.ts';
import { type Change, allChanges } from './changes.ts';
import type { Cleanup } from './cleanup.ts';
import { type Answer, type Client, array, bodyOf, field, idOf, textOf } from './client.ts';
import { type Person, signUp } from './people.ts';
import type { Service, Variables } from './service.ts';
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
export async function startListWorld(
  t: Cleanup,
  variables: Variables = {},
): Promise<World & { readonly id: number }> {
  const world = await startWorld(t, variables);
  await addRestaurants(world.admin, 'A', 'B', 'C');
  const id = await addList(world.owner, 'Lyon');
  await addItems(world.owner, id, [1, 2, 3]);
  return { ...world, id };
}

/** The changes of lists and visits that a caller reads. */
export function changesOfLists(api: Client): Promise<Change[]> {
  return allChanges(api, 'kind=list,visit');
}

/** A link to a list: its id, and the secret at the end of its address. */
export interface Link {
  readonly id: number;
  readonly secret: string;
}

/** Makes a link to a list, to read it unless `body` says otherwise. */
export async function addLink(
  api: Client,
  list: number | string,
  body: object = { access: 'read' },
): Promise<Link> {
  const answer = await api.post(`/lists/${list}/links`, body);
  return { id: idOf(answer), secret: textOf(answer.body, 'url').slice('/l/'.length) };
}

/** Joins the list that a link opens. */
export function join(api: Client, secret: string): Promise<Answer> {
  return api.post(`/shared/${secret}/join`, {});
}

/** Makes people members of a list of the owner's, one after the other. */
export async function addMembers(owner: Client, list: number, ...apis: readonly Client[]): Promise<void> {
  const { id, secret } = await addLink(owner, list, { access: 'join' });
  for (const api of apis) bodyOf(await join(api, secret));
  await owner.delete(`/lists/${list}/links/${id}`);
}

/** Signs up people of these names. */
export async function signUpAll(service: Service, ...names: readonly string[]): Promise<Person[]> {
  const people: Person[] = [];
  for (const name of names) people.push(await signUp(service, name));
  return people;
}
