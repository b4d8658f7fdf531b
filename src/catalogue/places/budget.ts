import type { QueryFile } from '../../storage/statements.ts';
import type { Transactions } from '../../storage/transaction.ts';
import { PlacesError } from './provider.ts';
import { DAY_MS } from '../../kit/time.ts';

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
  readonly #now: () => Date;
  // Saves a write per request once the day's budget is spent.
  #spentDay: string | undefined;

  constructor(options: BudgetOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => new Date());
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
    return limit === 0
      ? undefined
      : { calls: this.#sql.getCalls.get({ day: dayOf(this.#now()) }) ?? 0, limit };
  }

  #spent(): PlacesError {
    const left = DAY_MS - (this.#now().getTime() % DAY_MS);
    return new PlacesError('spent', { retryAfter: Math.max(1, Math.ceil(left / 1000)) });
  }
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
