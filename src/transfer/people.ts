import type { UserStore } from '../people/accounts/users.ts';
import { listJson } from '../people/lists/record.ts';
import type { ListStore } from '../people/lists/store.ts';
import { type VisitRecord, visitJson } from '../people/visits/record.ts';
import { ALL_VISITS, type VisitStore } from '../people/visits/store.ts';

/** The stores of what people have for themselves. */
export interface PeopleStores {
  readonly users: Pick<UserStore, 'list'>;
  readonly lists: ListStore;
  readonly visits: VisitStore;
}

/** The types of the lines about people; an import leaves them out. */
export const PEOPLE_TYPES: readonly unknown[] = ['list', 'item', 'visit'];

const SLICE = 200;

/**
 * The lists with their items, and the visits, of all users as lines of an export, with the email of each; null for the
 * placeholder of mode none. Restaurants have their ids of the same export.
 */
export function* peopleLines({ users, lists, visits }: PeopleStores): Generator<string> {
  const owners = [{ id: null, email: null }, ...users.list()];
  for (const { id, email } of owners) {
    for (const line of listsOf(id, lists, visits)) yield written(email, line);
    for (const line of visitsOf(id, visits)) yield written(email, line);
  }
}

function written(email: string | null, { type, ...fields }: Line): string {
  return `${JSON.stringify({ type, email, ...fields })}\n`;
}

interface Line {
  readonly type: string;
}

function* listsOf(ownerId: number | null, lists: ListStore, places: VisitStore): Generator<Line> {
  for (const list of lists.ofOwner(ownerId)) {
    yield { type: 'list', ...listJson(list) };
    for (const items of lists.items.slices(list.id, { offset: 0, limit: undefined }, SLICE))
      for (const { restaurant_id: id, position, note, created_at } of items) {
        const restaurant = { id, name: places.place(id)?.name ?? null };
        const item = { type: 'item', list_id: list.id, restaurant, position, note, created_at };
        yield item;
      }
  }
}

function* visitsOf(ownerId: number | null, visits: VisitStore): Generator<Line> {
  let last: VisitRecord | undefined;
  do {
    const after = last && { visitedOn: last.visited_on, id: last.id };
    const slice = [...visits.page(ownerId, ALL_VISITS, after, SLICE)];
    for (const visit of slice) yield { type: 'visit', ...visitJson(visit) };
    last = slice.at(-1);
  } while (last);
}
