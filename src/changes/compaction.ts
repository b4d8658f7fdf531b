import type { QueryFile } from '../storage/statements.ts';
import type { Transactions } from '../storage/transaction.ts';
import { reasonOf } from '../system-error.ts';
import { placeOf } from './cursor.ts';
import type { ChangeRow } from './record.ts';

/** Forgets what is too old: what deletions have kept, and changes. */
export interface Compaction {
  /** Begins at once, and goes on again and again. */
  readonly start: () => void;
  /** Nothing is written after this. */
  readonly stop: () => void;
}

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
// Some five milliseconds of a write transaction, and as much time for others in between.
const SLICE = 200;
const PAUSE_MS = 5;

/** Makes a compaction that has not begun. */
export function createCompaction(options: CompactionOptions): Compaction {
  const { transactions, forgotten, report } = options;
  const [expire, removeOldest] = [createExpiry(options), createRemoval(options)];
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let hasForgotten = false;

  function schedule(ms: number): void {
    if (isStopped) return;
    timer = setTimeout(() => void run(), ms);
    timer.unref();
  }

  async function run(): Promise<void> {
    const now = new Date();
    try {
      const work = [expire, removeOldest].map((find) => find(now)).find((found) => found !== undefined);
      if (work) {
        await transactions.write(work);
        hasForgotten = true;
        schedule(PAUSE_MS);
        return;
      }
      if (hasForgotten) forgotten();
      hasForgotten = false;
    } catch (error) {
      if (!isStopped) report('compacting the change log failed', { error: reasonOf(error) });
    }
    schedule(EVERY_MS);
  }

  return {
    start: () => {
      schedule(0);
    },
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** Finds a slice of work; undefined when there is none. */
type Finder = (now: Date) => (() => void) | undefined;

function createExpiry({ sql }: CompactionOptions): Finder {
  const list = sql.prepare<{ id: number }>('listExpired');
  const expire = sql.prepare('expire');
  return (now) => {
    const ids = list.all({ now: now.toISOString(), limit: SLICE }).map(({ id }) => id);
    if (ids.length === 0) return undefined;
    return () => {
      expire.run({ ids: JSON.stringify(ids) });
    };
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
