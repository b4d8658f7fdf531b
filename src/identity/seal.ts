import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Proofs } from './provider.ts';

/** Binds sealed texts to this service, by 32 bytes, and to one provider. */
export interface SealKey {
  readonly key: Buffer;
  readonly provider: string;
}

/** Proofs that were sealed, and when. */
export interface Opened {
  readonly proofs: Proofs;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Seconds in which a sign-in has to end. */
export const LIFETIME_SECONDS = 600;

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The proofs of a sign-in as a text that only this service can make and read. */
export function seal({ key, provider }: SealKey, { proofs, at }: Opened): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(provider));
  const text = JSON.stringify([proofs.state, proofs.nonce, proofs.verifier, at]);
  const parts = [iv, cipher.update(text), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(parts).toString('base64url');
}

/** Undefined for a text that was not sealed here, is for another provider, or is older than its life. */
export function open({ key, provider }: SealKey, sealed: string, now: number): Opened | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length <= IV_BYTES + TAG_BYTES) return undefined;
  try {
    const iv = bytes.subarray(0, IV_BYTES);
    const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(provider)).setAuthTag(bytes.subarray(-TAG_BYTES));
    const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
    return parseOpened(JSON.parse(text.toString()), now);
  } catch {
    return undefined;
  }
}

/** An opened text, unless it is older than its life or from the future. */
function parseOpened(opened: unknown, now: number): Opened | undefined {
  const [state, nonce, verifier, at] = Array.isArray(opened) ? opened.map((part): unknown => part) : [];
  if (typeof state !== 'string' || typeof nonce !== 'string' || typeof verifier !== 'string')
    return undefined;
  const isFresh = typeof at === 'number' && at <= now && now - at < LIFETIME_SECONDS * 1000;
  return isFresh ? { proofs: { state, nonce, verifier }, at } : undefined;
}
