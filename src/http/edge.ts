import { parseAddressRanges } from './address.ts';
import { type Pace, createBodyReader } from './arrival.ts';
import { createBodyBudget } from './body-budget.ts';
import { type LimitSettings, type Limits, createLimits } from './limits.ts';
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
export interface Edge {
  readonly limits: Limits;
  /** Bytes of JSON bodies that arrive or are being handled. */
  readonly bodyBytes: () => number;
  readonly options: Pick<
    PipelineOptions,
    'trustedProxies' | 'securityHeaders' | 'allowedOrigins' | 'limits' | 'bodies' | 'guard'
  >;
}

export interface EdgeOptions {
  readonly terminatesTls: boolean;
  readonly hasAccounts: boolean;
  /** For tests, which do not wait for the usual one. */
  readonly pace: Pace | undefined;
}

/** Makes limits, budgets, guards and headers by the settings. */
export function createEdge(settings: EdgeSettings, options: EdgeOptions): Edge {
  const limits = createLimits(settings);
  const budget = createBodyBudget(settings.bodyMemory);
  return {
    limits,
    bodyBytes: budget.used,
    options: {
      trustedProxies: parseAddressRanges(settings.trustedProxies),
      securityHeaders: options.terminatesTls ? SECURITY_HEADERS_OVER_TLS : SECURITY_HEADERS,
      allowedOrigins: new Set(settings.allowedOrigins),
      limits,
      bodies: createBodyReader(budget, options.pace),
      guard: options.hasAccounts ? undefined : createPageGuard(settings),
    },
  };
}
