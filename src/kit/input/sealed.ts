import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';

const TAG_BYTES = 16;
// Normalising a name may make it many times longer, but not richer: compressed it fits into a URL. Compressing takes longer
// than all else, so short texts stay as they are.
const SHORT = 200;
/** Marks the scopes of texts that are not compressed. */
const PLAIN = 'plain ';

/** Seals JSON values into opaque text for URLs, valid as long as `key` is (HMAC, RFC 2104). */
export class Sealer {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  seal(scope: string, value: unknown): string {
    const text = Buffer.from(JSON.stringify(value));
    const isShort = text.length <= SHORT;
    const payload = isShort ? text : deflateRawSync(text);
    const tag = this.#tagOf(isShort ? PLAIN + scope : scope, payload);
    return Buffer.concat([tag, payload]).toString('base64url');
  }

  /** The value; undefined if the text was not sealed with this key and scope. */
  open(scope: string, text: string): unknown {
    const bytes = Buffer.from(text, 'base64url');
    const payload = bytes.subarray(TAG_BYTES);
    if (payload.length === 0 || bytes.toString('base64url') !== text) return undefined;
    const isSealedFor = (one: string): boolean =>
      timingSafeEqual(bytes.subarray(0, TAG_BYTES), this.#tagOf(one, payload));
    if (isSealedFor(PLAIN + scope)) return JSON.parse(payload.toString());
    return isSealedFor(scope) ? JSON.parse(inflateRawSync(payload).toString()) : undefined;
  }

  #tagOf(scope: string, payload: Buffer): Buffer {
    return createHmac('sha256', this.#key).update(scope).update(payload).digest().subarray(0, TAG_BYTES);
  }
}

/** Returns a check for `secret` that takes the same time however much of the text is right. */
export function createSecretCheck(secret: string): (shown: string | undefined) => boolean {
  // Digests have equal lengths, which the comparison requires.
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const expected = digest(secret);
  return (shown) => shown !== undefined && timingSafeEqual(digest(shown), expected);
}
