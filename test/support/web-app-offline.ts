import type { Page } from 'playwright-core';
import { readStored } from './people.ts';
import type { Service } from './service.ts';
import { filesAddress } from './web-app-files.ts';

/** For pages of a service that is out of reach at times. */
export const AWAY = { unreachable: true } as const;
/** Whether a page has a service worker. */
export const CONTROLLED = 'navigator.serviceWorker.controller !== null';

/** Rates places by the app's own actions, as its stars do. */
export async function rateAll(page: Page, service: Service, ids: readonly number[]): Promise<void> {
  const base = await filesAddress(service);
  await page.evaluate(`import('${base}/state/place-actions.js').then(({ chooseStars, saveRating }) => {
    for (const id of ${JSON.stringify(ids)}) {
      const place = { id, name: 'Place ' + id };
      chooseStars(place, 'food', 1 + (id % 5));
      saveRating(place);
    }
  })`);
}

/** The ratings of a service, by restaurant. */
export const storedRatings = ({ folder }: Service): unknown[] =>
  readStored(folder, 'SELECT restaurant_id AS id, food_rating AS food FROM ratings ORDER BY restaurant_id');
