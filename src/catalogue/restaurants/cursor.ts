import { Sealer } from '../../kit/input/sealed.ts';
import type { Point } from './geo.ts';
import type { Position, Sort } from './positions.ts';

/** The lists that a cursor is valid for: one sort, and for distances one centre. */
export interface CursorScope {
  readonly sort: Sort;
  readonly centre: Point | undefined;
}

/** Where a page begins: behind a position, and at which instant what is open was judged. */
export interface PageStart extends Position {
  /** Milliseconds since 1970; undefined where nothing was. */
  readonly now?: number | undefined;
}

/** Turns positions into opaque strings that only this service can make. */
export interface CursorSealer {
  readonly seal: (scope: CursorScope, start: PageStart) => string;
  /** The start, or undefined for a string that was not sealed here or was sealed for another scope. */
  readonly open: (scope: CursorScope, cursor: string) => PageStart | undefined;
}

/** A sealer whose cursors stay valid as long as `key` does. */
export function createCursorSealer(key: Buffer): CursorSealer {
  const sealer = new Sealer(key);
  return {
    seal: (scope, { key: sortKey, id, now }) =>
      sealer.seal(scopeText(scope), now === undefined ? [sortKey, id] : [sortKey, id, now]),
    open: (scope, cursor) => readPayload(sealer.open(scopeText(scope), cursor)),
  };
}

function scopeText({ sort, centre }: CursorScope): string {
  const place = sort === 'distance' && centre ? `${centre.latitude},${centre.longitude}` : '';
  return `packed ${sort}(${place}):`;
}

function readPayload(payload: unknown): PageStart | undefined {
  const parts: readonly unknown[] = Array.isArray(payload) ? payload : [];
  const [key, id, now] = parts;
  if (typeof id !== 'number' || (typeof key !== 'string' && typeof key !== 'number' && key !== null))
    return undefined;
  return { key, id, ...(typeof now === 'number' && { now }) };
}
