import type { Parsed } from '../../kit/input/fields.ts';

/** The end of a sign-in, as its start asked for it. */
export interface Intent {
  /** The path of this service to go to with a session in a cookie; null for tokens, which go to the client. */
  readonly returnTo: string | null;
  /** For an account that has to be made; opaque here. */
  readonly invitation: string | null;
}

/** That of a sign-in that asks for nothing. */
export const FOR_TOKENS: Intent = { returnTo: null, invitation: null };

const LONGEST_INVITATION = 100;
// Printable and without blanks. A browser reads `//` and `/\` as the start of another host.
const PATH = /^\/(?![/\\])[\x21-\x7e]{0,499}$/;

/** Reads the query of a sign-in; parameters that are not known are ignored, and so is `return` without a cookie. */
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
