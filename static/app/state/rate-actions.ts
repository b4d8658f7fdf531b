import { fill, texts } from '../base/texts.js';
import { act, needsUser } from './actions.js';
import { call } from '../base/api.js';
import { localId } from './outbox.js';
import { alterPlace, own } from './place-actions.js';
import { readDraft, setDraft, state, update } from './store.js';
import type { Means, Rating, Restaurant } from '../base/types.js';

const SETTLED = 900;

/** Stars of a rating; undefined where nothing was chosen. Drafts were filled by the first choice and not by the person. */
export interface Stars {
  food?: number;
  service?: number;
  ambiance?: number;
  drafts: readonly string[];
}

export const KINDS = ['food', 'service', 'ambiance'] as const;

/** A choice in one row; the first choice of all fills the other rows as drafts. */
export function choose(stars: Stars, kind: (typeof KINDS)[number], value: number): Stars {
  const isFirst = KINDS.every((one) => stars[one] === undefined);
  if (!isFirst) return { ...stars, [kind]: value, drafts: stars.drafts.filter((one) => one !== kind) };
  return { food: value, service: value, ambiance: value, drafts: KINDS.filter((one) => one !== kind) };
}

const words = texts.rating;

/** The means after a rating came in for another one, or for none. */
export function meansWith(
  means: Means,
  next: Pick<Rating, 'food_rating' | 'service_rating' | 'ambiance_rating'>,
  before: Pick<Rating, 'food_rating' | 'service_rating' | 'ambiance_rating'> | undefined,
): Means {
  const count = means.count + (before ? 0 : 1);
  const [food, service, ambiance] = KINDS.map(
    (kind) =>
      (means[kind] * means.count + next[`${kind}_rating`] - (before?.[`${kind}_rating`] ?? 0)) / count,
  );
  const all = { food: food ?? 0, service: service ?? 0, ambiance: ambiance ?? 0 };
  return { ...all, overall: (all.food + all.service + all.ambiance) / 3, count };
}

/** What the person chose and did not yet save, over what was saved before. */
export function starsOf(id: number): Stars & { comment?: string } {
  const draft = readDraft(`rate ${id}`);
  if (draft) return draft;
  const rating = ownRating(id);
  if (!rating) return { drafts: [] };
  const { food_rating: food, service_rating: service, ambiance_rating: ambiance, comment } = rating;
  return { food, service, ambiance, comment: comment ?? '', drafts: [] };
}

/** The user's newest rating of a place, where it is known. */
export function ownRating(id: number): Rating | undefined {
  const waiting = waitingRating(id);
  if (waiting) return waiting;
  const ratings = state.data[ratingUrl(id)]?.body as Rating[] | undefined;
  return ratings?.find(({ restaurant_id }) => restaurant_id === id);
}

/** The rating that was not sent yet, which the service knows nothing of. */
function waitingRating(id: number): Rating | undefined {
  const last = state.outbox.findLast(
    ({ path, place, state }) =>
      place === `restaurant ${id}` && path.startsWith('/ratings') && state !== 'refused',
  );
  if (!last || last.method === 'DELETE') return undefined;
  const own = last.method === 'POST' ? localId(last.key) : last.path.slice('/ratings/'.length);
  return { ...Object(last.body), id: own, restaurant_id: id };
}

export const ratingUrl = (id: number) => `/ratings?user=me&restaurant_id=${id}&limit=1`;

const timers = new Map<number, ReturnType<typeof setTimeout>>();

/** Chooses stars; they are saved when nothing was changed for 0.9 s. */
export function chooseStars(
  place: Pick<Restaurant, 'id' | 'name'>,
  kind: (typeof KINDS)[number],
  value: number,
) {
  const { comment, ...stars } = starsOf(place.id);
  setDraft(`rate ${place.id}`, { ...choose(stars, kind, value), comment });
  later(place);
}

export function writeComment(place: Pick<Restaurant, 'id' | 'name'>, comment: string) {
  setDraft(`rate ${place.id}`, { ...starsOf(place.id), comment });
  later(place);
}

function later(place: Pick<Restaurant, 'id' | 'name'>) {
  clearTimeout(timers.get(place.id));
  timers.set(
    place.id,
    setTimeout(() => saveRating(place), SETTLED),
  );
}

/** Saves at once what was chosen, if anything was. */
export function saveRating(place: Pick<Restaurant, 'id' | 'name'>) {
  clearTimeout(timers.get(place.id));
  timers.delete(place.id);
  const stars = readDraft(`rate ${place.id}`);
  if (stars?.food === undefined) return;
  sendRating(place, stars);
}

/** The last rating of each place on its way: they go one after the other. */
const turns = new Map<number, Promise<void>>();

const sendRating = needsUser(
  'rate',
  (place: Pick<Restaurant, 'id' | 'name'>, stars: Required<Stars> & { comment?: string }) => {
    const turn = turns.get(place.id) ?? Promise.resolve();
    turns.set(
      place.id,
      turn.then(() => storeRating(place, stars)),
    );
  },
);

async function storeRating(
  { id, name }: Pick<Restaurant, 'id' | 'name'>,
  stars: Required<Stars> & { comment?: string },
) {
  const before = await ratedBefore(id);
  const body = {
    food_rating: stars.food,
    service_rating: stars.service,
    ambiance_rating: stars.ambiance,
    // A comment that was not loaded yet cannot have been changed.
    comment: (stars.comment ?? before?.comment) || null,
  };
  // Unless something else was chosen meanwhile, which is saved in its turn.
  if (JSON.stringify(readDraft(`rate ${id}`)) === JSON.stringify(stars)) setDraft(`rate ${id}`, undefined);
  const outcome = await act({
    ...(before
      ? { method: 'PUT', path: `/ratings/${before.id}`, body }
      : { method: 'POST', path: '/ratings', body: { restaurant_id: id, ...body } }),
    said: fill(words.rated, { name, stars: KINDS.map((kind) => stars[kind]).join(' · ') }),
    label: fill(words.rating, { name }),
    place: `restaurant ${id}`,
    touches: own(id),
    change: (edit) => {
      alterPlace(edit, id, ({ avg_rating: means }) => ({ avg_rating: meansWith(means, body, before) }));
      const shown = { ...before, ...body, id: before?.id ?? 0, restaurant_id: id };
      edit(ratingUrl(id), () => [shown]);
    },
  });
  // The next choice changes this rating, even before it was asked for again.
  if (outcome.ok && outcome.body)
    update(({ data }) => Object.assign(data[ratingUrl(id)] ?? {}, { body: [outcome.body] }));
}

/** What the person rated before, asked for where it is not known: a second rating beside it would count twice. */
async function ratedBefore(id: number): Promise<Rating | undefined> {
  if (waitingRating(id) || state.data[ratingUrl(id)]?.body !== undefined) return ownRating(id);
  try {
    return (await call('GET', ratingUrl(id))).body[0];
  } catch {
    return undefined;
  }
}

/** @param rating its id */
export const deleteRating = ({ id, name }: Pick<Restaurant, 'id' | 'name'>, rating: number) =>
  act({
    method: 'DELETE',
    path: `/ratings/${rating}`,
    said: fill(words.deleted, { name }),
    label: fill(words.deleted, { name }),
    place: `restaurant ${id}`,
    touches: [...own(id), '/restaurants/paginated', '/search'],
  });
