import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { readCookies } from '../accounts/cookie-routes.ts';
import { newSecret } from '../accounts/tokens.ts';
import { Cache } from '../../kit/cache.ts';
import type { Parsed } from '../../kit/input/fields.ts';
import { propertiesOf } from '../../kit/objects.ts';
import type { Proofs } from './provider.ts';

/** How a sign-in should end, chosen at its start. */
export interface Intent {
  /** The page of this service to return to with a cookie session; null sends tokens to the client. */
  readonly returnTo: string | null;
  /** The secret for a new account. */
  readonly invitation: string | null;
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
  /** Set-Cookie headers: one for the proofs, others to remove the oldest cookies if there are too many. */
  readonly cookies: readonly string[];
}

export interface HandshakeOptions {
  /** Seals the proofs: 32 bytes. */
  readonly key: Buffer;
  /** A handshake with one provider is not valid with another. */
  readonly provider: string;
  /** Whether the callback is under https. */
  readonly secure: boolean;
  /** Milliseconds since 1970; for tests. */
  readonly now?: () => number;
}

const FOR_TOKENS: Intent = { returnTo: null, invitation: null };
const LONGEST_INVITATION = 100;
// Printable and without blanks. A browser reads `//` and `/\` as the start of another host.
const PATH = /^\/(?![/\\])[\x21-\x7e]{0,499}$/;
// A sign-in must finish within this time.
const LIFETIME_SECONDS = 600;
const MAX_USED = 20_000;
// Concurrent sign-ins per browser, which sends all of their cookies with every request.
const MAX_STARTED = 5;
const STATE = /^[\w-]{43}$/;
// Characters of the state that name its cookie.
const NAME_LENGTH = 16;
const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Binds a sign-in to the browser that started it: state, nonce, PKCE verifier and intent in one sealed cookie, valid once.
 * Each sign-in has its own cookie, so that several tabs may end in any order.
 */
export class Handshakes {
  readonly #options: HandshakeOptions;
  readonly #prefix: string;
  readonly #attributes: string;
  readonly #used = new Cache<string, true>({ maxEntries: MAX_USED, maxAgeMs: LIFETIME_SECONDS * 1_000 });

  constructor(options: HandshakeOptions) {
    const { provider, secure } = options;
    this.#options = options;
    this.#prefix = `${secure ? '__Host-' : ''}sign_in_${provider}_`;
    this.#attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  }

  /** Starts a sign-in in the browser that sent this Cookie header. */
  begin(cookieHeader: string | undefined, intent: Intent = FOR_TOKENS): Handshake {
    const [state, nonce, verifier] = [newSecret(), newSecret(), newSecret()];
    const proofs = { state, nonce, verifier };
    const sealed = this.#seal({ proofs, intent });
    const cookie = `${this.#nameOf(state)}=${sealed}; Max-Age=${LIFETIME_SECONDS}; ${this.#attributes}`;
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    return { proofs, challenge, cookies: [cookie, ...this.#clearSurplus(cookieHeader)] };
  }

  /** The sign-in that `begin` started in this browser; undefined when the state is unknown, too old, or was used before. */
  finish(cookieHeader: string | undefined, state: string): Finished | undefined {
    if (!STATE.test(state)) return undefined;
    const name = this.#nameOf(state);
    const cookie = readCookies(cookieHeader).find((one) => one.name === name);
    const opened = this.#open(cookie?.value ?? '');
    if (opened?.proofs.state !== state || this.#used.get(state)) return undefined;
    this.#used.set(state, true);
    return opened;
  }

  /** The Set-Cookie header that removes the cookie of a state. */
  clear(state: string): string {
    return this.#clearName(this.#nameOf(state));
  }

  #nameOf(state: string): string {
    return this.#prefix + state.slice(0, NAME_LENGTH);
  }

  #clearName(name: string): string {
    return `${name}=; Max-Age=0; ${this.#attributes}`;
  }

  /** Removes the oldest cookies of a browser to make room for one more. */
  #clearSurplus(cookieHeader: string | undefined): readonly string[] {
    const ownName = new RegExp(`^${this.#prefix}[\\w-]{${NAME_LENGTH}}$`);
    const own = readCookies(cookieHeader).filter(({ name }) => ownName.test(name));
    const times = new Map(own.map(({ name, value }) => [name, this.#open(value)?.at ?? 0]));
    const youngestFirst = [...times].sort(([, at], [, other]) => other - at);
    return youngestFirst.slice(MAX_STARTED - 1).map(([name]) => this.#clearName(name));
  }

  #now(): number {
    return this.#options.now?.() ?? Date.now();
  }

  /** A text that only this service can make and read. */
  #seal({ proofs: { state, nonce, verifier }, intent }: Finished): string {
    const { key, provider } = this.#options;
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(provider));
    const text = JSON.stringify([state, nonce, verifier, this.#now(), intent]);
    return Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString(
      'base64url',
    );
  }

  /** Undefined if the text was not sealed here, or is for another provider, too old, or from the future. */
  #open(sealed: string): (Finished & { readonly at: number }) | undefined {
    const { key, provider } = this.#options;
    const bytes = Buffer.from(sealed, 'base64url');
    try {
      const iv = bytes.subarray(0, IV_BYTES);
      const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(provider)).setAuthTag(bytes.subarray(-TAG_BYTES));
      const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
      const opened: unknown = JSON.parse(text.toString());
      const parts = Array.isArray(opened) ? opened.map((part): unknown => part) : [];
      const [state, nonce, verifier, at, intent] = parts;
      const isWhole = typeof state === 'string' && typeof nonce === 'string' && typeof verifier === 'string';
      const age = typeof at === 'number' ? this.#now() - at : NaN;
      if (!isWhole || typeof at !== 'number' || !(age >= 0 && age < LIFETIME_SECONDS * 1000))
        return undefined;
      return { proofs: { state, nonce, verifier }, at, intent: readIntent(intent) };
    } catch {
      return undefined;
    }
  }
}

/** Sign-ins started by older versions have no intent. */
function readIntent(value: unknown): Intent {
  const fields = propertiesOf(value);
  const [returnTo, invitation] = [fields?.get('returnTo'), fields?.get('invitation')];
  return {
    returnTo: typeof returnTo === 'string' ? returnTo : null,
    invitation: typeof invitation === 'string' ? invitation : null,
  };
}

/** Reads the query of a sign-in; unknown parameters are ignored, and so is `return` without a cookie. */
export function parseIntent(query: URLSearchParams): Parsed<Intent> {
  const faults: string[] = [];
  const single = (name: string): string | null => {
    const [value, ...more] = query.getAll(name);
    if (more.length > 0) faults.push(`${name} must be given once`);
    return more.length > 0 ? null : (value ?? null);
  };
  const [session, target, invitation] = [single('session'), single('return'), single('invitation')];
  if (session !== null && session !== 'cookie') faults.push('session must be cookie');
  if (session !== null && target !== null && !isOwnPath(target))
    faults.push('return must be a path of this service');
  if ((invitation?.length ?? 0) > LONGEST_INVITATION)
    faults.push(`invitation must be at most ${LONGEST_INVITATION} characters`);
  if (faults.length > 0) return { ok: false, faults };
  return { ok: true, value: { returnTo: session === null ? null : (target ?? '/'), invitation } };
}

/** Whether a browser that is sent to `path` stays at this service, and outside of the API, however that is spelled. */
function isOwnPath(path: string): boolean {
  if (!PATH.test(path)) return false;
  try {
    const { host, pathname } = new URL(path, 'http://own.invalid');
    const decoded = decodeURIComponent(pathname);
    return host === 'own.invalid' && !decoded.startsWith('//') && !/^\/api(?:\/|$)/.test(decoded);
  } catch {
    return false;
  }
}
