import { ALL, type SliceReader, inSlices } from '../../kit/slices.ts';
import { type ItemRecord, isOwner, listJson, personOf } from '../lists/record.ts';
import type { ListStore } from '../lists/store.ts';
import { type VisitRecord, visitJson } from '../visits/record.ts';
import { ALL_VISITS, type VisitStore, visitPlaceOf } from '../visits/store.ts';

/**
 * The lists of an owner with their items, and the visits, as lines in slices. With an `email`, for an export of several users,
 * each line has it, and the lists of others that the owner joined are left out.
 */
export function* privateLines(
  lists: ListStore,
  visits: VisitStore,
  ownerId: number | null,
  email?: string | null,
): Generator<string> {
  for (let [list] = lists.part(ownerId, undefined, 1); list; [list] = lists.part(ownerId, list, 1)) {
    if (email !== undefined && !isOwner(list, ownerId)) continue;
    const { id: list_id } = list;
    yield lineOf('list', { email, ...listJson(list, ownerId) });
    // Its reader may be removed from the list meanwhile.
    const items: SliceReader<ItemRecord> = (...part) =>
      lists.find(ownerId, list_id) ? lists.items.read(list_id, ...part) : [];
    yield* linesOf('item', items, (item) => {
      const { restaurant_id: id, position, note, created_at } = item;
      const restaurant = { id, name: visits.place(id)?.name ?? null };
      return { email, list_id, restaurant, position, note, created_at, added_by: personOf(item) };
    });
  }
  const ownVisits: SliceReader<VisitRecord> = (last, limit) =>
    visits.page(ownerId, ALL_VISITS, last && visitPlaceOf(last), limit);
  yield* linesOf('visit', ownVisits, (visit) => ({ email, ...visitJson(visit) }));
}

/** Lines about elements, in slices; skips those without fields. */
export function* linesOf<Element>(
  type: string,
  read: SliceReader<Element>,
  fieldsOf: (element: Element) => object | undefined,
): Generator<string> {
  const toText = (element: Element): string | undefined => {
    const fields = fieldsOf(element);
    return fields && lineOf(type, fields);
  };
  for (const { entries } of inSlices(ALL, read, toText))
    yield Buffer.concat(entries.flatMap(({ pieces }) => pieces)).toString();
}

/** An object as a line (NDJSON) with its type. */
export function lineOf(type: string, fields: object): string {
  return `${JSON.stringify({ type, ...fields })}\n`;
}
