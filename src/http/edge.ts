import { parseAddressRanges } from './address.ts';
import { type Pace, createBodyReader } from './arrival.ts';
import { createBodyBudget } from './body-budget.ts';
import { type LimitSettings, type Limits, createLimits } from './limits.ts';
import type { PipelineOptions } from './pipeline.ts';
import { SECURITY_HEADERS, SECURITY_HEADERS_OVER_TLS } from './security.ts';

export interface EdgeSettings extends LimitSettings {
  /** Addresses, CIDR ranges, `loopback` or `private`. */
  readonly trustedProxies: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** Bytes of JSON bodies that may be in memory at once. */
  readonly bodyMemory: number;
}

/** What requests meet before their handlers, whatever these do. */
export interface Edge {
  readonly limits: Limits;
  /** Bytes of JSON bodies that arrive or are being handled. */
  readonly bodyBytes: () => number;
  readonly options: Pick<
    PipelineOptions,
    'trustedProxies' | 'securityHeaders' | 'allowedOrigins' | 'limits' | 'bodies'
  >;
}

/** Makes limits, budgets and headers by the settings. `pace` is for tests, which do not wait for the usual one. */
export function createEdge(settings: EdgeSettings, terminatesTls: boolean, pace?: Pace): Edge {
  const limits = createLimits(settings);
  const budget = createBodyBudget(settings.bodyMemory);
  return {
    limits,
    bodyBytes: budget.used,
    options: {
      trustedProxies: parseAddressRanges(settings.trustedProxies),
      securityHeaders: terminatesTls ? SECURITY_HEADERS_OVER_TLS : SECURITY_HEADERS,
      allowedOrigins: new Set(settings.allowedOrigins),
      limits,
      bodies: createBodyReader(budget, pace),
    },
  };
}
