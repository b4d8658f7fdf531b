import type { QueryFile } from '../storage/statements.ts';
import type { Transactions } from '../storage/transaction.ts';
import { createBreaker } from './breaker.ts';
import { createBudget } from './budget.ts';
import { type PlacesClient, type PlacesClientOptions, createPlacesClient } from './client.ts';
import { createGate, openGate } from './gate.ts';
import { type GoogleOptions, createGoogle } from './google.ts';
import { type NominatimOptions, createNominatim } from './nominatim.ts';

/** Google, at its own host or at one that the operator named. */
export interface GoogleSettings extends GoogleOptions {
  readonly provider: 'google';
  readonly hasOwnHost: boolean;
}

/** Nominatim, with the pace that its operators allow to the whole service. */
export interface NominatimSettings extends Omit<NominatimOptions, 'version'> {
  readonly provider: 'nominatim';
  readonly requestsPerSecond: number;
}

export interface PlacesOptions {
  readonly settings: (GoogleSettings | NominatimSettings) & { readonly dailyLimit: number };
  /** The version of this service. */
  readonly version: string;
  readonly sql: QueryFile;
  readonly transactions: Pick<Transactions, 'write'>;
  /** Told of everything that the operator should know. */
  readonly report: PlacesClientOptions['report'];
}

// A call that starts later than this would not leave the provider time to answer.
const MAX_GATE_WAIT_MS = 3_000;

/** Opens the configured provider with everything that stands around it. Nothing is asked before somebody looks. */
export function openPlaces({ settings, version, sql, transactions, report }: PlacesOptions): PlacesClient {
  const { provider, dailyLimit } = settings;
  return createPlacesClient({
    provider:
      settings.provider === 'google'
        ? createGoogle(settings)
        : createNominatim({ baseUrl: settings.baseUrl, contact: settings.contact, version }),
    // A host that nobody named is the provider's own, which is never a private one.
    allowPrivate: settings.provider === 'nominatim' || settings.hasOwnHost,
    breaker: createBreaker({
      opened: () => {
        report('maps provider is left alone for 30 s', { provider });
      },
    }),
    gate:
      settings.provider === 'google'
        ? openGate
        : createGate({ intervalMs: 1_000 / settings.requestsPerSecond, maxWaitMs: MAX_GATE_WAIT_MS }),
    budget: createBudget({
      sql,
      transactions,
      dailyLimit,
      usedUp: () => {
        report('maps provider budget is used up for today (MAPS_DAILY_LIMIT)', {
          provider,
          limit: dailyLimit,
        });
      },
    }),
    report,
  });
}
