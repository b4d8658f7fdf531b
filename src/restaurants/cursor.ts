import { createSealer } from '../input/sealed.ts';
import type { Point } from './geo.ts';
import type { Position, Sort } from './positions.ts';

/** The lists that a cursor is valid for: one sort, and for distances one centre. */
export interface CursorScope {
  readonly sort: Sort;
  readonly centre: Point | undefined;
}

/** Turns positions into opaque strings that only this service can make. */
export interface CursorSealer {
  readonly seal: (scope: CursorScope, position: Position) => string;
  /** The position, or undefined for a string that was not sealed here or was sealed for another scope. */
  readonly open: (scope: CursorScope, cursor: string) => Position | undefined;
}

/** A sealer whose cursors stay valid as long as `key` does. */
export function createCursorSealer(key: Buffer): CursorSealer {
  const sealer = createSealer(key);
  return {
    seal: (scope, { key: sortKey, id }) => sealer.seal(scopeText(scope), [sortKey, id]),
    open: (scope, cursor) => readPayload(sealer.open(scopeText(scope), cursor)),
  };
}

function scopeText({ sort, centre }: CursorScope): string {
  const place = sort === 'distance' && centre ? `${centre.latitude},${centre.longitude}` : '';
  return `packed ${sort}(${place}):`;
}

function readPayload(payload: unknown): Position | undefined {
  const parts: readonly unknown[] = Array.isArray(payload) ? payload : [];
  const [key, id] = parts;
  if (typeof id !== 'number' || (typeof key !== 'string' && typeof key !== 'number' && key !== null))
    return undefined;
  return { key, id };
}
