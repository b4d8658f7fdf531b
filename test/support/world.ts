import type { Cleanup } from './cleanup.ts';
import { type Client, array, bodyOf, createClient, field, textOf } from './client.ts';
import { LOCAL, type Person, makeAdmin, signUp } from './people.ts';
import { FORM_TYPE, form, photoPart, sendForm } from './photos.ts';
import { type Service, type Variables, startService } from './service.ts';

/** A service with accounts, and a client of each sort of caller. */
export interface World {
  readonly service: Service;
  readonly people: Readonly<Record<'owner' | 'other' | 'admin', Person>>;
  readonly owner: Client;
  readonly other: Client;
  readonly admin: Client;
  /** An API token of the owner. */
  readonly token: Client;
}

/** Starts it empty. */
export async function startWorld(t: Cleanup, variables: Variables = {}): Promise<World> {
  const service = await startService(t, { ...LOCAL, ...variables });
  const [owner, other, admin] = [
    await signUp(service, 'alice'),
    await signUp(service, 'bob'),
    await signUp(service, 'carol'),
  ];
  makeAdmin(service, admin);
  const made = await owner.api.post('/auth/tokens', { name: 'script' });
  const token = createClient(service.url, { Authorization: `Bearer ${textOf(made.body, 'token')}` });
  return {
    service,
    people: { owner, other, admin },
    owner: owner.api,
    other: other.api,
    admin: admin.api,
    token,
  };
}

/** A rating of a restaurant, as it is sent. */
export function ratingOf(restaurantId: number, comment = 'Good soup'): object {
  const stars = { food_rating: 5, service_rating: 4, ambiance_rating: 3 };
  return { restaurant_id: restaurantId, ...stars, comment };
}

/** Uploads a photo and returns the answer. */
export async function addPhoto(api: Client, restaurantId: number, caption = 'The menu'): Promise<unknown> {
  const body = form(photoPart(), { name: 'caption', content: caption });
  return bodyOf(await sendForm(api, body, FORM_TYPE, `/api/restaurants/${restaurantId}/photos`));
}

/** All that readers see of the catalogue. */
export async function views(api: Client): Promise<Readonly<Record<string, unknown>>> {
  const found: Record<string, unknown> = {};
  const read = async (path: string): Promise<unknown> => (found[path] = (await api.get(path)).body);
  const restaurants = array(await read('/restaurants?limit=1000&include_suggestions=false'));
  for (const restaurant of restaurants) {
    const id = String(field(restaurant, 'id'));
    for (const path of ['', '/ratings', '/photos']) await read(`/restaurants/${id}${path}`);
  }
  for (const path of ['/suggestions?status=all', '/categories', '/food-types', '/restaurants/paginated'])
    await read(path);
  return { ...found, ...(await ownViews(api)) };
}

/** The lists and visits of the caller. */
export async function ownViews(api: Client): Promise<Readonly<Record<string, unknown>>> {
  const found: Record<string, unknown> = {};
  const lists = (await api.get('/lists')).body;
  found['/lists'] = lists;
  found['/visits'] = (await api.get('/visits?limit=100')).body;
  for (const list of Array.isArray(lists) ? array(lists) : []) {
    const path = `/lists/${String(field(list, 'id'))}/items`;
    found[path] = (await api.get(path)).body;
  }
  return found;
}

/** The same without the moments of the last change, which a revert of an update moves. */
export function withoutUpdates(seen: unknown): unknown {
  return JSON.parse(JSON.stringify(seen, (name, value: unknown) => (name === 'updated_at' ? null : value)));
}
