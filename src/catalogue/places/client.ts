import { setTimeout as sleep } from 'node:timers/promises';
import { type CacheOptions, Cache } from '../../kit/cache.ts';
import { OutboundError, fetchText } from '../../kit/fetch.ts';
import type { QueryFile } from '../../storage/statements.ts';
import type { Transactions } from '../../storage/transaction.ts';
import { Breaker, type Verdict } from './breaker.ts';
import { Budget } from './budget.ts';
import { Gate } from './gate.ts';
import { type GoogleOptions, createGoogle } from './google.ts';
import { type NominatimOptions, createNominatim } from './nominatim.ts';
import { type Ask, type FailureKind, type MapsProvider, type Place, PlacesError } from './provider.ts';

/** Called right before a call to the provider; throws if the client may not make one. */
export type Permit = () => void;

/** Looks up places with as few calls to the provider as possible. Methods reject with a PlacesError, or as `permit` throws. */
export interface PlacesClient {
  readonly provider: Pick<MapsProvider, 'isPlaceId' | 'attribution'>;
  readonly searchPlaces: (words: string, permit: Permit) => Promise<readonly Place[]>;
  readonly getPlace: (placeId: string, permit: Permit) => Promise<Place>;
  readonly findCities: (words: string, permit: Permit) => Promise<readonly Place[]>;
  /** Throws if the database does not answer. */
  readonly state: () => PlacesState;
}

/** The health of the provider. */
export interface PlacesState {
  /** True while the breaker stops calls after failures. */
  readonly isLeftAlone: boolean;
  /** Calls since the start by outcome: `ok` or the kind of failure. Cached answers do not count. */
  readonly outcomes: ReadonlyMap<string, number>;
  readonly budget: ReturnType<Budget['state']>;
}

export interface PlacesOptions {
  readonly settings: (GoogleOptions | NominatimOptions) & { readonly dailyLimit: number };
  readonly version: string;
  readonly sql: QueryFile;
  readonly transactions: Pick<Transactions, 'write'>;
  readonly report: (message: string, fields: Readonly<Record<string, string | number | null>>) => void;
}

const TIMEOUT_MS = 5_000;
const RETRY_PAUSE_MS = 100;
// A call that starts later than this would not leave the provider time to answer.
const MAX_GATE_WAIT_MS = 3_000;
const MAX_ENTRIES = 1_000;
const MAX_BYTES = 4 * 1024 * 1024;

const VERDICTS: Readonly<Record<FailureKind, Verdict>> = {
  refused: 'failed',
  failed: 'failed',
  nonsense: 'failed',
  timeout: 'failed',
  // One client's odd request must not shut out the others.
  rejected: 'alive',
  missing: 'alive',
  unavailable: 'untried',
  busy: 'untried',
  spent: 'untried',
};

/** Opens the configured provider behind cache, shared calls, breaker, gate and budget. Makes no call until the first look-up. */
export function openPlaces(options: PlacesOptions): PlacesClient {
  const { settings, version, report } = options;
  const provider =
    settings.provider === 'google' ? createGoogle(settings) : createNominatim(settings, version);
  const gate = new Gate({ intervalMs: provider.intervalMs, maxWaitMs: MAX_GATE_WAIT_MS });
  const { breaker, budget } = openGuards(options);
  const limits = { maxAgeMs: provider.maxAgeMs, maxEntries: MAX_ENTRIES, maxBytes: MAX_BYTES };
  const lists = createSharing<readonly Place[]>(limits);
  const places = createSharing<Place>(limits);
  const outcomes = new Map<string, number>([['ok', 0]]);
  const count = (outcome: string): void => {
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  };

  /** `permit` comes last, so that a call that cannot be made does not use up the client's allowance. */
  const admitted = (permit: Permit) => (): void => {
    budget.check();
    breaker.check();
    gate.check();
    permit();
  };

  async function call<Result>(work: (ask: Ask) => Promise<Result>): Promise<Result> {
    const ask = createAsk(performance.now() + TIMEOUT_MS, provider.allowPrivate);
    try {
      await gate.pass();
      const result = await breaker.run(async () => {
        await budget.take();
        return work(ask);
      }, verdictOf);
      count('ok');
      return result;
    } catch (error) {
      if (error instanceof PlacesError) {
        count(error.kind);
        const { status = null, reason } = error.details;
        if (reason !== undefined)
          report('maps provider failed', { provider: settings.provider, status, reason });
      }
      throw error;
    }
  }

  return {
    provider,
    searchPlaces: (words, permit) =>
      lists(`search ${words}`, admitted(permit), () => call((ask) => provider.searchPlaces(words, ask))),
    getPlace: (placeId, permit) =>
      places(placeId, admitted(permit), () => call((ask) => provider.getPlace(placeId, ask))),
    findCities: (words, permit) =>
      lists(`cities ${words}`, admitted(permit), () => call((ask) => provider.findCities(words, ask))),
    state: () => ({ isLeftAlone: breaker.isOpen(), outcomes, budget: budget.state() }),
  };
}

function verdictOf(error: unknown): Verdict {
  return error instanceof PlacesError ? VERDICTS[error.kind] : 'untried';
}

function openGuards({ settings: { provider, dailyLimit }, sql, transactions, report }: PlacesOptions) {
  const opened = (): void => {
    report('maps provider is left alone for 30 s', { provider });
  };
  const usedUp = (): void => {
    report('maps provider budget is used up for today (MAPS_DAILY_LIMIT)', { provider, limit: dailyLimit });
  };
  const budget = new Budget({ sql, transactions, dailyLimit, usedUp });
  return { breaker: new Breaker(opened), budget };
}

/**
 * Caches answers by key, and lets equal requests share one call of `work`. `admit` runs only before `work`, and its error
 * is not shared. A failure of `work` reaches all that wait for it, but is not cached.
 */
function createSharing<Value>(options: CacheOptions) {
  const cache = new Cache<string, Value>(options);
  const underWay = new Map<string, Promise<Value>>();

  async function answer(key: string, work: () => Promise<Value>): Promise<Value> {
    try {
      const value = await work();
      cache.set(key, value, key.length + JSON.stringify(value).length);
      return value;
    } finally {
      underWay.delete(key);
    }
  }

  return async (key: string, admit: () => void, work: () => Promise<Value>): Promise<Value> => {
    const known = cache.get(key) ?? underWay.get(key);
    if (known !== undefined) return known;
    admit();
    const call = answer(key, work);
    underWay.set(key, call);
    return call;
  };
}

/** Sends requests until `deadline`; tries once more if the first try did not reach the host. */
function createAsk(deadline: number, allowPrivate: boolean): Ask {
  const once: Ask = async (address, request) => {
    const timeoutMs = Math.ceil(deadline - performance.now());
    if (timeoutMs <= 0) throw new OutboundError('timeout', 'no time is left');
    return fetchText(address, { ...request, allowPrivate, timeoutMs });
  };

  return async (address, request) => {
    try {
      return await once(address, request).catch(async (error: unknown) => {
        if (!(error instanceof OutboundError) || error.kind !== 'connection') throw error;
        await sleep(RETRY_PAUSE_MS);
        return once(address, request);
      });
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      throw new PlacesError(error.kind === 'timeout' ? 'timeout' : 'failed', { reason: error.message });
    }
  };
}
