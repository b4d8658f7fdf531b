import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { readCookies } from '../accounts/cookies.ts';
import { Cache } from '../../kit/cache.ts';
import { propertiesOf } from '../../kit/objects.ts';
import { FOR_TOKENS, type Intent } from './intent.ts';
import type { Proofs } from './provider.ts';

/**
 * Binds a sign-in to the browser that started it: state, nonce, PKCE verifier and intent in one sealed cookie, valid once.
 * Each sign-in has a cookie of its own, so that several tabs may end in any order.
 */
export interface Handshakes {
  /** Starts a sign-in in the browser that sent this Cookie header. */
  readonly begin: (cookieHeader: string | undefined, intent?: Intent) => Handshake;
  /** The proofs and intent that `begin` made for this browser; undefined when the state is another one, too old, or was used before. */
  readonly finish: (cookieHeader: string | undefined, state: string) => Finished | undefined;
  /** The value of the Set-Cookie header that removes the cookie of a state that `begin` made. */
  readonly clear: (state: string) => string;
}

/** A sign-in that came back. */
export interface Finished {
  readonly proofs: Proofs;
  readonly intent: Intent;
}

/** A sign-in that has started. */
export interface Handshake {
  readonly proofs: Proofs;
  /** For PKCE: the SHA-256 of the verifier (RFC 7636 section 4.2). */
  readonly challenge: string;
  /** Values of Set-Cookie headers: one that carries the proofs, and those that remove cookies of too many others. */
  readonly cookies: readonly string[];
}

export interface HandshakeOptions {
  /** Seals the proofs: 32 bytes. */
  readonly key: Buffer;
  /** A handshake with one provider is none with another. */
  readonly provider: string;
  /** Whether the callback is under https. */
  readonly secure: boolean;
  /** Milliseconds since 1970; for tests. */
  readonly now?: () => number;
}

// In which a sign-in has to end.
const LIFETIME_SECONDS = 600;
const MAX_USED = 20_000;
// Sign-ins under way in one browser. All of their cookies go along with every request.
const MAX_STARTED = 5;
const STATE = /^[\w-]{43}$/;
// Characters of the state that name its cookie.
const NAME_LENGTH = 16;
const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Opens the handshakes with one provider. */
export function createHandshakes(options: HandshakeOptions): Handshakes {
  const { provider, secure, now = Date.now } = options;
  const prefix = `${secure ? '__Host-' : ''}sign_in_${provider}_`;
  const nameOf = (state: string): string => prefix + state.slice(0, NAME_LENGTH);
  const ownName = new RegExp(`^${prefix}[\\w-]{${NAME_LENGTH}}$`);
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  const used = new Cache<string, true>({ maxEntries: MAX_USED, maxAgeMs: LIFETIME_SECONDS * 1_000 });

  const clear = (name: string): string => `${name}=; Max-Age=0; ${attributes}`;

  /** The names of a browser's own cookies but for the youngest, which leave one place. */
  function surplus(cookieHeader: string | undefined): readonly string[] {
    const own = readCookies(cookieHeader).filter(({ name }) => ownName.test(name));
    const ages = new Map(own.map(({ name, value }) => [name, open(options, value, now())?.at ?? 0]));
    return [...ages]
      .sort(([, at], [, other]) => other - at)
      .slice(MAX_STARTED - 1)
      .map(([name]) => name);
  }

  return {
    begin: (cookieHeader, intent = FOR_TOKENS) => {
      const [state, nonce, verifier] = [randomSecret(), randomSecret(), randomSecret()];
      const proofs = { state, nonce, verifier };
      const cookie = `${nameOf(state)}=${seal(options, { proofs, intent, at: now() })}; Max-Age=${LIFETIME_SECONDS}; ${attributes}`;
      return {
        proofs,
        challenge: createHash('sha256').update(verifier).digest('base64url'),
        cookies: [cookie, ...surplus(cookieHeader).map(clear)],
      };
    },
    finish: (cookieHeader, state) => {
      if (!STATE.test(state)) return undefined;
      const cookie = readCookies(cookieHeader).find(({ name }) => name === nameOf(state));
      const opened = open(options, cookie?.value ?? '', now());
      if (opened?.proofs.state !== state || used.get(state)) return undefined;
      used.set(state, true);
      return { proofs: opened.proofs, intent: opened.intent };
    },
    clear: (state) => clear(nameOf(state)),
  };
}

function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** What was sealed, and when in milliseconds since 1970. */
interface Sealed extends Finished {
  readonly at: number;
}

/** A sign-in as a text that only this service can make and read. */
function seal({ key, provider }: HandshakeOptions, { proofs, intent, at }: Sealed): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(provider));
  const text = JSON.stringify([proofs.state, proofs.nonce, proofs.verifier, at, intent]);
  return Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

/** Undefined for a text that was not sealed here, is for another provider, is older than its life or from the future. */
function open({ key, provider }: HandshakeOptions, sealed: string, now: number): Sealed | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length <= IV_BYTES + TAG_BYTES) return undefined;
  try {
    const iv = bytes.subarray(0, IV_BYTES);
    const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(provider)).setAuthTag(bytes.subarray(-TAG_BYTES));
    const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
    const opened: unknown = JSON.parse(text.toString());
    const parts = Array.isArray(opened) ? opened.map((part): unknown => part) : [];
    const [state, nonce, verifier, at, intent] = parts;
    const isWhole = typeof state === 'string' && typeof nonce === 'string' && typeof verifier === 'string';
    const isFresh = typeof at === 'number' && at <= now && now - at < LIFETIME_SECONDS * 1000;
    if (!isWhole || !isFresh) return undefined;
    return { proofs: { state, nonce, verifier }, at, intent: readIntent(intent) };
  } catch {
    return undefined;
  }
}

/** A sign-in that an older version started has none. */
function readIntent(value: unknown): Intent {
  const fields = propertiesOf(value);
  const [returnTo, invitation] = [fields?.get('returnTo'), fields?.get('invitation')];
  return {
    returnTo: typeof returnTo === 'string' ? returnTo : null,
    invitation: typeof invitation === 'string' ? invitation : null,
  };
}
