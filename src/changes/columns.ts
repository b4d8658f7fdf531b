import type { Action, Kind } from '../storage/change-log.ts';
import type { ChangeRow } from './record.ts';

/** The columns of `selectChange`: rows of a page come as arrays, since objects take twice the time. */
export type Columns = readonly [
  ...[id: number, at: string, kind: Kind, entityId: number, restaurantId: number | null, action: Action],
  ...[name: string, fields: string | null, before: string | null, after: string | null],
  ...[ownerId: number | null, actorId: number | null, username: string | null],
  ...[tokenId: number | null, tokenName: string | null, via: 'api' | 'cli', requestId: string | null],
  ...[writeId: number, batchId: number | null, reverts: number | null, revertedBy: number | null],
  keptUntil: string | null,
];

/** The change that they are. */
export function rowOf(columns: Columns): ChangeRow {
  const [id, at, kind, entity_id, restaurant_id, action, name, fields, before, after, ...people] = columns;
  const [owner_id, actor_id, username, token_id, token_name, via, request_id, ...writes] = people;
  const [write_id, batch_id, reverts, reverted_by, kept_until] = writes;
  return {
    id,
    at,
    kind,
    entity_id,
    restaurant_id,
    action,
    name,
    fields,
    before,
    after,
    owner_id,
    actor_id,
    username,
    token_id,
    token_name,
    via,
    request_id,
    write_id,
    batch_id,
    reverts,
    reverted_by,
    kept_until,
  };
}
