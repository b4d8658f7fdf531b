import { isRecord, trust } from '../base/types.js';
import type { Marks, Means, Restaurant, Sending, Stars } from '../base/types.js';
import { answer, state } from './store.js';

/** The address of what the user has to do with all places. */
export const MARKS = '/me/marks';
const NO_MARKS: Marks = {
  want: false,
  favourite: false,
  lists: [],
  rating_id: null,
  visits: 0,
  last_visited_on: null,
};
// The places that were got first are forgotten first; those on the screen stay where they are shown.
const KEPT_PLACES = 10_000;

// The ids of suggestions are counted apart from those of places.
const isPlace = (value: Record<string, unknown>): value is Record<string, unknown> & Restaurant =>
  'avg_rating' in value && value.is_suggestion === false;

/**
 * Puts the places of an answer into the store, where all answers share one object for a place, so that what changes it
 * shows on every screen. A copy of earlier, which is not fresh, changes nothing that is known already.
 * @returns the answer with the shared places, and those places
 */
export function adopt(body: unknown, isFresh: boolean) {
  const places: Restaurant[] = [];
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (!isRecord(value)) return value;
    if (!isPlace(value)) {
      const part = ['data', 'items', 'restaurant', 'outing', 'options'].find((name) => isRecord(value[name]));
      return part === undefined ? value : { ...value, [part]: visit(value[part]) };
    }
    const place = state.places.get(value.id) ?? value;
    if (isFresh) Object.assign(place, value);
    state.places.set(place.id, place);
    places.push(place);
    return place;
  };
  const adopted = { body: visit(body), places };
  for (const id of [...state.places.keys()].slice(0, -KEPT_PLACES)) state.places.delete(id);
  return adopted;
}

/** What waits for a connection about a place, oldest first. */
export const unsentFor = (id: number) =>
  state.outbox.filter((one) => one.state !== 'refused' && one.place === `restaurant ${id}`);

/** The same with what is on its way; all that is drawn of the place counts it in. */
export const waitingFor = (id: number): Sending[] => [
  ...unsentFor(id),
  ...state.sending.filter(({ place }) => place === `restaurant ${id}`),
];

/** What the user has to do with each place, by its id, as the service knows it. */
export const allMarks = () => answer<{ restaurants: Record<string, Marks> }>(MARKS)?.restaurants;

/** The same for one place, with what was not sent yet; undefined while that is not known. */
export function marksOf(id: number): Marks | undefined {
  const known = allMarks();
  return known && waitingFor(id).reduce(withWaiting, known[id] ?? NO_MARKS);
}

function withWaiting(marks: Marks, { method, path }: Sending): Marks {
  if (method === 'POST' && path === '/visits') return { ...marks, visits: marks.visits + 1 };
  const list = /^\/lists\/(\w+)\/items\//.exec(path)?.[1];
  const isOn = method === 'PUT';
  if (list === undefined) return marks;
  if (list === 'want') return { ...marks, want: isOn };
  if (list === 'favourites') return { ...marks, favourite: isOn };
  const others = marks.lists.filter((one) => one !== Number(list));
  return { ...marks, lists: isOn ? [...others, Number(list)] : others };
}

/** The means of a place, with the user's ratings that were not sent yet. */
export const meansOf = ({ id, avg_rating: means }: Pick<Restaurant, 'id' | 'avg_rating'>): Means =>
  waitingFor(id).reduce(withRating, means);

/** The means after a rating came in for another one, or for none. */
function withRating(means: Means, { method, path, body, before }: Sending): Means {
  if (!path.startsWith('/ratings') || method === 'DELETE' || before === undefined) return means;
  const next = trust<Stars>(body);
  const count = means.count + (before ? 0 : 1);
  const mean = (kind: 'food' | 'service' | 'ambiance') =>
    (means[kind] * means.count + next[`${kind}_rating`] - (before?.[`${kind}_rating`] ?? 0)) / count;
  const [food, service, ambiance] = [mean('food'), mean('service'), mean('ambiance')];
  return { food, service, ambiance, overall: (food + service + ambiance) / 3, count };
}

/** Takes over into the store what was drawn of a request, since the service has it now, and what that created. */
export function keepShown({ place, ...done }: Sending, created?: { readonly id?: number }) {
  const id = Number(place?.replace('restaurant ', ''));
  const known = state.places.get(id);
  if (known) Object.assign(known, { avg_rating: withRating(known.avg_rating, done) });
  const marks = allMarks();
  if (!marks || !place) return;
  const rated = done.path === '/ratings' && created?.id !== undefined && { rating_id: created.id };
  marks[id] = { ...withWaiting(marks[id] ?? NO_MARKS, done), ...rated };
}
