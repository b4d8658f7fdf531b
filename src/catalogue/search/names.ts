import { firstBehind } from '../restaurants/orders.ts';
import type { Current } from '../restaurants/resident.ts';

/** The ids of rows with this name, the newest first, then of those whose names begin with it, by name. */
export function* idsByName(name: string, { rows, order }: Current): Generator<number> {
  const { id, name: names } = rows.columns();
  const slots = order('name');
  const idAt = (at: number): number => id[slots[at] ?? 0] ?? 0;
  const nameAt = (at: number): string => names[slots[at] ?? 0] ?? '';
  const start = firstBehind(slots, 0, (slot) => ((names[slot] ?? '') < name ? -1 : 1));
  const end = firstBehind(slots, start, (slot) => ((names[slot] ?? '') <= name ? -1 : 1));
  for (let at = end - 1; at >= start; at -= 1) yield idAt(at);
  for (let at = end; at < slots.length && nameAt(at).startsWith(name); at += 1) yield idAt(at);
}
