import { hash } from 'node:crypto';
import type { Sealer } from '../kit/input/sealed.ts';
import type { ChangeRow } from './record.ts';

/** The direction in which the log is read. */
export type LogOrder = 'oldest' | 'newest';

/** A place in the log: after a change. `mark` identifies the change, since a restored database may reuse its id. */
export interface LogPosition {
  /** 0: before all changes. */
  readonly id: number;
  readonly mark: string;
}

const MARK_LENGTH = 12;

/** A place as an opaque cursor that only this service can create. */
export function sealLogPosition(sealer: Sealer, order: LogOrder, { id, mark }: LogPosition): string {
  return sealer.seal(order, [id, mark]);
}

/** The place of a cursor; undefined for a text that was not sealed here, or was sealed for the other order. */
export function openLogPosition(sealer: Sealer, order: LogOrder, cursor: string): LogPosition | undefined {
  const opened = sealer.open(order, cursor);
  const [id, mark] = Array.isArray(opened) ? opened.map((part): unknown => part) : [];
  return typeof id === 'number' && typeof mark === 'string' ? { id, mark } : undefined;
}

type Marked = Pick<ChangeRow, 'id' | 'at' | 'kind' | 'entity_id' | 'action' | 'request_id'>;

/** The place after a change. The mark must not depend on data that the erasure of an account changes. */
export function logPositionOf({ id, at, kind, entity_id, action, request_id }: Marked): LogPosition {
  const text = JSON.stringify([at, kind, entity_id, action, request_id]);
  return { id, mark: hash('sha256', text, 'base64url').slice(0, MARK_LENGTH) };
}
