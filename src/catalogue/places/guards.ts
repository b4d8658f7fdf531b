import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from '../../kit/queue.ts';
import { DAY_MS } from '../../kit/time.ts';
import type { QueryFile } from '../../storage/statements.ts';
import type { Transactions } from '../../storage/transaction.ts';
import { type FailureKind, PlacesError, type Verdict } from './provider.ts';

// A call that starts later than this would not leave the provider time to answer.
const MAX_WAIT_MS = 3_000;
const FAILURES = 5;
const OPEN_MS = 30_000;

function refusal(kind: FailureKind, waitMs: number): PlacesError {
  return new PlacesError(kind, { retryAfter: Math.max(1, Math.ceil(waitMs / 1000)) });
}

/** Spaces out all calls of the service, as a provider's usage policy demands; they pass one by one, in order. */
export class Gate {
  readonly #intervalMs: number;
  readonly #now: () => number;
  readonly #pause: (ms: number) => Promise<unknown>;
  readonly #queue = new Queue({ atOnce: 1 });
  #lastStart = -Infinity;

  /** `intervalMs` is the time between the starts of two calls; `now` is a monotonic clock in milliseconds. */
  constructor(
    intervalMs: number,
    now = () => performance.now(),
    pause: (ms: number) => Promise<unknown> = sleep,
  ) {
    this.#intervalMs = intervalMs;
    this.#now = now;
    this.#pause = pause;
  }

  /** Throws a PlacesError `busy`, with the seconds to wait, if a call made now would start too late. */
  check(): void {
    const { running, waiting } = this.#queue.load();
    const delay = Math.max(0, this.#leftMs()) + (running + waiting) * this.#intervalMs;
    if (delay > MAX_WAIT_MS) throw refusal('busy', delay - MAX_WAIT_MS);
  }

  /** Resolves when the call may start; throws like `check`. */
  pass(): Promise<void> {
    this.check();
    return this.#queue.run(async () => {
      // Check the clock instead of trusting one timer: timers may fire early, and late ones would bring two calls too close.
      for (let left = this.#leftMs(); left > 0; left = this.#leftMs()) await this.#pause(Math.ceil(left));
      this.#lastStart = this.#now();
    });
  }

  #leftMs(): number {
    return this.#lastStart + this.#intervalMs - this.#now();
  }
}

/**
 * Stops calls to a provider that keeps failing: opens for 30 s after 5 failures in a row, then lets one call at a time
 * through until one succeeds.
 */
export class Breaker {
  readonly #opened: () => void;
  readonly #now: () => number;
  #failures = 0;
  #openUntil: number | undefined;
  #isTrying = false;

  /** `opened` is called whenever it opens; `now` is a monotonic clock in milliseconds. */
  constructor(opened: () => void, now = () => performance.now()) {
    this.#opened = opened;
    this.#now = now;
  }

  /** Throws a PlacesError `unavailable`, with the seconds to wait, if no call may pass now. */
  check(): void {
    if (this.#openUntil === undefined) return;
    const left = this.#openUntil - this.#now();
    if (left > 0 || this.#isTrying) throw refusal('unavailable', left);
  }

  /** True while no calls, or only one at a time, may pass. */
  isOpen(): boolean {
    return this.#openUntil !== undefined;
  }

  /** Runs a call unless `check` throws; `judge` returns the verdict on its error. */
  async run<Result>(work: () => Promise<Result>, judge: (error: unknown) => Verdict): Promise<Result> {
    this.check();
    const isTrial = this.isOpen();
    this.#isTrying ||= isTrial;
    let verdict: Verdict = 'alive';
    try {
      return await work();
    } catch (error) {
      verdict = judge(error);
      throw error;
    } finally {
      if (isTrial) this.#isTrying = false;
      // A call that started before the breaker opened says nothing about now.
      if (isTrial || !this.isOpen()) this.#learn(verdict);
    }
  }

  #learn(verdict: Verdict): void {
    if (verdict === 'untried') return;
    this.#failures = verdict === 'alive' ? 0 : this.#failures + 1;
    if (verdict === 'alive') this.#openUntil = undefined;
    else if (this.#failures >= FAILURES) {
      this.#openUntil = this.#now() + OPEN_MS;
      this.#opened();
    }
  }
}

export interface BudgetOptions {
  readonly sql: QueryFile;
  readonly transactions: Pick<Transactions, 'write'>;
  /** Calls per UTC day; 0 for no limit. */
  readonly dailyLimit: number;
  /** Called when the budget of a day turns out to be used up. */
  readonly usedUp: () => void;
  /** The wall clock; for tests. */
  readonly now?: () => Date;
}

/** Limits the calls per UTC day, so that strangers cannot run up the operator's bill. */
export class Budget {
  readonly #options: BudgetOptions;
  readonly #sql;
  // Saves a write per request once the day's budget is spent.
  #spentDay: string | undefined;

  constructor(options: BudgetOptions) {
    this.#options = options;
    this.#sql = {
      countCall: options.sql.prepare<number>('countCall').pluck(),
      getCalls: options.sql.prepare<number>('getCalls').pluck(),
    };
  }

  /** Throws a PlacesError `spent`, with the seconds to midnight, if the budget is known to be used up. */
  check(): void {
    if (this.#spentDay === dayOf(this.#now())) throw this.#spent();
  }

  /** Counts one call; resolves once that is on disk. Rejects like `check`. */
  async take(): Promise<void> {
    const { transactions, dailyLimit: limit, usedUp } = this.#options;
    if (limit === 0) return;
    const day = dayOf(this.#now());
    const counted = await transactions.write(() => this.#sql.countCall.get({ day, limit }));
    if (counted !== undefined) return;
    if (this.#spentDay !== day) usedUp();
    this.#spentDay = day;
    throw this.#spent();
  }

  /** Today's calls and their limit; undefined without a limit, when calls are not counted. */
  state(): { readonly calls: number; readonly limit: number } | undefined {
    const { dailyLimit: limit } = this.#options;
    if (limit === 0) return undefined;
    return { calls: this.#sql.getCalls.get({ day: dayOf(this.#now()) }) ?? 0, limit };
  }

  #spent(): PlacesError {
    return refusal('spent', DAY_MS - (this.#now().getTime() % DAY_MS));
  }

  #now(): Date {
    return this.#options.now?.() ?? new Date();
  }
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
