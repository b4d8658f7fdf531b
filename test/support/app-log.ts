import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { addList, addRestaurants, putItem } from './lists.ts';
import { LOCAL, type Person, makeAdmin, signUp } from './people.ts';
import { type Service, startService } from './service.ts';
import { type App, type AppOptions, openApp } from './web-app.ts';

/** The log in a browser, and who wrote it. */
export interface Log extends App {
  readonly service: Service;
  readonly alice: Person;
  readonly bob: Person;
}

/** What Alice sees of the log after `write`, which begins with her own Soba Ya. */
export async function openLog(
  t: TestContext,
  write: (people: { alice: Person; bob: Person }) => Promise<void>,
  { settings = {}, ...options }: AppOptions & { readonly settings?: Record<string, string> } = {},
): Promise<Log> {
  const service = await startService(t, { ...LOCAL, ...settings });
  const [alice, bob] = [await signUp(service, 'alice'), await signUp(service, 'bob')];
  makeAdmin(service, alice);
  await addRestaurants(alice.api, 'Soba Ya');
  await write({ alice, bob });
  const app = await openApp(t, service, { user: alice, path: '/activity', ...options });
  return { ...app, service, alice, bob };
}

export const RATED = { restaurant_id: 1, food_rating: 4, service_rating: 4, ambiance_rating: 4 };

/** What is needed of all that a log may hold. */
export async function writeMuch({ alice, bob }: { alice: Person; bob: Person }): Promise<void> {
  await bob.api.put('/restaurants/1', { phone: '+81 3 1234 5678' });
  await bob.api.post('/ratings', RATED);
  await alice.api.post('/visits', { restaurant_id: 1 });
  const list = await addList(alice.api, 'Tokyo');
  await putItem(alice.api, list, 1);
  await bob.api.post('/suggestions', { name: 'Green Bowl' });
  const [gone = 0] = await addRestaurants(bob.api, 'Gone');
  assert.equal((await alice.api.delete(`/restaurants/${gone}`)).status, 204);
}

/** What the log says, without its details. */
export async function sentences({ page }: App): Promise<string[]> {
  const texts = await page.locator('.change .in > p:first-child').allInnerTexts();
  return texts.map((text) => text.trim());
}
