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

/** Protects a service without accounts from other sites' pages. */
export interface PageGuard {
  /** Throws 421 if the request's host is not known as the service's. */
  readonly requireHost: (request: Asked) => void;
  /** Call for writes. Throws 403 if a page of another origin makes the request. */
  readonly requireOrigin: (request: Asked) => void;
}

type Asked = Pick<IncomingMessage, 'headers'>;

/**
 * Without accounts every request may write, and a browser that can reach the service sends requests for any page it
 * shows. `Origin` names the page and decides about writes; CORS prevents the page from reading. If an attacker's name
 * resolves to this service (DNS rebinding), the browser takes the attacker's page for ours, but `Host` still has that
 * name.
 */
export function createPageGuard({ host, allowedHosts, allowedOrigins }: PageGuardSettings): PageGuard {
  const origins = new Set(allowedOrigins);
  const ofOrigins = allowedOrigins.map((origin) => new URL(origin).hostname);
  const names = new Set([host, ...allowedHosts, ...ofOrigins].map(plainName));

  function isKnown(authority: string): boolean {
    const [, name] = AUTHORITY.exec(authority) ?? [];
    if (name === undefined) return false;
    if (name.startsWith('[')) return isIPv6(name.slice(1, -1));
    const plain = plainName(name);
    return !plain.includes('.') || isIP(plain) !== 0 || LOCAL_NAME.test(plain) || names.has(plain);
  }

  return {
    requireHost: ({ headers }) => {
      if (!isKnown(headers.host ?? '')) throw new HttpError(421, 'Host is not allowed; see ALLOWED_HOSTS');
    },
    requireOrigin: ({ headers }) => {
      const { origin, host: authority = '' } = headers;
      const isForeign =
        origin === undefined
          ? headers['sec-fetch-site'] === 'cross-site'
          : !origins.has(origin) && !isOwn(origin, authority);
      if (isForeign) throw forbidden('Origin is not allowed; see ALLOWED_ORIGINS');
    },
  };
}

// Like names without a dot, only the owner of the machine or network can assign these: public DNS does not have them
// (RFC 6761, RFC 6762, RFC 8375, and ICANN's resolution on .internal).
const LOCAL_NAME = /\.(?:localhost|local|internal|home\.arpa)$/;
const AUTHORITY = /^(\[[^\]]*\]|[^:]*)(?::\d{0,5})?$/;

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

const ALLOWED = 'Authorization, Content-Type, X-Request-Id, Idempotency-Key, Last-Event-ID, Prefer';
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
