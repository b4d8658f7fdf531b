import { FORM_TYPE, form, photoPart } from '../support/photos.ts';
import { phonePhoto } from '../support/image-metadata.ts';
import { field, textOf } from '../support/client.ts';

/** Sends one request when its turn has come, and returns the JSON that came back. Throws unless it has this status. */
export type Send = (
  status: number,
  path: string,
  sent?: { readonly method?: string; readonly body?: object | Buffer },
  token?: string,
) => Promise<unknown>;

/** One turn of a user of the service, in one or a few requests; what it makes it takes away again. */
export type Work = (send: Send, turn: number) => Promise<void>;

/** Who the turns are taken by. */
export interface Person {
  readonly email: string;
  readonly password: string;
}

/** How many restaurants there are throughout, with ids from 1 on. */
export const RESTAURANTS = 2_500;

const PHOTO = form(photoPart(phonePhoto(200_000, 6)));
const WORDS = ['dragon', 'petit maison', 'cafe', 'ro', 'kitchen grill', 'rue du bac', 'sushi', '42'];
const SORTS = ['newest', 'name', 'rating'];
const SCORES = { food_rating: 5, service_rating: 3, ambiance_rating: 1 };

const idOf = (body: unknown): number => Number(field(body, 'id'));
const among = (turn: number): number => 1 + ((turn * 7_919) % RESTAURANTS);

const read: Work = async (send, turn) => {
  await send(200, `/restaurants/${among(turn)}`);
  await send(200, `/restaurants/${among(turn)}/ratings`);
  await send(200, turn % 2 === 0 ? '/categories' : '/food-types');
};

const search: Work = async (send, turn) => {
  const words = WORDS[turn % WORDS.length] ?? '';
  await send(200, `/search?q=${encodeURIComponent(words)}`);
};

const list: Work = async (send, turn) => {
  const filter = turn % 2 === 0 ? `category_id=${1 + (turn % 10)}` : 'lat=40&lng=-3&radius=20';
  await send(200, `/restaurants?${filter}&limit=50`);
};

const page: Work = async (send, turn) => {
  const path = `/restaurants/paginated?sort=${SORTS[turn % SORTS.length] ?? ''}&limit=20`;
  let cursor: unknown;
  for (let pages = 0; pages < 3; pages += 1) {
    const after = typeof cursor === 'string' ? `&cursor=${encodeURIComponent(cursor)}` : '';
    cursor = field(await send(200, path + after), 'next_cursor');
  }
};

const write: Work = async (send, turn) => {
  const name = `Soaked ${turn}`;
  const made = await send(201, '/restaurants', { body: { name, category_id: 5, food_type_ids: [1, 2] } });
  const one = `/restaurants/${idOf(made)}`;
  await send(200, one, { method: 'PUT', body: { description: 'Open until late', food_type_ids: [3] } });
  await send(201, '/ratings', { body: { restaurant_id: idOf(made), ...SCORES } });
  await send(204, one, { method: 'DELETE' });
};

const rate: Work = async (send, turn) => {
  const made = await send(201, '/ratings', { body: { restaurant_id: among(turn), ...SCORES } });
  await send(204, `/ratings/${idOf(made)}`, { method: 'DELETE' });
};

const suggest: Work = async (send, turn) => {
  const made = await send(201, '/suggestions', { body: { name: `Suggested ${turn}`, food_type_ids: [1] } });
  const one = `/suggestions/${idOf(made)}`;
  await send(200, `${one}/status`, { method: 'PATCH', body: { status: 'approved' } });
  const restaurant = await send(201, `${one}/convert`, { body: SCORES });
  await send(204, `/restaurants/${idOf(restaurant)}`, { method: 'DELETE' });
  await send(204, one, { method: 'DELETE' });
};

const photo: Work = async (send, turn) => {
  const made = await send(201, `/restaurants/${among(turn)}/photos`, { body: PHOTO });
  const file = textOf(made, 'url').replace('/api', '');
  for (let times = 0; times < 4; times += 1) await send(200, file);
  await send(204, `/photos/${idOf(made)}`, { method: 'DELETE' });
};

const signIn =
  ({ email, password }: Person): Work =>
  async (send) => {
    const tokens = await send(200, '/auth/login', { body: { email, password } });
    const refresh = { body: { refresh_token: textOf(tokens, 'refresh_token') } };
    const fresh = await send(200, '/auth/refresh', refresh);
    await send(200, '/auth/me', {}, textOf(fresh, 'access_token'));
    await send(200, '/auth/logout', refresh);
  };

/** The turns in the share that they have of the load: mostly reads, a fifth of it writes. */
export function soakWorks(person: Person): readonly Work[] {
  return [
    ...Array.from({ length: 12 }, () => read),
    ...Array.from({ length: 6 }, () => search),
    list,
    list,
    list,
    page,
    page,
    page,
    page,
    write,
    rate,
    rate,
    suggest,
    photo,
    signIn(person),
  ];
}

/** The headers and the bytes of what is sent. */
export function encoded(body: object | Buffer | undefined): {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
} {
  if (body === undefined) return { headers: {} };
  if (Buffer.isBuffer(body)) return { headers: { 'Content-Type': FORM_TYPE }, body };
  return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}
