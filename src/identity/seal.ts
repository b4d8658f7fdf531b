import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Proofs } from './provider.ts';

/** The proofs of a sign-in as a text that only this service can make and read. */
export interface Seal {
  readonly seal: (proofs: Proofs) => string;
  /** Undefined when it was not sealed here, is for another provider, or is older than its life. */
  readonly open: (sealed: string) => Opened | undefined;
}

/** Proofs that were sealed, and when. */
export interface Opened {
  readonly proofs: Proofs;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface SealOptions {
  /** 32 bytes. */
  readonly key: Buffer;
  readonly provider: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Seconds in which a sign-in has to end. */
export const LIFETIME_SECONDS = 600;

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Seals with AES-256-GCM, bound to one provider. */
export function createSeal({ key, provider, now }: SealOptions): Seal {
  return {
    seal: ({ state, nonce, verifier }) => {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(provider));
      const text = JSON.stringify([state, nonce, verifier, now()]);
      return Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString(
        'base64url',
      );
    },
    open: (sealed) => {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length <= IV_BYTES + TAG_BYTES) return undefined;
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), {
          authTagLength: TAG_BYTES,
        });
        decipher.setAAD(Buffer.from(provider)).setAuthTag(bytes.subarray(-TAG_BYTES));
        const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
        return parseOpened(JSON.parse(text.toString()), now());
      } catch {
        return undefined;
      }
    },
  };
}

/** An opened text, unless it is older than its life or from the future. */
function parseOpened(opened: unknown, now: number): Opened | undefined {
  const [state, nonce, verifier, at] = Array.isArray(opened) ? opened.map((part): unknown => part) : [];
  if (typeof state !== 'string' || typeof nonce !== 'string' || typeof verifier !== 'string')
    return undefined;
  const isFresh = typeof at === 'number' && at <= now && now - at < LIFETIME_SECONDS * 1000;
  return isFresh ? { proofs: { state, nonce, verifier }, at } : undefined;
}
