import type { Subject } from '../../storage/change-log.ts';

/** The part of a change that determines which rows it may have changed. */
export interface LoggedChange {
  readonly kind: Subject['kind'];
  readonly entity_id: number;
  readonly restaurant_id: number | null;
  readonly after: unknown;
}

/** The rows that a change may have changed. */
export function rowsOf({ kind, entity_id, restaurant_id, after }: LoggedChange): readonly number[] {
  if (kind === 'suggestion') return [entity_id];
  if (kind === 'photo' || kind === 'list' || kind === 'visit') return [];
  if (restaurant_id !== null) return [restaurant_id];
  return [...idsIn(after, 'restaurant_ids'), ...idsIn(after, 'suggestion_ids')];
}

function idsIn(entity: unknown, name: string): readonly number[] {
  const ids: unknown = typeof entity === 'object' && entity !== null ? Reflect.get(entity, name) : undefined;
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'number') : [];
}
