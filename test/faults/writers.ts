import { createHash } from 'node:crypto';
import { type Answer, type Client, createClient, field, textOf } from '../support/client.ts';
import { form, photoPart, sendForm, thumbnailPart } from '../support/photos.ts';
import type { Fact, Kind, Ledger } from './ledger.ts';

/** Settings of the service that is written to. */
export const WRITTEN = {
  AUTH_MODE: 'local',
  JWT_SECRET_KEY: 'a secret of the faults, long enough to sign',
  REFRESH_TOKEN_ROTATION: 'true',
  RATE_LIMIT_PER_MINUTE: '0',
  HOST: '127.0.0.1',
};

/** Writes without a pause over every route that writes, until it is stopped or the service is gone. */
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
  /** The acknowledged write, when the answer has this status; throws otherwise. */
  readonly expect: (status: number, answer: Promise<Answer>) => Promise<Acknowledged>;
}

interface Acknowledged {
  readonly body: unknown;
  /** By which the change log knows the write. */
  readonly writeId: number | undefined;
}

type Work = (task: Task) => Promise<void>;

const idOf = (body: unknown): number => Number(field(body, 'id'));
const SCORES = { food_rating: 5, service_rating: 3, ambiance_rating: 1 };

/** A change of something that is there, or its revert: in doubt until it is acknowledged. */
async function change(
  { ledger, expect }: Task,
  [kind, id, fact]: readonly [Kind, number, Fact],
  status: number,
  send: () => Promise<Answer>,
): Promise<Acknowledged> {
  ledger.doubt(kind, id);
  const acknowledged = await expect(status, send());
  ledger.know(kind, id, fact, acknowledged.writeId);
  return acknowledged;
}

async function create(
  { ledger, expect }: Task,
  [kind, there]: readonly [Kind, string],
  answer: Promise<Answer>,
): Promise<number> {
  const { body, writeId } = await expect(201, answer);
  ledger.know(kind, idOf(body), { there }, writeId);
  return idOf(body);
}

/** Takes a change back, after which the thing is as the fact says. */
async function revert(
  task: Task,
  { writeId }: Acknowledged,
  fact: readonly [Kind, number, Fact],
): Promise<Acknowledged> {
  return change(task, fact, 200, () => task.api.post(`/changes/${writeId ?? 0}/revert`, {}));
}

/** Deletes something; one in three comes back. */
async function remove(
  task: Task,
  [kind, id]: readonly [Kind, number],
  path: string,
  there: string,
): Promise<void> {
  const deleted = await change(task, [kind, id, 'gone'], 204, () => task.api.delete(`${path}/${id}`));
  if (id % 3 === 0) await revert(task, deleted, [kind, id, { there }]);
}

async function restaurant(task: Task): Promise<void> {
  const { api, mark, expect } = task;
  const body = { name: mark, latitude: 48.5, longitude: 2.5, category_id: 5, food_type_ids: [1, 2] };
  const id = await create(task, ['restaurant', mark], api.post('/restaurants', body));
  const again = `${mark}, again`;
  const put = await change(task, ['restaurant', id, { there: again }], 200, () =>
    api.put(`/restaurants/${id}`, { name: again, food_type_ids: [3] }),
  );
  const isReverted = id % 5 === 0;
  if (isReverted) await revert(task, put, ['restaurant', id, { there: mark }]);
  await expect(201, api.post('/ratings', { restaurant_id: id, ...SCORES }));
  if (id % 2 === 0) return;
  await remove(task, ['restaurant', id], '/restaurants', isReverted ? mark : again);
}

async function rating(task: Task): Promise<void> {
  const { api, mark, host } = task;
  const body = { restaurant_id: host, ...SCORES, comment: mark };
  const id = await create(task, ['rating', mark], api.post('/ratings', body));
  if (id % 2 === 0) return;
  await remove(task, ['rating', id], '/ratings', mark);
}

function lookup(kind: 'category' | 'food_type', path: string): Work {
  return async (task) => {
    const { api, mark } = task;
    const id = await create(task, [kind, mark], api.post(path, { name: mark }));
    const again = `${mark}, again`;
    await change(task, [kind, id, { there: again }], 200, () => api.put(`${path}/${id}`, { name: again }));
    await remove(task, [kind, id], path, again);
  };
}

async function suggestion(task: Task): Promise<void> {
  const { api, ledger, mark, expect } = task;
  const body = { name: mark, food_type_ids: [1] };
  const id = await create(task, ['suggestion', `${mark} pending`], api.post('/suggestions', body));
  const path = `/suggestions/${id}`;
  await change(task, ['suggestion', id, { there: `${mark} approved` }], 200, () =>
    api.patch(`${path}/status`, { status: 'approved' }),
  );
  if (id % 3 === 0) {
    await change(task, ['suggestion', id, 'gone'], 204, () => api.delete(path));
    return;
  }
  ledger.doubt('suggestion', id);
  const made = await expect(201, api.post(`${path}/convert`, { ...SCORES, comment: mark }));
  const restaurantId = idOf(made.body);
  ledger.know('suggestion', id, { there: `${mark} converted` }, made.writeId);
  ledger.know('restaurant', restaurantId, { there: mark }, made.writeId);
  if (id % 5 !== 0) return;
  ledger.doubt('restaurant', restaurantId);
  const reverted = await revert(task, made, ['suggestion', id, { there: `${mark} approved` }]);
  ledger.know('restaurant', restaurantId, 'gone', reverted.writeId);
}

async function photo(task: Task): Promise<void> {
  const { api, mark, host } = task;
  const body = form(photoPart(), thumbnailPart(), { name: 'caption', content: mark });
  const sent = sendForm(api, body, undefined, `/api/restaurants/${host}/photos`);
  const id = await create(task, ['photo', mark], sent);
  const again = `${mark}, again`;
  await change(task, ['photo', id, { there: again }], 200, () =>
    api.patch(`/photos/${id}`, { caption: again }),
  );
  if (id % 2 === 0) return;
  await remove(task, ['photo', id], '/photos', again);
}

const hashed = (secret: unknown): string => createHash('sha256').update(String(secret)).digest('hex');

async function account({ api, ledger, mark, expect }: Task): Promise<void> {
  const name = mark.replaceAll(' ', '-');
  const password = `${mark}, a long password`;
  const person = { email: `${name}@example.com`, username: name, password };
  let tokens = (await expect(201, api.post('/auth/register', person))).body;
  ledger.know('user', idOf(field(tokens, 'user')), { there: name });
  ledger.know('refreshToken', hashed(field(tokens, 'refresh_token')), { there: 'current' });
  for (let time = 0; time < 5; time += 1) {
    const before = textOf(tokens, 'refresh_token');
    ledger.doubt('refreshToken', hashed(before));
    tokens = (await expect(200, api.post('/auth/refresh', { refresh_token: before }))).body;
    ledger.know('refreshToken', hashed(before), 'gone');
    ledger.know('refreshToken', hashed(field(tokens, 'refresh_token')), { there: 'current' });
    const own = { Authorization: `Bearer ${textOf(tokens, 'access_token')}` };
    const made = (await expect(201, api.post('/auth/tokens', { name: mark }, own))).body;
    ledger.know('apiToken', idOf(made), { there: mark });
    if (time % 2 === 0) continue;
    ledger.doubt('apiToken', idOf(made));
    await expect(204, api.delete(`/auth/tokens/${idOf(made)}`, own));
    ledger.know('apiToken', idOf(made), 'gone');
  }
}

const WORKS: readonly Work[] = [
  restaurant,
  restaurant,
  restaurant,
  restaurant,
  rating,
  rating,
  rating,
  lookup('category', '/categories'),
  lookup('food_type', '/food-types'),
  suggestion,
  suggestion,
  suggestion,
  photo,
  photo,
  photo,
  account,
];

// So that there are several writes in most commits.
const OF_EACH = 4;

/** Sixty-four writers, who act for a user whom they register at a service that was started with `WRITTEN`. */
export async function createWriters(url: string, ledger: Ledger, name: string): Promise<Writers> {
  const person = { email: `${name}@example.com`, username: name, password: `${name}, a long password` };
  const registered = (await createClient(url).post('/auth/register', person)).body;
  const access = { Authorization: `Bearer ${textOf(registered, 'access_token')}` };
  const token = textOf((await createClient(url, access).post('/auth/tokens', { name })).body, 'token');
  const own = { Authorization: `Bearer ${token}` };
  const host = idOf((await createClient(url, own).post('/restaurants', { name })).body);
  const refusals: string[] = [];
  let marks = 0;

  async function expect(status: number, asked: Promise<Answer>): Promise<Acknowledged> {
    const answer = await asked;
    const change = answer.headers.get('change');
    if (answer.status === status)
      return { body: answer.body, writeId: change === null ? undefined : Number(change) };
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
