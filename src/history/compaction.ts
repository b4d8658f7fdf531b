import { type BackgroundWork, createBackgroundWork } from '../storage/background.ts';
import { shareOf } from '../storage/share.ts';
import type { QueryFile } from '../storage/statements.ts';
import type { Transactions } from '../storage/transaction.ts';
import { placeOf } from './cursor.ts';
import type { ChangeRow } from './record.ts';
import { DAY_MS } from '../kit/time.ts';

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

interface Oldest extends Pick<
  ChangeRow,
  'id' | 'at' | 'kind' | 'entity_id' | 'action' | 'request_id' | 'kept_until'
> {
  readonly bytes: number;
  /** The id of the only user who may read it; 0 for everyone, null for no one, since its owner was erased. */
  readonly reader: number | null;
}

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
  const list = sql.prepare<{ id: number; bytes: number }>('listExpired');
  const expire = sql.prepare('expire');
  return (now) => {
    const ids = shareOf(list.all({ now: now.toISOString(), limit: SLICE })).map(({ id }) => id);
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
    const rows = shareOf(list.all({ limit: SLICE }));
    const end = rows.findIndex(({ at, kept_until }) => at >= before || kept_until !== null);
    const removed = rows.slice(0, end === -1 ? rows.length : end);
    const last = removed.at(-1);
    if (!last) return undefined;
    // A cursor ends where something that its reader could see was removed behind it.
    const floors = new Map(removed.map((row) => [row.reader, placeOf(row)]));
    return () => {
      remove.run({ id: last.id });
      for (const [reader, place] of floors) if (reader !== null) setFloor.run({ reader, ...place });
      removeBatches.run();
    };
  };
}
