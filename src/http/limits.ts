import { type HttpError, rateLimited } from './errors.ts';
import { type Limiter, createLimiter } from './limiter.ts';

interface Rate {
  readonly perMinute: number;
  readonly burst: number;
}

export interface LimitSettings {
  /** Undefined when turned off. */
  readonly rateLimit: Rate | undefined;
  /** Undefined when turned off. */
  readonly filesRateLimit: Rate | undefined;
  readonly edgeLimits: boolean;
}

/** The limits by client address. */
export interface Limits {
  /** Over all of /api but files; undefined when turned off. */
  readonly api: Limiter | undefined;
  /** Over reads of files under /api; undefined when turned off. */
  readonly files: Limiter | undefined;
  /** The limits that a proxy in front enforces, for when there is none; each for the paths under its prefix but files. */
  readonly edge: readonly { readonly prefix: string; readonly limiter: Limiter }[];
  /** Over the calls of the maps provider that requests without credentials cost: they would spend the operator's budget. */
  readonly places: Limiter | undefined;
  /** Those that are on, by the names that metrics have for them. */
  readonly named: ReadonlyMap<string, Limiter>;
}

const EDGE = [
  { name: 'edge', prefix: '/api', perMinute: 600, burst: 20 },
  { name: 'edge_auth', prefix: '/api/auth/', perMinute: 5, burst: 5 },
] as const;
const ANONYMOUS_PLACES = { perMinute: 10, burst: 10 };

/** Makes the limits that are on, all of them with full buckets. */
export function createLimits({ rateLimit, filesRateLimit, edgeLimits }: LimitSettings): Limits {
  const api = rateLimit && createLimiter(rateLimit);
  const files = filesRateLimit && createLimiter(filesRateLimit);
  const places = rateLimit && createLimiter(ANONYMOUS_PLACES);
  const edge = (edgeLimits ? EDGE : []).map((limit) => ({ ...limit, limiter: createLimiter(limit) }));
  const all = [
    ['api', api],
    ...edge.map(({ name, limiter }) => [name, limiter] as const),
    ['files', files],
    ['places', places],
  ] as const;
  const named = new Map(all.flatMap(([name, limiter]) => (limiter ? [[name, limiter] as const] : [])));
  return { api, files, edge, places, named };
}

/** A request as far as limits are concerned. */
export interface LimitedRequest {
  /** The key under which the client is counted. */
  readonly key: string;
  /** Decoded: an encoded letter must not lead around a limit. */
  readonly path: string;
  /** Whether it reads a file: no call of the API, so that a gallery of photos does not use up a person's calls. */
  readonly isFile: boolean;
}

/**
 * Takes a token at every limit that covers a request, and writes the RateLimit headers of the service's own. Returns
 * the refusal (429), if there is one.
 */
export function takeTokens(
  { api, files, edge }: Pick<Limits, 'api' | 'files' | 'edge'>,
  { key, path, isFile }: LimitedRequest,
  headers: Record<string, string>,
): HttpError | undefined {
  if (path !== '/api' && !path.startsWith('/api/')) return undefined;
  const limiter = isFile ? files : api;
  const own = limiter?.take(key);
  const others = (isFile ? [] : edge)
    .filter(({ prefix }) => path.startsWith(prefix))
    .map((limit) => limit.limiter.take(key));
  if (limiter && own) {
    headers['RateLimit-Limit'] = String(limiter.capacity);
    headers['RateLimit-Remaining'] = String(own.remaining);
    headers['RateLimit-Reset'] = String(own.reset);
  }
  const refusals = [...(own ? [own] : []), ...others].filter((verdict) => !verdict.allowed);
  if (refusals.length === 0) return undefined;
  return rateLimited(Math.max(...refusals.map((verdict) => verdict.retryAfter)));
}
