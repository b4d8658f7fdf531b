import type { TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { LOCAL, type Person, signUp } from './people.ts';
import { uploadWithThumbnail } from './photos.ts';
import { startService } from './service.ts';
import { type App, type NewOptions, openApp } from './web-app.ts';

/** A place with every fact that its page shows. */
export const TRATTORIA = {
  name: 'Trattoria da Enzo',
  description: 'A small trattoria with a yard.',
  address: 'Via dei Vascellari 29, Roma',
  phone: '+39 06 581 2260',
  website: 'https://www.daenzo.example/menu',
  latitude: 41.8883,
  longitude: 12.4771,
  price_level: 2,
  opening_hours: 'Mo-Su 12:15-15:00,19:00-23:00; PH off',
  diets: { vegan: 'yes', vegetarian: 'limited' },
};

/** Stars in the order food, service, room. */
export type ThreeStars = readonly [food: number, service: number, room: number];

/** Rates restaurant 1. */
export async function rate(
  { api }: Person,
  [food, service, room]: ThreeStars,
  comment: string | null = null,
): Promise<void> {
  await api.post('/ratings', {
    restaurant_id: 1,
    food_rating: food,
    service_rating: service,
    ambiance_rating: room,
    comment,
  });
}

export interface TrattoriaOptions extends NewOptions {
  /** Who looks at it, alice unless it is another one. */
  readonly as?: 'alice' | 'bob' | 'visitor';
  /** How many photos alice has added. */
  readonly photos?: number;
}

/** The page of restaurant 1, which is the trattoria, and those who have rated it. */
export interface Trattoria extends App {
  readonly alice: Person;
  readonly bob: Person;
}

/** Opens the page of the trattoria, or another one of the same service. */
export async function openTrattoria(
  t: TestContext,
  { as = 'alice', photos = 0, settings = {}, ...options }: TrattoriaOptions = {},
): Promise<Trattoria> {
  const service = await startService(t, { ...LOCAL, ...settings });
  const people = { alice: await signUp(service, 'alice'), bob: await signUp(service, 'bob') };
  const { alice, bob } = people;
  await alice.api.post('/restaurants', TRATTORIA);
  await rate(alice, [5, 4, 5], 'Ask for the table in the yard.');
  await rate(bob, [4, 4, 3], 'Crowded after eight.');
  for (let at = 0; at < photos; at += 1) await uploadWithThumbnail(alice.api);
  const user = as === 'visitor' ? {} : { user: people[as] };
  const app = await openApp(t, service, { path: '/restaurants/1', ...user, ...options });
  return { ...app, ...people };
}

/** Opens one of the things that can be done with the place that is shown. */
export async function openAction(page: Page, name: string): Promise<void> {
  await page.locator(`[data-focus="${name}"]:visible`).click();
  await page.getByRole('dialog').waitFor();
}
