import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';

const TAG_BYTES = 16;

/** Turns JSON values into opaque texts for a URL, which stay valid as long as `key` does (HMAC, RFC 2104). */
export class Sealer {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  seal(scope: string, value: unknown): string {
    // A name may become many times longer when it is made comparable, but no richer: packed it fits into any URL.
    const payload = deflateRawSync(JSON.stringify(value));
    return Buffer.concat([this.#tagOf(scope, payload), payload]).toString('base64url');
  }

  /** The value; undefined for a text that was not sealed here, or was sealed for another scope. */
  open(scope: string, text: string): unknown {
    const bytes = Buffer.from(text, 'base64url');
    const payload = bytes.subarray(TAG_BYTES);
    if (payload.length === 0 || bytes.toString('base64url') !== text) return undefined;
    if (!timingSafeEqual(bytes.subarray(0, TAG_BYTES), this.#tagOf(scope, payload))) return undefined;
    return JSON.parse(inflateRawSync(payload).toString());
  }

  #tagOf(scope: string, payload: Buffer): Buffer {
    return createHmac('sha256', this.#key).update(scope).update(payload).digest().subarray(0, TAG_BYTES);
  }
}

/** Makes a check for `secret` that takes the same time however much of a text is right. */
export function createSecretCheck(secret: string): (shown: string | undefined) => boolean {
  // Digests have the same length whatever the text, as the comparison requires.
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const expected = digest(secret);
  return (shown) => shown !== undefined && timingSafeEqual(digest(shown), expected);
}
