import { createHmac, timingSafeEqual } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Point } from './geo.ts';
import type { Position, Sort } from './order.ts';

/** What a cursor is good for: one sort, and for distances one centre. */
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

const TAG_BYTES = 16;

/** A sealer whose cursors stay valid as long as `key` does. */
export function createCursorSealer(key: Buffer): CursorSealer {
  const tagOf = (scope: CursorScope, payload: Buffer): Buffer =>
    createHmac('sha256', key).update(scopeText(scope)).update(payload).digest().subarray(0, TAG_BYTES);

  return {
    seal: (scope, { key: sortKey, id }) => {
      // A name may become many times longer when it is made comparable, but no richer: packed it fits into any URL.
      const payload = deflateRawSync(JSON.stringify([sortKey, id]));
      return Buffer.concat([tagOf(scope, payload), payload]).toString('base64url');
    },
    open: (scope, cursor) => {
      const bytes = Buffer.from(cursor, 'base64url');
      const payload = bytes.subarray(TAG_BYTES);
      if (payload.length === 0 || bytes.toString('base64url') !== cursor) return undefined;
      if (!timingSafeEqual(bytes.subarray(0, TAG_BYTES), tagOf(scope, payload))) return undefined;
      return readPayload(JSON.parse(inflateRawSync(payload).toString()));
    },
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
