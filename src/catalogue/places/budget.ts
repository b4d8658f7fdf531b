import type { QueryFile } from '../../storage/statements.ts';
import type { Transactions } from '../../storage/transaction.ts';
import { PlacesError } from './provider.ts';
import { DAY_MS } from '../../kit/time.ts';

/** The calls that a UTC day may have, so that strangers cannot run up the operator's bill. */
export interface Budget {
  /** Throws a PlacesError `spent`, with the seconds to midnight, when it is known that none is left. */
  readonly check: () => void;
  /** Counts one call, on the disk when it resolves. Rejects like `check`. */
  readonly take: () => Promise<void>;
  /** The calls of this day and how many it may have; undefined without a limit, when they are not counted. */
  readonly state: () => { readonly calls: number; readonly limit: number } | undefined;
}

export interface BudgetOptions {
  readonly sql: QueryFile;
  readonly transactions: Pick<Transactions, 'write'>;
  /** Calls a UTC day; 0 for no limit. */
  readonly dailyLimit: number;
  /** Called when the budget of a day is found used up. */
  readonly usedUp: () => void;
  /** The wall clock; for tests. */
  readonly now?: () => Date;
}

/** Opens the budget on places.sql. */
export function createBudget({ sql, transactions, dailyLimit, usedUp, ...options }: BudgetOptions): Budget {
  const now = options.now ?? (() => new Date());
  const countCall = sql.prepare<{ calls: number }>('countCall');
  const getCalls = sql.prepare<{ calls: number }>('getCalls');
  // So that a flood of requests on such a day costs no write each.
  let spentDay: string | undefined;

  function spent(): PlacesError {
    return new PlacesError('spent', {
      retryAfter: Math.max(1, Math.ceil((DAY_MS - (now().getTime() % DAY_MS)) / 1000)),
    });
  }

  return {
    check: () => {
      if (spentDay === dayOf(now())) throw spent();
    },
    take: async () => {
      if (dailyLimit === 0) return;
      const day = dayOf(now());
      const counted = await transactions.write(() => countCall.get({ day, limit: dailyLimit }));
      if (counted) return;
      if (spentDay !== day) usedUp();
      spentDay = day;
      throw spent();
    },
    state: () =>
      dailyLimit === 0
        ? undefined
        : { calls: getCalls.get({ day: dayOf(now()) })?.calls ?? 0, limit: dailyLimit },
  };
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
