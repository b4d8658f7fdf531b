import { fill, texts } from '../base/texts.js';
import type { Named, Restaurant, State } from '../base/types.js';
import { act, needsUser } from './actions.js';
import { navigate } from './router.js';
import { marksOf, withList } from './places.js';

const words = texts.place;

/** The address of a place with all that its page shows. */
export const placeUrl = (id: number) => `/restaurants/${id}?open_at=now&include=cover,photos,ratings`;

/** A place as any answer has shown it. */
export const knownPlace = ({ places }: State, id: number): Restaurant | undefined => places.get(id);

/** "I was here": a visit today. */
export const been = needsUser('been', ({ id, name }: Named) => {
  void act({
    method: 'POST',
    path: '/visits',
    body: { restaurant_id: id },
    said: fill(words.been, { name }),
    label: fill(words.been, { name }),
    place: `restaurant ${id}`,
    next: (visit) => ({ text: texts.visits.write, run: () => navigate(`/visits?write=${visit.id}`) }),
    change: (edit) => edit.marks(id, (marks) => ({ ...marks, visits: marks.visits + 1 })),
  });
});

/** Puts a place on the list of those to go to, or takes it off. */
export const toggleWant = needsUser('want', (place: Named) => {
  void setOnList(place, 'want', !marksOf(place.id)?.want);
});

/**
 * Puts a place on a list or takes it off.
 * @param list its id, `want` or `favourites`
 * @param title what it is called
 */
export function setOnList(
  { id, name }: Named,
  list: string | number,
  isOn: boolean,
  title = texts.common.want,
) {
  const said = fill(isOn ? words.onList : words.offList, { name, list: title });
  return act({
    method: isOn ? 'PUT' : 'DELETE',
    path: `/lists/${list}/items/${id}`,
    ...(isOn && { body: {} }),
    said,
    label: said,
    place: `restaurant ${id}`,
    change(edit) {
      edit.marks(id, (marks) => withList(marks, String(list), isOn));
      edit.answers('/lists', (lists: unknown) =>
        Array.isArray(lists) ? lists.map(counted(list, isOn)) : lists,
      );
    },
  });
}

/** A list with one place more or less, where it is the one that is meant. */
const counted =
  (list: string | number, isOn: boolean) => (one: { id: number; kind?: string; item_count: number }) => {
    const isMeant = one.id === list || (typeof one.kind === 'string' && one.kind === list);
    return isMeant ? { ...one, item_count: one.item_count + (isOn ? 1 : -1) } : one;
  };
