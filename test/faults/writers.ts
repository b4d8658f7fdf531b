import { createHash } from 'node:crypto';
import { type Answer, type Client, createClient, field, textOf } from '../support/client.ts';
import { form, photoPart, sendForm } from '../support/photos.ts';
import type { Ledger } from './ledger.ts';

/** Settings of the service that is written to. */
export const WRITTEN = {
  AUTH_MODE: 'local',
  JWT_SECRET_KEY: 'a secret of the faults, long enough to sign',
  REFRESH_TOKEN_ROTATION: 'true',
  RATE_LIMIT_PER_MINUTE: '0',
  HOST: '127.0.0.1',
};

/** Writes without a pause over every route that writes, until it is told to stop or the service is gone. */
export interface Writers {
  /** Writes to a service, and resolves when every writer has noticed that it is over. */
  readonly write: (url: string, isOver: () => boolean) => Promise<void>;
  /** Answers that are neither an acknowledgement nor a sign of the end, a line each. */
  readonly refusals: readonly string[];
}

interface Task {
  readonly api: Client;
  readonly ledger: Ledger;
  /** A text that nothing else has. */
  readonly mark: string;
  /** The restaurant that is rated and photographed. */
  readonly host: number;
  /** The answer, when it has this status; throws otherwise. */
  readonly expect: (status: number, answer: Promise<Answer>) => Promise<unknown>;
}

type Work = (task: Task) => Promise<void>;

const idOf = (body: unknown): number => Number(field(body, 'id'));
const SCORES = { food_rating: 5, service_rating: 3, ambiance_rating: 1 };

async function restaurant({ api, ledger, mark, expect }: Task): Promise<void> {
  const body = { name: mark, latitude: 48.5, longitude: 2.5, category_id: 5, food_type_ids: [1, 2] };
  const id = idOf(await expect(201, api.post('/restaurants', body)));
  ledger.know('restaurant', id, { there: mark });
  ledger.doubt('restaurant', id);
  await expect(200, api.put(`/restaurants/${id}`, { name: `${mark}, again`, food_type_ids: [3] }));
  ledger.know('restaurant', id, { there: `${mark}, again` });
  await expect(201, api.post('/ratings', { restaurant_id: id, ...SCORES }));
  if (id % 2 === 0) return;
  ledger.doubt('restaurant', id);
  await expect(204, api.delete(`/restaurants/${id}`));
  ledger.know('restaurant', id, 'gone');
}

async function rating({ api, ledger, mark, host, expect }: Task): Promise<void> {
  const body = { restaurant_id: host, ...SCORES, comment: mark };
  const id = idOf(await expect(201, api.post('/ratings', body)));
  ledger.know('rating', id, { there: mark });
  if (id % 2 === 0) return;
  ledger.doubt('rating', id);
  await expect(204, api.delete(`/ratings/${id}`));
  ledger.know('rating', id, 'gone');
}

function lookup(kind: 'category' | 'foodType', path: string): Work {
  return async ({ api, ledger, mark, expect }) => {
    const id = idOf(await expect(201, api.post(path, { name: mark })));
    ledger.know(kind, id, { there: mark });
    ledger.doubt(kind, id);
    await expect(200, api.put(`${path}/${id}`, { name: `${mark}, again` }));
    ledger.know(kind, id, { there: `${mark}, again` });
    ledger.doubt(kind, id);
    await expect(204, api.delete(`${path}/${id}`));
    ledger.know(kind, id, 'gone');
  };
}

async function suggestion({ api, ledger, mark, expect }: Task): Promise<void> {
  const id = idOf(await expect(201, api.post('/suggestions', { name: mark, food_type_ids: [1] })));
  ledger.know('suggestion', id, { there: `${mark} pending` });
  ledger.doubt('suggestion', id);
  await expect(200, api.patch(`/suggestions/${id}/status`, { status: 'approved' }));
  ledger.know('suggestion', id, { there: `${mark} approved` });
  ledger.doubt('suggestion', id);
  if (id % 3 === 0) {
    await expect(204, api.delete(`/suggestions/${id}`));
    ledger.know('suggestion', id, 'gone');
    return;
  }
  const made = await expect(201, api.post(`/suggestions/${id}/convert`, { ...SCORES, comment: mark }));
  ledger.know('suggestion', id, { there: `${mark} converted` });
  ledger.know('restaurant', idOf(made), { there: mark });
}

async function photo({ api, ledger, mark, host, expect }: Task): Promise<void> {
  const body = form(photoPart(), { name: 'caption', content: mark });
  const id = idOf(await expect(201, sendForm(api, body, undefined, `/api/restaurants/${host}/photos`)));
  ledger.know('photo', id, { there: mark });
  ledger.doubt('photo', id);
  await expect(200, api.patch(`/photos/${id}`, { caption: `${mark}, again` }));
  ledger.know('photo', id, { there: `${mark}, again` });
  if (id % 2 === 0) return;
  ledger.doubt('photo', id);
  await expect(204, api.delete(`/photos/${id}`));
  ledger.know('photo', id, 'gone');
}

const hashed = (secret: unknown): string => createHash('sha256').update(String(secret)).digest('hex');

async function account({ api, ledger, mark, expect }: Task): Promise<void> {
  const name = mark.replaceAll(' ', '-');
  const password = `${mark}, a long password`;
  const person = { email: `${name}@example.com`, username: name, password };
  let tokens = await expect(201, api.post('/auth/register', person));
  ledger.know('user', idOf(field(tokens, 'user')), { there: name });
  ledger.know('refreshToken', hashed(field(tokens, 'refresh_token')), { there: 'current' });
  for (let time = 0; time < 5; time += 1) {
    const before = textOf(tokens, 'refresh_token');
    ledger.doubt('refreshToken', hashed(before));
    tokens = await expect(200, api.post('/auth/refresh', { refresh_token: before }));
    ledger.know('refreshToken', hashed(before), 'gone');
    ledger.know('refreshToken', hashed(field(tokens, 'refresh_token')), { there: 'current' });
    const own = { Authorization: `Bearer ${textOf(tokens, 'access_token')}` };
    const made = await expect(201, api.post('/auth/tokens', { name: mark }, own));
    ledger.know('apiToken', idOf(made), { there: mark });
    if (time % 2 === 0) continue;
    ledger.doubt('apiToken', idOf(made));
    await expect(204, api.delete(`/auth/tokens/${idOf(made)}`, own));
    ledger.know('apiToken', idOf(made), 'gone');
  }
}

const WORKS: readonly Work[] = [
  ...[restaurant, restaurant, restaurant, restaurant, rating, rating, rating],
  ...[lookup('category', '/categories'), lookup('foodType', '/food-types')],
  ...[suggestion, suggestion, suggestion, photo, photo, photo, account],
];

// So that there are several writes in most commits.
const OF_EACH = 4;

/** Sixty-four writers, who act for somebody whom they register at a service that was started with `WRITTEN`. */
export async function createWriters(url: string, ledger: Ledger, name: string): Promise<Writers> {
  const person = { email: `${name}@example.com`, username: name, password: `${name}, a long password` };
  const registered = (await createClient(url).post('/auth/register', person)).body;
  const access = { Authorization: `Bearer ${textOf(registered, 'access_token')}` };
  const token = textOf((await createClient(url, access).post('/auth/tokens', { name })).body, 'token');
  const own = { Authorization: `Bearer ${token}` };
  const host = idOf((await createClient(url, own).post('/restaurants', { name })).body);
  const refusals: string[] = [];
  let marks = 0;

  async function expect(status: number, asked: Promise<Answer>): Promise<unknown> {
    const answer = await asked;
    if (answer.status === status) return answer.body;
    refusals.push(`${answer.status} instead of ${status}: ${JSON.stringify(answer.body)}`);
    throw new Error('refused');
  }

  return {
    refusals,
    write: async (to, isOver) => {
      const api = createClient(to, own);
      const writer = async (work: Work): Promise<void> => {
        while (!isOver()) {
          marks += 1;
          // What the service does not answer any more stays in doubt.
          await work({ api, ledger, mark: `${name} ${marks}`, host, expect }).catch(() => undefined);
        }
      };
      await Promise.all(Array.from({ length: OF_EACH }, () => WORKS.map(writer)).flat());
    },
  };
}
