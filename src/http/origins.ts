import type { IncomingMessage } from 'node:http';
import { isIP, isIPv6 } from 'node:net';
import type { Scheme } from './address.ts';
import { HttpError, forbidden } from './errors.ts';

export interface PageGuardSettings {
  /** The name or address that the service listens on. */
  readonly host: string;
  /** Other names by which it may be requested. */
  readonly allowedHosts: readonly string[];
  /** Origins of other sites whose pages may write. */
  readonly allowedOrigins: readonly string[];
}

type Asked = Pick<IncomingMessage, 'headers'>;

// Like names without a dot, only the owner of the machine or network can assign these: public DNS does not have them
// (RFC 6761, RFC 6762, RFC 8375, and ICANN's resolution on .internal).
const LOCAL_NAME = /\.(?:localhost|local|internal|home\.arpa)$/;
const AUTHORITY = /^(\[[^\]]*\]|[^:]*)(?::\d{0,5})?$/;

/**
 * Protects a service without accounts from other sites' pages. Every request may write there, and a browser that can
 * reach the service sends requests for any page it shows. `Origin` names the page and decides about writes; CORS
 * prevents the page from reading. If an attacker's name resolves to this service (DNS rebinding), the browser takes the
 * attacker's page for ours, but `Host` still has that name.
 */
export class PageGuard {
  readonly #origins: ReadonlySet<string>;
  readonly #names: ReadonlySet<string>;

  constructor({ host, allowedHosts, allowedOrigins }: PageGuardSettings) {
    this.#origins = new Set(allowedOrigins);
    const ofOrigins = allowedOrigins.map((origin) => new URL(origin).hostname);
    this.#names = new Set([host, ...allowedHosts, ...ofOrigins].map(plainName));
  }

  /** Throws 421 if the request's host is not known as the service's. */
  requireHost({ headers }: Asked): void {
    const [, name] = AUTHORITY.exec(headers.host ?? '') ?? [];
    if (name === undefined || !this.#isKnown(name))
      throw new HttpError(421, 'Host is not allowed; see ALLOWED_HOSTS');
  }

  /** Call for writes. Throws 403 if a page of another origin makes the request. */
  requireOrigin({ headers: { origin, host = '', 'sec-fetch-site': site } }: Asked): void {
    const isForeign =
      origin === undefined ? site === 'cross-site' : !this.#origins.has(origin) && !isOwn(origin, host);
    if (isForeign) throw forbidden('Origin is not allowed; see ALLOWED_ORIGINS');
  }

  #isKnown(name: string): boolean {
    if (name.startsWith('[')) return isIPv6(name.slice(1, -1));
    const plain = plainName(name);
    return !plain.includes('.') || isIP(plain) !== 0 || LOCAL_NAME.test(plain) || this.#names.has(plain);
  }
}

/** A host name in lower case, without the trailing dot that makes it absolute. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

/** True if an origin has the host and port of the request; its scheme may be that of a proxy in front. */
function isOwn(origin: string, authority: string): boolean {
  const [scheme] = /^https?:\/\//i.exec(origin) ?? [];
  try {
    return scheme !== undefined && new URL(origin).host === new URL(scheme + authority).host;
  } catch {
    return false;
  }
}

/**
 * True if a page of this service makes the request, according to `Sec-Fetch-Site` (W3C Fetch Metadata), or to `Origin`
 * if the browser does not send that, as over plain HTTP. Without either it is not from our page.
 */
export function isFromOwnPage({ headers }: Pick<IncomingMessage, 'headers'>, scheme: Scheme): boolean {
  const { origin, host = '', 'sec-fetch-site': site } = headers;
  if (site !== undefined) return site === 'same-origin';
  const own = `${scheme}://${host}`;
  return origin !== undefined && URL.canParse(own) && new URL(own).origin === origin;
}

const ALLOWED = 'Authorization, Content-Type, X-Request-Id, Idempotency-Key, Last-Event-ID, Prefer';
const EXPOSED =
  'Location, ETag, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Request-Id, Change, Catalogue-Warning, Idempotent-Replay, Link';

/**
 * Adds CORS headers for an allowed `Origin` and, in the response to a preflight, the methods of its path. Origins are
 * compared as exact strings; `Vary` is sent whenever cross-origin access is configured.
 */
export function addCorsHeaders(
  headers: Record<string, string>,
  allowed: ReadonlySet<string>,
  request: IncomingMessage,
  methods: ReadonlyMap<string, unknown> | undefined,
): void {
  if (allowed.size === 0) return;
  headers['Vary'] = 'Origin';
  const { origin, 'access-control-request-method': wanted } = request.headers;
  if (origin === undefined || !allowed.has(origin)) return;
  headers['Access-Control-Allow-Origin'] = origin;
  headers['Access-Control-Expose-Headers'] = EXPOSED;
  if (request.method !== 'OPTIONS' || wanted === undefined || !methods) return;
  headers['Access-Control-Allow-Methods'] = [...methods.keys()].join(', ');
  headers['Access-Control-Allow-Headers'] = ALLOWED;
  headers['Access-Control-Max-Age'] = '600';
}
