import { hash } from 'node:crypto';
import { Sealer } from '../kit/input/sealed.ts';
import type { ChangeRow } from './record.ts';

/** The direction in which the log is read. */
export type Order = 'oldest' | 'newest';

/** A place in the log: after a change. `mark` identifies the change, since a restored database may reuse its id. */
export interface Place {
  /** 0: before all changes. */
  readonly id: number;
  readonly mark: string;
}

const MARK_LENGTH = 12;

/** Seals places as opaque cursors that only this service can create. */
export class ChangeCursors {
  readonly #sealer: Sealer;

  constructor(key: Buffer) {
    this.#sealer = new Sealer(key);
  }

  seal(order: Order, { id, mark }: Place): string {
    return this.#sealer.seal(order, [id, mark]);
  }

  /** Undefined for a text that was not sealed here, or was sealed for the other order. */
  open(order: Order, text: string): Place | undefined {
    const opened = this.#sealer.open(order, text);
    const [id, mark] = Array.isArray(opened) ? opened.map((part): unknown => part) : [];
    return typeof id === 'number' && typeof mark === 'string' ? { id, mark } : undefined;
  }
}

type Marked = Pick<ChangeRow, 'id' | 'at' | 'kind' | 'entity_id' | 'action' | 'request_id'>;

/** The place after a change. The mark must not depend on data that the erasure of an account changes. */
export function placeOf({ id, at, kind, entity_id, action, request_id }: Marked): Place {
  const text = JSON.stringify([at, kind, entity_id, action, request_id]);
  return { id, mark: hash('sha256', text, 'base64url').slice(0, MARK_LENGTH) };
}
