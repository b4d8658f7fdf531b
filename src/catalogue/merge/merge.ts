import { type Write, isSame } from '../../storage/change-log.ts';
import { filledFrom, storedFieldsOf } from '../restaurants/fields.ts';
import type { RestaurantStore, WriteOutcome } from '../restaurants/store.ts';

/**
 * Deletes the restaurants `from`, moves all that belongs to them to the restaurant `id`, and fills its empty fields from
 * them, in this order. Returns undefined when one of them does not exist. Must run inside a transaction.
 */
export function mergeInto(
  restaurants: RestaurantStore,
  id: number,
  from: readonly number[],
  write: Write,
): WriteOutcome | undefined {
  const before = restaurants.get(id);
  const others = from.flatMap((other) => restaurants.get(other) ?? []);
  if (!before || others.length < from.length) return undefined;
  for (const other of others) restaurants.remove(other.id, write, id);
  const fields = storedFieldsOf(before);
  const filled = others.map(storedFieldsOf).reduce(filledFrom, fields);
  return isSame(fields, filled) ? { outcome: 'done', record: before } : restaurants.update(id, filled, write);
}
