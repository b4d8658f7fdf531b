import { parseAddressRanges } from './address.ts';
import { type Pace, createBodyReader } from './arrival.ts';
import { type LimitSettings, createLimits } from './limits.ts';
import { type PageGuardSettings, createPageGuard } from './origins.ts';
import type { PipelineOptions } from './pipeline.ts';
import { SECURITY_HEADERS, SECURITY_HEADERS_OVER_TLS } from './reply.ts';

export interface EdgeSettings extends LimitSettings, PageGuardSettings {
  /** Addresses, CIDR ranges, `loopback` or `private`. */
  readonly trustedProxies: readonly string[];
  /** Bytes of JSON bodies that may be in memory at once. */
  readonly bodyMemory: number;
}

/** The checks and limits that requests meet before their handlers. */
export type Edge = Pick<
  PipelineOptions,
  'trustedProxies' | 'securityHeaders' | 'allowedOrigins' | 'limits' | 'bodies' | 'guard'
>;

export interface EdgeOptions {
  readonly terminatesTls: boolean;
  readonly hasAccounts: boolean;
  /** For tests, which do not wait for the usual one. */
  readonly pace: Pace | undefined;
}

/** Makes limits, budgets, guards and headers by the settings. */
export function createEdge(settings: EdgeSettings, options: EdgeOptions): Edge {
  return {
    trustedProxies: parseAddressRanges(settings.trustedProxies),
    securityHeaders: options.terminatesTls ? SECURITY_HEADERS_OVER_TLS : SECURITY_HEADERS,
    allowedOrigins: new Set(settings.allowedOrigins),
    limits: createLimits(settings),
    bodies: createBodyReader(settings.bodyMemory, options.pace),
    guard: options.hasAccounts ? undefined : createPageGuard(settings),
  };
}
