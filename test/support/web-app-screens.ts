import { readFileSync } from 'node:fs';
import { DAY_MS } from '../../src/kit/time.ts';
import type { Cleanup } from './cleanup.ts';
import { field, textOf } from './client.ts';
import { LOCAL, type Person, makeAdmin, signUp } from './people.ts';
import { upload } from './photos.ts';
import { type Service, startService } from './service.ts';

const TABLE = readFileSync(new URL('../../static/app/start/routes.ts', import.meta.url), 'utf8');

/** The patterns of the addresses of all screens, such as `/restaurants/:id`. */
export const PATTERNS = [...TABLE.matchAll(/pattern: '([^']+)'/g)].map(([, pattern = '']) => pattern);

/** The parts of the settings that have an address of their own. */
const PARTS = ['account', 'sessions', 'tokens', 'people', 'appearance', 'outbox'];

/** A service with something to show on each screen, and the administrator who wrote it all. */
export interface Furnished {
  readonly service: Service;
  readonly user: Person;
  /** The addresses of all screens for somebody who is signed in. */
  readonly paths: readonly string[];
}

/** Starts one. Its texts have no Latin letters, which tells them from the words of the app. Throws when it refuses one. */
export async function startFurnished(t: Cleanup): Promise<Furnished> {
  const service = await startService(t, { ...LOCAL, CATALOGUE_NAME: 'Меню' });
  const user = await signUp(service, 'alice');
  makeAdmin(service, user);
  const ids = new Map<string, string>();
  for (const [path, body] of CONTENTS) {
    const answer = await user.api.post(path, body);
    if (answer.status >= 300) throw new Error(`${path} has status ${answer.status}`);
    ids.set(path, String(field(answer.body, 'id')));
  }
  const link = await user.api.post(`/lists/${ids.get('/lists')}/links`, { access: 'join' });
  ids.set('/l/:token', textOf(link.body, 'url'));
  const outing = await user.api.get(`/outings/${ids.get('/outings')}`);
  ids.set('/o/:token', textOf(outing.body, 'url'));
  // The one with all facts, and a photo.
  ids.set('/restaurants', '1');
  await upload(user.api, undefined, 'Вход');
  await user.api.put('/lists/want/items/1', { note: 'Поехать' });
  return { service, user, paths: PATTERNS.flatMap((pattern) => pathsOf(pattern, ids)) };
}

function pathsOf(pattern: string, ids: ReadonlyMap<string, string>): string[] {
  if (pattern.includes(':token')) return [ids.get(pattern) ?? ''];
  // They lead somebody who is signed in elsewhere.
  if (pattern === '/sign-in' || pattern === '/auth/callback') return [];
  if (pattern.includes(':part')) return PARTS.map((part) => pattern.replace(':part', part));
  const id = ids.get(pattern.slice(0, pattern.indexOf('/', 1))) ?? '1';
  return [pattern.replace(':id', id).replace(':photo', '1')];
}

const SOBA = {
  name: 'Соба',
  address: 'Улица 1',
  phone: '+81 3 1234 5678',
  description: 'Тесто и бульон',
  latitude: 35.66,
  longitude: 139.7,
  price_level: 2,
  opening_hours: 'Mo-Su 11:00-23:00',
};
const VISIT = {
  restaurant_id: 1,
  note: 'Вечер',
  companions: ['Ада'],
  total_minor: 4850,
  currency: 'EUR',
  dishes: [{ name: 'Суп', stars: 5, again: true, price_minor: 1400 }],
};
// At six in the evening in Tokyo.
const TOMORROW = `${new Date(Date.now() + DAY_MS).toISOString().slice(0, 10)}T09:00:00Z`;
const CONTENTS: readonly (readonly [path: string, body: Readonly<Record<string, unknown>>])[] = [
  ['/restaurants', SOBA],
  ['/restaurants', { name: 'Остерия', latitude: 35.67, longitude: 139.71 }],
  ['/restaurants', { name: `Длинное${'и'.repeat(60)} имя без конца` }],
  ['/ratings', { restaurant_id: 1, food_rating: 5, service_rating: 4, ambiance_rating: 3, comment: 'Да' }],
  ['/suggestions', { name: 'Соба 2', latitude: 35.6602, longitude: 139.7 }],
  ['/suggestions', { name: 'Кафе' }],
  ['/lists', { name: 'Рамен' }],
  ['/visits', VISIT],
  ['/outings', { title: 'Ужин', at: TOMORROW, options: [1, 2] }],
  ['/auth/tokens', { name: 'Телефон' }],
  ['/invitations', { note: 'Дора' }],
];
