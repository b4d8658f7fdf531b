import { type BackgroundWork, createBackgroundWork } from '../storage/background.ts';
import type { QueryFile } from '../storage/statements.ts';
import type { Transactions } from '../storage/transaction.ts';
import { placeOf } from './cursor.ts';
import type { ChangeRow } from './record.ts';

export interface CompactionOptions {
  /** compaction.sql */
  readonly sql: QueryFile;
  readonly transactions: Pick<Transactions, 'write'>;
  /** Days after which changes go. */
  readonly changeLogDays: number;
  /** Called when something was forgotten: files may be due, categories may be gone for good. */
  readonly forgotten: () => void;
  readonly report: (message: string, fields: Readonly<Record<string, string>>) => void;
}

type Oldest = Pick<ChangeRow, 'id' | 'at' | 'kind' | 'entity_id' | 'action' | 'request_id' | 'kept_until'>;

const DAY_MS = 24 * 60 * 60 * 1000;
const EVERY_MS = 10 * 60 * 1000;
// Some five milliseconds of a write transaction.
const SLICE = 200;

/**
 * Makes the work that forgets deleted entities whose time to be restored is over, and old changes; again and again once
 * it is woken.
 */
export function createCompaction(options: CompactionOptions): BackgroundWork {
  const { transactions, forgotten, report } = options;
  const [expire, removeOldest] = [createExpiry(options), createRemoval(options)];
  let hasForgotten = false;
  return createBackgroundWork({
    transactions,
    next: () => {
      const now = new Date();
      const slice = expire(now) ?? removeOldest(now);
      if (!slice && hasForgotten) forgotten();
      hasForgotten = slice !== undefined;
      return slice;
    },
    ...{ idleMs: EVERY_MS, retryMs: EVERY_MS },
    failed: (fields) => {
      report('compacting the change log failed', fields);
    },
  });
}

/** Finds a slice of work; undefined when there is none. */
type Finder = (now: Date) => (() => unknown) | undefined;

function createExpiry({ sql }: CompactionOptions): Finder {
  const list = sql.prepare<number>('listExpired').pluck();
  const expire = sql.prepare('expire');
  return (now) => {
    const ids = list.all({ now: now.toISOString(), limit: SLICE });
    return ids.length > 0 ? () => expire.run({ ids: JSON.stringify(ids) }) : undefined;
  };
}

/** Removes from the beginning alone, so that the log has no gaps; a deletion that can still be undone ends it. */
function createRemoval({ sql, changeLogDays }: CompactionOptions): Finder {
  const list = sql.prepare<Oldest>('listOldest');
  const remove = sql.prepare('deleteUpTo');
  const setFloor = sql.prepare('setFloor');
  const removeBatches = sql.prepare('deleteEmptyBatches');
  return (now) => {
    const before = new Date(now.getTime() - changeLogDays * DAY_MS).toISOString();
    const rows = list.all({ limit: SLICE });
    const end = rows.findIndex(({ at, kept_until }) => at >= before || kept_until !== null);
    const last = rows.slice(0, end === -1 ? rows.length : end).at(-1);
    if (!last) return undefined;
    return () => {
      remove.run({ id: last.id });
      setFloor.run({ ...placeOf(last) });
      removeBatches.run();
    };
  };
}
