import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { addList, addRestaurants, putItem } from './lists.ts';
import { LOCAL, type Person, makeAdmin, signUp } from './people.ts';
import { type Service, startService } from './service.ts';
import { type App, type NewOptions, openApp } from './web-app.ts';

/** Alice, an administrator, and Bob, who write a log. */
export interface Writers {
  readonly service: Service;
  readonly alice: Person;
  readonly bob: Person;
}

/** The log after `write`, which begins with Alice's Soba Ya, as she or Bob sees it. */
export async function openLog(
  t: TestContext,
  write: (writers: Writers) => Promise<unknown>,
  { settings = {}, as = 'alice', ...options }: NewOptions & { readonly as?: 'alice' | 'bob' } = {},
): Promise<App & Writers> {
  const service = await startService(t, { ...LOCAL, ...settings });
  const people = { alice: await signUp(service, 'alice'), bob: await signUp(service, 'bob') };
  makeAdmin(service, people.alice);
  await addRestaurants(people.alice.api, 'Soba Ya');
  await write({ service, ...people });
  const app = await openApp(t, service, { user: people[as], path: '/activity', ...options });
  return { ...app, ...people };
}

export const RATED = { restaurant_id: 1, food_rating: 4, service_rating: 4, ambiance_rating: 4 };

/** What is needed of all that a log may hold. */
export async function writeMuch({ alice, bob }: Writers): Promise<void> {
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
