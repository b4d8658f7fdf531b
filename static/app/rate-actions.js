import { act, needsUser } from './actions.js';
import { call } from './api.js';
import { localId } from './outbox.js';
import { alterPlace, own } from './place-actions.js';
import { readDraft, setDraft, state, update } from './store.js';
import { define } from './texts.js';
import { KINDS, choose } from './ui/stars.js';

/** @import { Means, Rating, Restaurant } from './types.js' */
/** @import { Stars } from './ui/stars.js' */

const SETTLED = 900;

const words = define({
  rated: (/** @type {string} */ name, /** @type {string} */ stars) => `Rated ${name} ${stars}`,
  rating: (/** @type {string} */ name) => `Rating of ${name}`,
  deleted: (/** @type {string} */ name) => `Your rating of ${name} is deleted`,
});

/**
 * The means after a rating came in for another one, or for none.
 * @param {Means} means
 * @param {Pick<Rating, 'food_rating' | 'service_rating' | 'ambiance_rating'>} next
 * @param {Pick<Rating, 'food_rating' | 'service_rating' | 'ambiance_rating'> | undefined} before
 * @returns {Means}
 */
export function meansWith(means, next, before) {
  const count = means.count + (before ? 0 : 1);
  const [food, service, ambiance] = KINDS.map(
    (kind) =>
      (means[kind] * means.count + next[`${kind}_rating`] - (before?.[`${kind}_rating`] ?? 0)) / count,
  );
  const all = { food: food ?? 0, service: service ?? 0, ambiance: ambiance ?? 0 };
  return { ...all, overall: (all.food + all.service + all.ambiance) / 3, count };
}

/**
 * What the person chose and did not yet save, over what was saved before.
 * @param {number} id
 * @returns {Stars & { comment?: string }}
 */
export function starsOf(id) {
  const draft = readDraft(`rate ${id}`);
  if (draft) return draft;
  const rating = ownRating(id);
  if (!rating) return { drafts: [] };
  const { food_rating: food, service_rating: service, ambiance_rating: ambiance, comment } = rating;
  return { food, service, ambiance, comment: comment ?? '', drafts: [] };
}

/**
 * The user's newest rating of a place, where it is known.
 * @param {number} id
 * @returns {Rating | undefined}
 */
export function ownRating(id) {
  const waiting = waitingRating(id);
  if (waiting) return waiting;
  const ratings = /** @type {Rating[] | undefined} */ (state.data[ratingUrl(id)]?.body);
  return ratings?.find(({ restaurant_id }) => restaurant_id === id);
}

/**
 * The rating that was not sent yet, which the service knows nothing of.
 * @param {number} id
 * @returns {Rating | undefined}
 */
function waitingRating(id) {
  const last = state.outbox.findLast(
    ({ path, place, state }) =>
      place === `restaurant ${id}` && path.startsWith('/ratings') && state !== 'refused',
  );
  if (!last || last.method === 'DELETE') return undefined;
  const own = last.method === 'POST' ? localId(last.key) : last.path.slice('/ratings/'.length);
  return { ...Object(last.body), id: own, restaurant_id: id };
}

/** @param {number} id */
export const ratingUrl = (id) => `/ratings?user=me&restaurant_id=${id}&limit=1`;

/** @type {Map<number, ReturnType<typeof setTimeout>>} */
const timers = new Map();

/**
 * Chooses stars; they are saved when nothing was changed for 0.9 s.
 * @param {Pick<Restaurant, 'id' | 'name'>} place
 * @param {typeof KINDS[number]} kind
 * @param {number} value
 */
export function chooseStars(place, kind, value) {
  const { comment, ...stars } = starsOf(place.id);
  setDraft(`rate ${place.id}`, { ...choose(stars, kind, value), comment });
  later(place);
}

/**
 * @param {Pick<Restaurant, 'id' | 'name'>} place
 * @param {string} comment
 */
export function writeComment(place, comment) {
  setDraft(`rate ${place.id}`, { ...starsOf(place.id), comment });
  later(place);
}

/** @param {Pick<Restaurant, 'id' | 'name'>} place */
function later(place) {
  clearTimeout(timers.get(place.id));
  timers.set(
    place.id,
    setTimeout(() => saveRating(place), SETTLED),
  );
}

/**
 * Saves at once what was chosen, if anything was.
 * @param {Pick<Restaurant, 'id' | 'name'>} place
 */
export function saveRating(place) {
  clearTimeout(timers.get(place.id));
  timers.delete(place.id);
  const stars = readDraft(`rate ${place.id}`);
  if (stars?.food === undefined) return;
  sendRating(place, stars);
}

/** The last rating of each place on its way: they go one after the other. @type {Map<number, Promise<void>>} */
const turns = new Map();

const sendRating = needsUser(
  'rate',
  (
    /** @type {Pick<Restaurant, 'id' | 'name'>} */ place,
    /** @type {Required<Stars> & { comment?: string }} */ stars,
  ) => {
    const turn = turns.get(place.id) ?? Promise.resolve();
    turns.set(
      place.id,
      turn.then(() => storeRating(place, stars)),
    );
  },
);

/**
 * @param {Pick<Restaurant, 'id' | 'name'>} place
 * @param {Required<Stars> & { comment?: string }} stars
 */
async function storeRating({ id, name }, stars) {
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
    said: words.rated(name, KINDS.map((kind) => stars[kind]).join(' · ')),
    label: words.rating(name),
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

/**
 * What the person rated before, asked for where it is not known: a second rating beside it would count twice.
 * @param {number} id
 * @returns {Promise<Rating | undefined>}
 */
async function ratedBefore(id) {
  if (waitingRating(id) || state.data[ratingUrl(id)]?.body !== undefined) return ownRating(id);
  try {
    return (await call('GET', ratingUrl(id))).body[0];
  } catch {
    return undefined;
  }
}

/**
 * @param {Pick<Restaurant, 'id' | 'name'>} place
 * @param {number} rating its id
 */
export const deleteRating = ({ id, name }, rating) =>
  act({
    method: 'DELETE',
    path: `/ratings/${rating}`,
    said: words.deleted(name),
    label: words.deleted(name),
    place: `restaurant ${id}`,
    touches: [...own(id), '/restaurants/paginated', '/search'],
  });
