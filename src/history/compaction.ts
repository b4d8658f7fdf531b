import { DAY_MS, MINUTE_MS } from '../kit/time.ts';
import { BackgroundWork, shareOf } from '../storage/background.ts';
import type { Storage } from '../storage/storage.ts';
import { logPositionOf } from './cursor.ts';
import type { ChangeRow } from './record.ts';

type Oldest = Pick<ChangeRow, 'id' | 'at' | 'kind' | 'entity_id' | 'action' | 'request_id' | 'kept_until'> & {
  readonly bytes: number;
  /** The id of the only user who may read it; 0 for everyone, null if its owner was erased: then no user may. */
  readonly reader: number | null;
};

const EVERY_MS = 10 * MINUTE_MS;
// About five milliseconds of a write transaction.
const SLICE = 200;

/**
 * Creates the background task that removes deleted entities once they can no longer be restored, and changes older than
 * `changeLogDays`. `ended` is called when it has removed something.
 */
export function createCompaction(
  { queries, transactions }: Pick<Storage, 'queries' | 'transactions'>,
  changeLogDays: number,
  report: (message: string, fields: Readonly<Record<string, string>>) => void,
  ended: () => void,
): BackgroundWork {
  const sql = queries.file('compaction');
  const listExpired = sql.prepare<{ id: number; bytes: number }>('listExpired');
  const expire = sql.prepare('expire');
  const listOldest = sql.prepare<Oldest>('listOldest');
  const remove = sql.prepare('deleteUpTo');
  const setFloor = sql.prepare('setFloor');
  const removeBatches = sql.prepare('deleteEmptyBatches');

  function findExpired(now: Date): (() => unknown) | undefined {
    const ids = shareOf(listExpired.all({ now: now.toISOString(), limit: SLICE })).map(({ id }) => id);
    return ids.length > 0 ? () => expire.run({ ids: JSON.stringify(ids) }) : undefined;
  }

  /** Removes only from the beginning, so that the log has no gaps; stops at a deletion that can still be undone. */
  function findOldest(now: Date): (() => void) | undefined {
    const before = new Date(now.getTime() - changeLogDays * DAY_MS).toISOString();
    const rows = shareOf(listOldest.all({ limit: SLICE }));
    const end = rows.findIndex(({ at, kept_until }) => at >= before || kept_until !== null);
    const removed = rows.slice(0, end === -1 ? rows.length : end);
    const last = removed.at(-1);
    if (!last) return undefined;
    // A cursor becomes invalid once a change after it that its reader could see is removed.
    const floors = new Map(removed.map((row) => [row.reader, logPositionOf(row)]));
    return () => {
      remove.run({ id: last.id });
      for (const [reader, place] of floors) if (reader !== null) setFloor.run({ reader, ...place });
      removeBatches.run();
    };
  }

  return new BackgroundWork({
    transactions,
    ended,
    failed: (fields) => {
      report('compacting the change log failed', fields);
    },
    idleMs: EVERY_MS,
    retryMs: EVERY_MS,
    next: () => findExpired(new Date()) ?? findOldest(new Date()),
  });
}
