import { fill, texts } from '../base/texts.js';
import { act, needsUser } from './actions.js';
import { call } from '../base/api.js';
import { localId } from './outbox.js';
import { affectedBy } from './affected.js';
import { invalidate } from './data.js';
import { MARKS, NO_MARKS, allMarks, marksOf, meansWith } from './places.js';
import { answer, readDraft, setDraft, state, update } from './store.js';
import { trust } from '../base/trust.js';
import type { Rating, Restaurant } from '../base/types.js';

const SETTLED = 900;

/** Stars of a rating; undefined where nothing was chosen. Drafts were filled by the first choice and not by the person. */
export interface Stars {
  food?: number;
  service?: number;
  ambiance?: number;
  drafts: readonly string[];
}

type RatingDraft = Stars & { comment?: string };
type WholeRating = Required<Stars> & RatingDraft;

/** The first choice fills all rows. */
const isWhole = (stars: RatingDraft | undefined): stars is WholeRating => stars?.food !== undefined;

export const KINDS = ['food', 'service', 'ambiance'] as const;

/** A choice in one row; the first choice of all fills the other rows as drafts. */
export function choose(stars: Stars, kind: (typeof KINDS)[number], value: number): Stars {
  const isFirst = KINDS.every((one) => stars[one] === undefined);
  if (!isFirst) return { ...stars, [kind]: value, drafts: stars.drafts.filter((one) => one !== kind) };
  return { food: value, service: value, ambiance: value, drafts: KINDS.filter((one) => one !== kind) };
}

const words = texts.rating;

/** What the person chose and did not yet save, over what was saved before. */
export function starsOf(id: number): RatingDraft {
  const draft = readDraft<RatingDraft>(`rate ${id}`);
  if (draft) return draft;
  const rating = ownRating(id);
  if (!rating) return { drafts: [] };
  const { food_rating: food, service_rating: service, ambiance_rating: ambiance, comment } = rating;
  return { food, service, ambiance, comment: comment ?? '', drafts: [] };
}

/** The user's newest rating of a place; undefined where there is none, or it is not known yet. */
export function ownRating(id: number): Rating | undefined {
  const own = marksOf(id)?.rating_id;
  return (
    waitingRating(id) ??
    answer<readonly Rating[]>(ratingUrl(id))?.[0] ??
    answer<readonly Rating[]>(`/restaurants/${id}/ratings?limit=20`)?.find((rating) => rating.id === own)
  );
}

/** The addresses to ask for the user's rating of a place, where it is not known yet. */
export function ratingNeeds(id: number): string[] {
  // The marks say whether there is one.
  const isUnknown = !allMarks() && state.data[MARKS]?.state !== 'failed';
  if (!state.session.user || isUnknown || marksOf(id)?.rating_id === null) return [];
  return !ownRating(id) || state.data[ratingUrl(id)] ? [ratingUrl(id)] : [];
}

/** The rating that was not sent yet, which the service knows nothing of. */
function waitingRating(id: number): Rating | undefined {
  const last = state.outbox.findLast(
    ({ path, place, state }) =>
      place === `restaurant ${id}` && path.startsWith('/ratings') && state !== 'refused',
  );
  if (!last || last.method === 'DELETE') return undefined;
  const own = last.method === 'POST' ? localId(last.key) : last.path.slice('/ratings/'.length);
  return { ...trust<Rating>(last.body), id: trust(own), restaurant_id: id };
}

const ratingUrl = (id: number) => `/ratings?user=me&restaurant_id=${id}&limit=1`;

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
  const stars = readDraft<RatingDraft>(`rate ${place.id}`);
  if (isWhole(stars)) sendRating(place, stars);
}

/** The last rating of each place on its way: they go one after the other. */
const turns = new Map<number, Promise<void>>();

const sendRating = needsUser('rate', (place: Pick<Restaurant, 'id' | 'name'>, stars: WholeRating) => {
  const turn = turns.get(place.id) ?? Promise.resolve();
  turns.set(
    place.id,
    turn.then(() => storeRating(place, stars)),
  );
});

async function storeRating({ id, name }: Pick<Restaurant, 'id' | 'name'>, stars: WholeRating) {
  const before = await ratedBefore(id);
  const isKnown = state.places.has(id);
  // A comment that was not loaded yet cannot have been changed.
  const comment = stars.comment ?? before?.comment ?? null;
  const body = {
    food_rating: stars.food,
    service_rating: stars.service,
    ambiance_rating: stars.ambiance,
    comment: comment === '' ? null : comment,
  };
  // What is shown until the answer is there, also where nothing was asked for before.
  state.data[ratingUrl(id)] ??= { state: 'ok', body: before ? [before] : [], at: Date.now() };
  // Unless something else was chosen meanwhile, which is saved in its turn.
  if (JSON.stringify(readDraft(`rate ${id}`)) === JSON.stringify(stars)) setDraft(`rate ${id}`, undefined);
  const outcome = await act<Rating>({
    ...(before
      ? { method: 'PUT', path: `/ratings/${before.id}`, body }
      : { method: 'POST', path: '/ratings', body: { restaurant_id: id, ...body } }),
    said: fill(words.rated, { name, stars: starsText(stars) }),
    label: fill(words.rating, { name }),
    place: `restaurant ${id}`,
    before: before ?? null,
    change(edit) {
      // What waits is added to the means whenever they are drawn, and this comes behind it.
      const means = waitingRating(id) ? undefined : state.places.get(id)?.avg_rating;
      if (means) edit.place(id, { avg_rating: meansWith(means, body, before ?? null) });
      edit.answers(ratingUrl(id), () => [{ ...before, ...body, id: before?.id ?? 0, restaurant_id: id }]);
    },
  });
  if (!outcome.ok || outcome.queued) return;
  // Right after a sign-in the screen is still being asked for, and may be answered with the means of before.
  if (!isKnown) invalidate(affectedBy([{ kind: 'rating' }]));
  // The next choice changes this rating, even before it was asked for again.
  update(({ data }) => {
    data[ratingUrl(id)] = { state: 'ok', body: [outcome.body], at: Date.now() };
    const marks = allMarks();
    if (marks) marks[id] = { ...(marks[id] ?? NO_MARKS), rating_id: outcome.body.id };
  });
}

/** "4 stars" where all three are the same, else each with its name. */
const starsText = (stars: Required<Stars>) =>
  KINDS.every((kind) => stars[kind] === stars.food)
    ? fill(texts.common.stars, { count: stars.food })
    : KINDS.map((kind) => `${texts.common.kinds[kind].toLowerCase()} ${stars[kind]}`).join(', ');

/** What the person rated before, asked for where it is not known: a second rating beside it would count twice. */
async function ratedBefore(id: number): Promise<Rating | undefined> {
  const known = ownRating(id);
  if (known || marksOf(id)?.rating_id === null) return known;
  try {
    return (await call<readonly Rating[]>('GET', ratingUrl(id))).body[0];
  } catch {
    return undefined;
  }
}

/** @param rating its id */
export async function deleteRating({ id, name }: Pick<Restaurant, 'id' | 'name'>, rating: number) {
  const outcome = await act<Rating>({
    method: 'DELETE',
    path: `/ratings/${rating}`,
    said: fill(words.deleted, { name }),
    label: fill(words.deleted, { name }),
    place: `restaurant ${id}`,
  });
  // Only the service knows the means without it.
  if (outcome.ok) invalidate(affectedBy([{ kind: 'rating' }]));
}
