import { act, needsUser } from './actions.js';
import { define } from './texts.js';

/** @import { Mine, Restaurant, State } from './types.js' */

const words = define({
  been: (/** @type {string} */ name) => `Been to ${name} today`,
  wanted: (/** @type {string} */ name) => `${name} is on your list Want to go`,
  notWanted: (/** @type {string} */ name) => `${name} is off your list Want to go`,
});

/** Where places stand in answers. */
const PLACES = ['/restaurants', '/search', '/lists/'];

/**
 * Alters a place wherever it is shown.
 * @param {import('./actions.js').Edit} edit
 * @param {number} id
 * @param {(place: Restaurant) => Partial<Restaurant>} alter
 */
export function alterPlace(edit, id, alter) {
  /** @type {(value: any) => any} */
  const visit = (value) => {
    if (Array.isArray(value)) return value.map(visit);
    if (value?.restaurant?.avg_rating) return { ...value, restaurant: visit(value.restaurant) };
    if (value?.data) return { ...value, data: value.data.map(visit) };
    return value?.id === id && value.avg_rating && !value.is_suggestion
      ? { ...value, ...alter(value) }
      : value;
  };
  for (const prefix of PLACES) edit(prefix, visit);
}

/**
 * The address of a place with what its page shows.
 * @param {State} state
 * @param {number} id
 */
export const placeUrl = ({ session }, id) =>
  `/restaurants/${id}?open_at=now${session.user ? '&include=mine' : ''}`;

/**
 * A place as its own answer has it, else as a list that was shown before.
 * @param {State} state
 * @param {number} id
 * @returns {Restaurant | undefined}
 */
export function knownPlace(state, id) {
  const own = state.data[placeUrl(state, id)]?.body;
  if (own) return /** @type {Restaurant} */ (own);
  for (const { body } of Object.values(state.data)) {
    /** @type {any} */
    const answer = body;
    const rows = Array.isArray(answer) ? answer : answer?.data;
    if (!Array.isArray(rows)) continue;
    for (const row of rows) {
      const place = row?.restaurant?.avg_rating ? row.restaurant : row;
      if (place?.id === id && place.avg_rating && !place.is_suggestion) return place;
    }
  }
  return undefined;
}

/**
 * The addresses that show a place itself. Lists of places were altered at once and are not asked for again.
 * @param {number} id
 */
export const own = (id) => [
  `/restaurants/${id}?`,
  `/restaurants/${id}/ratings`,
  '/restaurants/map',
  '/ratings',
  '/visits',
  '/lists',
];

/** "I was here": a visit today. */
export const been = needsUser('been', (/** @type {Pick<Restaurant, 'id' | 'name'>} */ { id, name }) => {
  void act({
    method: 'POST',
    path: '/visits',
    body: { restaurant_id: id },
    said: words.been(name),
    label: words.been(name),
    place: `restaurant ${id}`,
    touches: own(id),
    change: (edit) =>
      alterPlace(edit, id, ({ mine }) => (mine ? { mine: { ...mine, visits: mine.visits + 1 } } : {})),
  });
});

/** Puts a place on the list of those to go to, or takes it off. */
export const toggleWant = needsUser(
  'want',
  (/** @type {Pick<Restaurant, 'id' | 'name' | 'mine'>} */ place) => {
    setOnList(place, 'want', !place.mine?.want, (mine, want) => ({ ...mine, want }));
  },
);

/**
 * Puts a place on a list or takes it off.
 * @param {Pick<Restaurant, 'id' | 'name'>} place
 * @param {string | number} list its id, `want` or `favourites`
 * @param {boolean} isOn
 * @param {(mine: Mine, isOn: boolean) => Mine} alter
 * @param {string} [said]
 */
export function setOnList(
  { id, name },
  list,
  isOn,
  alter,
  said = (isOn ? words.wanted : words.notWanted)(name),
) {
  return act({
    method: isOn ? 'PUT' : 'DELETE',
    path: `/lists/${list}/items/${id}`,
    ...(isOn && { body: {} }),
    said,
    label: said,
    place: `restaurant ${id}`,
    touches: own(id),
    change: (edit) => alterPlace(edit, id, ({ mine }) => (mine ? { mine: alter(mine, isOn) } : {})),
  });
}
