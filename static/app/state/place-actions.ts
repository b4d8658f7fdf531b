import { fill, texts } from '../base/texts.js';
import { act, needsUser } from './actions.js';
import type { Mine, Restaurant, State } from '../base/types.js';

const words = texts.place;

/** Where places stand in answers. */
const PLACES = ['/restaurants', '/search', '/lists/'];

/** Alters a place wherever it is shown. */
export function alterPlace(
  edit: import('./actions.js').Edit,
  id: number,
  alter: (place: Restaurant) => Partial<Restaurant>,
) {
  const visit: (value: any) => any = (value) => {
    if (Array.isArray(value)) return value.map(visit);
    if (value?.restaurant?.avg_rating) return { ...value, restaurant: visit(value.restaurant) };
    if (value?.data) return { ...value, data: value.data.map(visit) };
    return value?.id === id && value.avg_rating && !value.is_suggestion
      ? { ...value, ...alter(value) }
      : value;
  };
  for (const prefix of PLACES) edit(prefix, visit);
}

/** The address of a place with what its page shows. */
export const placeUrl = ({ session }: State, id: number) =>
  `/restaurants/${id}?open_at=now${session.user ? '&include=mine' : ''}`;

/** A place as its own answer has it, else as a list that was shown before. */
export function knownPlace(state: State, id: number): Restaurant | undefined {
  const own = state.data[placeUrl(state, id)]?.body;
  if (own) return own as Restaurant;
  for (const { body } of Object.values(state.data)) {
    const answer: any = body;
    const rows = Array.isArray(answer) ? answer : answer?.data;
    if (!Array.isArray(rows)) continue;
    for (const row of rows) {
      const place = row?.restaurant?.avg_rating ? row.restaurant : row;
      if (place?.id === id && place.avg_rating && !place.is_suggestion) return place;
    }
  }
  return undefined;
}

/** The addresses that show a place itself. Lists of places were altered at once and are not asked for again. */
export const own = (id: number) => [
  `/restaurants/${id}?`,
  `/restaurants/${id}/ratings`,
  '/restaurants/map',
  '/ratings',
  '/visits',
  '/lists',
];

/** "I was here": a visit today. */
export const been = needsUser('been', ({ id, name }: Pick<Restaurant, 'id' | 'name'>) => {
  void act({
    method: 'POST',
    path: '/visits',
    body: { restaurant_id: id },
    said: fill(words.been, { name }),
    label: fill(words.been, { name }),
    place: `restaurant ${id}`,
    touches: own(id),
    change: (edit) =>
      alterPlace(edit, id, ({ mine }) => (mine ? { mine: { ...mine, visits: mine.visits + 1 } } : {})),
  });
});

/** Puts a place on the list of those to go to, or takes it off. */
export const toggleWant = needsUser('want', (place: Pick<Restaurant, 'id' | 'name' | 'mine'>) => {
  setOnList(place, 'want', !place.mine?.want, (mine, want) => ({ ...mine, want }));
});

/**
 * Puts a place on a list or takes it off.
 * @param list its id, `want` or `favourites`
 */
export function setOnList(
  { id, name }: Pick<Restaurant, 'id' | 'name'>,
  list: string | number,
  isOn: boolean,
  alter: (mine: Mine, isOn: boolean) => Mine,
  said: string = fill(isOn ? words.wanted : words.notWanted, { name }),
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
