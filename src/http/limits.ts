import { type Limiter, createLimiter } from './limiter.ts';

export interface LimitSettings {
  /** Undefined when turned off. */
  readonly rateLimit: { readonly perMinute: number; readonly burst: number } | undefined;
  readonly edgeLimits: boolean;
}

/** The limits by client address (CONTRACT section 10). */
export interface Limits {
  /** Over all of /api; undefined when turned off. */
  readonly api: Limiter | undefined;
  /** What a proxy in front enforces, for when there is none; each for the paths under its prefix. */
  readonly edge: readonly { readonly prefix: string; readonly limiter: Limiter }[];
  /** The calls of the maps provider that a stranger's address may cost (RELIABILITY, rule 30). */
  readonly places: Limiter | undefined;
  /** Those that are on, by the names that metrics have for them. */
  readonly named: ReadonlyMap<string, Limiter>;
}

const EDGE = [
  { name: 'edge', prefix: '/api', perMinute: 600, burst: 20 },
  { name: 'edge_auth', prefix: '/api/auth/', perMinute: 5, burst: 5 },
] as const;
const STRANGERS_LOOK_UPS = { perMinute: 10, burst: 10 };

/** Makes the limits that are on, all of them with full buckets. */
export function createLimits({ rateLimit, edgeLimits }: LimitSettings): Limits {
  const api = rateLimit && createLimiter(rateLimit);
  const places = rateLimit && createLimiter(STRANGERS_LOOK_UPS);
  const edge = (edgeLimits ? EDGE : []).map((limit) => ({ ...limit, limiter: createLimiter(limit) }));
  const all = [
    ['api', api],
    ...edge.map(({ name, limiter }) => [name, limiter] as const),
    ['places', places],
  ] as const;
  const named = new Map(all.flatMap(([name, limiter]) => (limiter ? [[name, limiter] as const] : [])));
  return { api, edge, places, named };
}
