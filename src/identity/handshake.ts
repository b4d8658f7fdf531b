import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { Proofs } from './provider.ts';

/** Binds a sign-in to the browser that began it: state, nonce and PKCE verifier in one sealed cookie, good once. */
export interface Handshakes {
  /** New proofs, the PKCE challenge, and the value of the Set-Cookie header that carries them. */
  readonly begin: () => { readonly proofs: Proofs; readonly challenge: string; readonly cookie: string };
  /** The proofs that `begin` gave this browser; undefined when the state is another one, too old, or was used before. */
  readonly finish: (cookieHeader: string | undefined, state: string) => Proofs | undefined;
  /** The Set-Cookie header that removes the cookie. */
  readonly clear: string;
}

export interface HandshakeOptions {
  /** 32 bytes. */
  readonly key: Buffer;
  /** Told apart by its name: a handshake with one provider is none with another. */
  readonly provider: string;
  /** Whether the callback is under https. */
  readonly secure: boolean;
  /** Milliseconds since 1970; a test may bring its own. */
  readonly now?: () => number;
}

const LIFETIME_SECONDS = 600;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const MAX_USED = 10_000;

/** Opens the handshakes with one provider. */
export function createHandshakes({ key, provider, secure, now = Date.now }: HandshakeOptions): Handshakes {
  const name = `${secure ? '__Host-' : ''}sign_in_${provider}`;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  const used = new Set<string>();

  function seal(proofs: Proofs): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(provider));
    const text = JSON.stringify([proofs.state, proofs.nonce, proofs.verifier, now()]);
    return Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString(
      'base64url',
    );
  }

  function open(sealed: string): Proofs | undefined {
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes.length <= IV_BYTES + TAG_BYTES) return undefined;
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(provider)).setAuthTag(bytes.subarray(-TAG_BYTES));
      const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
      return parseProofs(JSON.parse(text.toString()), now());
    } catch {
      return undefined;
    }
  }

  return {
    begin: () => {
      const [state, nonce, verifier] = [randomSecret(), randomSecret(), randomSecret()];
      const proofs = { state, nonce, verifier };
      return {
        proofs,
        challenge: createHash('sha256').update(verifier).digest('base64url'),
        cookie: `${name}=${seal(proofs)}; Max-Age=${LIFETIME_SECONDS}; ${attributes}`,
      };
    },
    finish: (cookieHeader, state) => {
      const proofs = open(readCookie(cookieHeader ?? '', name));
      if (proofs?.state !== state || used.has(state)) return undefined;
      const oldest = used.values().next();
      if (used.size >= MAX_USED && oldest.done !== true) used.delete(oldest.value);
      used.add(state);
      return proofs;
    },
    clear: `${name}=; Max-Age=0; ${attributes}`,
  };
}

function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** The proofs of an opened cookie, unless it is older than its life or from the future. */
function parseProofs(opened: unknown, now: number): Proofs | undefined {
  const [state, nonce, verifier, at] = Array.isArray(opened) ? opened.map((part): unknown => part) : [];
  if (typeof state !== 'string' || typeof nonce !== 'string' || typeof verifier !== 'string')
    return undefined;
  const isFresh = typeof at === 'number' && at <= now && now - at < LIFETIME_SECONDS * 1000;
  return isFresh ? { state, nonce, verifier } : undefined;
}

function readCookie(header: string, name: string): string {
  const pair = header
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${name}=`));
  return pair?.slice(name.length + 1) ?? '';
}
