import { createHmac, timingSafeEqual } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** Turns JSON values into opaque texts for a URL that only this service can make. */
export interface Sealer {
  readonly seal: (scope: string, value: unknown) => string;
  /** The value; undefined for a text that was not sealed here, or was sealed for another scope. */
  readonly open: (scope: string, text: string) => unknown;
}

const TAG_BYTES = 16;

/** A sealer whose texts stay valid as long as `key` does (HMAC, RFC 2104). */
export function createSealer(key: Buffer): Sealer {
  const tagOf = (scope: string, payload: Buffer): Buffer =>
    createHmac('sha256', key).update(scope).update(payload).digest().subarray(0, TAG_BYTES);
  return {
    seal: (scope, value) => {
      // A name may become many times longer when it is made comparable, but no richer: packed it fits into any URL.
      const payload = deflateRawSync(JSON.stringify(value));
      return Buffer.concat([tagOf(scope, payload), payload]).toString('base64url');
    },
    open: (scope, text) => {
      const bytes = Buffer.from(text, 'base64url');
      const payload = bytes.subarray(TAG_BYTES);
      if (payload.length === 0 || bytes.toString('base64url') !== text) return undefined;
      if (!timingSafeEqual(bytes.subarray(0, TAG_BYTES), tagOf(scope, payload))) return undefined;
      const value: unknown = JSON.parse(inflateRawSync(payload).toString());
      return value;
    },
  };
}
