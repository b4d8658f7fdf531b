import type { Point } from '../../index/geo.ts';
import type { Position, Sort } from '../../index/request.ts';
import { Sealer } from '../../kit/input/sealed.ts';

/** The lists that a cursor is valid for: one sort, and for distances one centre. */
export interface CursorScope {
  readonly sort: Sort;
  readonly centre: Point | undefined;
}

/** The start of a page: a position, and the instant at which opening hours are evaluated. */
export interface PageStart extends Position {
  /** Milliseconds since 1970; undefined if the list does not depend on the current time. */
  readonly now?: number | undefined;
}

/** Seals positions into opaque cursors that only this service can create. */
export class PageCursors {
  readonly #sealer: Sealer;

  /** Cursors stay valid as long as `key` does. */
  constructor(key: Buffer) {
    this.#sealer = new Sealer(key);
  }

  seal(scope: CursorScope, { key, id, now }: PageStart): string {
    return this.#sealer.seal(scopeText(scope), now === undefined ? [key, id] : [key, id, now]);
  }

  /** Undefined for a text that was not sealed here, or was sealed for another scope. */
  open(scope: CursorScope, cursor: string): PageStart | undefined {
    const opened = this.#sealer.open(scopeText(scope), cursor);
    const parts: readonly unknown[] = Array.isArray(opened) ? opened : [];
    const [key, id, now] = parts;
    if (typeof id !== 'number') return undefined;
    if (typeof key !== 'string' && typeof key !== 'number' && key !== null) return undefined;
    return { key, id, ...(typeof now === 'number' && { now }) };
  }
}

function scopeText({ sort, centre }: CursorScope): string {
  const place = sort === 'distance' && centre ? `${centre.latitude},${centre.longitude}` : '';
  return `packed ${sort}(${place}):`;
}
