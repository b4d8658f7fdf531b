import { listed } from '../base/format.js';
import { fill, texts } from '../base/texts.js';
import { act, alters, needsUser } from './actions.js';
import { call } from '../base/api.js';
import { invalidateBy } from './data.js';
import { localId } from './outbox.js';
import { MARKS, allMarks, marksOf, waitingFor } from './places.js';
import { navigate } from './router.js';
import { answer, readDraft, setDraft, state, update } from './store.js';
import { type Entry, type Named, type Rating, trust } from '../base/types.js';

const words = texts.place;
const common = texts.common;

/** The address of a place with all that its page shows. */
export const placeUrl = (id: number) => `/restaurants/${id}?open_at=now&include=cover,photos,ratings`;

/** "I was here": a visit today. */
export const been = needsUser('been', ({ id, name }: Named) => {
  const said = fill(words.been, { name });
  void act({
    method: 'POST',
    path: '/visits',
    body: { restaurant_id: id },
    said,
    label: said,
    place: `restaurant ${id}`,
    next: (visit) => ({ text: texts.visits.write, run: () => navigate(`/visits?write=${visit.id}`) }),
  });
});

/** Puts a place on the list of those to go to, or takes it off. */
export const toggleWant = needsUser('want', (place: Named) => {
  void setOnList(place, 'want', !marksOf(place.id)?.want);
});

/** Puts a place on a list (its id, `want` or `favourites`) or takes it off. `title` is what the list is called. */
export function setOnList({ id, name }: Named, list: string | number, isOn: boolean, title = common.want) {
  const said = fill(isOn ? words.onList : words.offList, { name, list: title });
  const counted = (one: { id: number; kind?: string; item_count: number }) =>
    one.id === list || one.kind === list ? { ...one, item_count: one.item_count + (isOn ? 1 : -1) } : one;
  return act({
    method: isOn ? 'PUT' : 'DELETE',
    path: `/lists/${list}/items/${id}`,
    body: isOn ? {} : undefined,
    said,
    label: said,
    place: `restaurant ${id}`,
    change: alters('/lists', (lists: unknown) => (Array.isArray(lists) ? lists.map(counted) : lists)),
  });
}

const SETTLED = 900;

export const KINDS = ['food', 'service', 'ambiance'] as const;
type Kind = (typeof KINDS)[number];

/** What was chosen for a rating. Those named in `drafts` were filled by the first choice and not by the person. */
type RatingDraft = Partial<Record<Kind, number>> & { comment?: string; drafts: readonly string[] };

/** What the person chose and did not yet save, over what was saved before. */
export function starsOf(id: number): RatingDraft {
  const draft = readDraft<RatingDraft>(`rate ${id}`);
  const rating = ownRating(id);
  if (draft || !rating) return draft ?? { drafts: [] };
  const { food_rating: food, service_rating: service, ambiance_rating: ambiance, comment } = rating;
  return { food, service, ambiance, comment: comment ?? '', drafts: [] };
}

const ratingUrl = (id: number) => `/ratings?user=me&restaurant_id=${id}&limit=1`;

/** The user's newest rating of a place; undefined where there is none, or it is not known yet. */
export function ownRating(id: number): Rating | undefined {
  const own = marksOf(id)?.rating_id;
  return (
    waitingRating(id) ??
    answer<readonly Rating[]>(ratingUrl(id))?.[0] ??
    answer<readonly Rating[]>(`/restaurants/${id}/ratings?limit=20`)?.find((rating) => rating.id === own)
  );
}

/** The rating that was not sent yet, which the service knows nothing of. */
function waitingRating(id: number): Rating | undefined {
  const last = waitingFor(id).findLast(({ path }) => path.startsWith('/ratings'));
  if (!last || last.method === 'DELETE') return undefined;
  const own = last.method === 'POST' ? localId(last.key) : last.path.slice('/ratings/'.length);
  return { ...trust<Rating>(last.body), id: trust(own), restaurant_id: id };
}

/** The addresses to ask for the user's rating of a place, where it is not known yet. */
export function ratingNeeds(id: number): string[] {
  // The marks say whether there is one.
  const isUnknown = !allMarks() && state.data[MARKS]?.state !== 'failed';
  if (!state.session.user || isUnknown || marksOf(id)?.rating_id === null) return [];
  return !ownRating(id) || state.data[ratingUrl(id)] ? [ratingUrl(id)] : [];
}

const timers = new Map<number, ReturnType<typeof setTimeout>>();

/** Remembers what was chosen; it is saved when nothing was changed for 0.9 s. */
function draftRating(place: Named, draft: RatingDraft) {
  setDraft(`rate ${place.id}`, draft);
  clearTimeout(timers.get(place.id));
  timers.set(place.id, setTimeout(saveRating, SETTLED, place));
}

/** A choice in one row; the first choice of all fills the other rows as drafts. */
export function chooseStars(place: Named, kind: Kind, value: number) {
  const stars = starsOf(place.id);
  const isFirst = KINDS.every((one) => stars[one] === undefined);
  const drafts = (isFirst ? KINDS : stars.drafts).filter((one) => one !== kind);
  const others = isFirst && { food: value, service: value, ambiance: value };
  draftRating(place, { ...stars, ...others, [kind]: value, drafts });
}

export const writeComment = (place: Named, comment: string) =>
  draftRating(place, { ...starsOf(place.id), comment });

/** Saves at once what was chosen, if anything was. */
export function saveRating(place: Named) {
  clearTimeout(timers.get(place.id));
  const draft = readDraft<RatingDraft>(`rate ${place.id}`);
  // The first choice fills all rows.
  if (draft?.food !== undefined) sendRating(place, trust(draft));
}

/** The last rating of each place on its way: they go one after the other. */
const turns = new Map<number, Promise<void>>();

const sendRating = needsUser('rate', (place: Named, draft: RatingDraft & Record<Kind, number>) => {
  const before = turns.get(place.id);
  turns.set(
    place.id,
    Promise.resolve(before).then(() => storeRating(place, draft)),
  );
});

async function storeRating({ id, name }: Named, draft: RatingDraft & Record<Kind, number>) {
  const before = await ratedBefore(id);
  const isKnown = state.places.has(id);
  const { food, service, ambiance } = draft;
  // A comment that was not loaded yet cannot have been changed.
  const text = draft.comment ?? before?.comment ?? '';
  const comment = text === '' ? null : text;
  const body = { food_rating: food, service_rating: service, ambiance_rating: ambiance, comment };
  // Unless something else was chosen meanwhile, which is saved in its turn.
  if (JSON.stringify(readDraft(`rate ${id}`)) === JSON.stringify(draft)) setDraft(`rate ${id}`, undefined);
  const isSame = KINDS.every((kind) => draft[kind] === food);
  const each = listed(KINDS.map((kind) => `${common.kinds[kind]} ${draft[kind]}`));
  const stars = isSame ? fill(common.stars, { count: food }) : each;
  const outcome = await act<Rating>({
    ...(before
      ? { method: 'PUT', path: `/ratings/${before.id}`, body }
      : { method: 'POST', path: '/ratings', body: { restaurant_id: id, ...body } }),
    said: fill(texts.rating.rated, { name, stars }),
    label: fill(texts.rating.rating, { name }),
    place: `restaurant ${id}`,
    before: before ?? null,
  });
  if (!outcome.ok || outcome.queued) return;
  // Right after a sign-in the screen is still being asked for, and may be answered with the means of before.
  if (!isKnown) invalidateBy('rating');
  // The next choice changes this rating, even before it was asked for again.
  const entry: Entry = { state: 'ok', body: [outcome.body], at: Date.now() };
  update(({ data }) => (data[ratingUrl(id)] = entry));
}

/** What the person rated before, asked for where it is not known: a second one in addition would count twice. */
async function ratedBefore(id: number): Promise<Rating | undefined> {
  const known = ownRating(id);
  if (known || marksOf(id)?.rating_id === null) return known;
  const found = await call<readonly Rating[]>('GET', ratingUrl(id)).catch(() => undefined);
  return found?.body[0];
}

export async function deleteRating({ id, name }: Named, ratingId: number) {
  const said = fill(texts.rating.deleted, { name });
  const [path, place] = [`/ratings/${ratingId}`, `restaurant ${id}`];
  const outcome = await act({ method: 'DELETE', path, said, label: said, place });
  // Only the service knows the means without it.
  if (outcome.ok) invalidateBy('rating');
}
