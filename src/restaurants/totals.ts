import type { QueryFile } from '../storage/statements.ts';

const MAX_TOTALS = 1_000;

/**
 * Totals that were counted, for as long as nobody writes: `data_version` tells the commits of other processes,
 * `total_changes` the rows written by this one.
 */
export function createTotalMemory(sql: QueryFile): (key: string, count: () => number) => number {
  const contentVersion = sql.prepare<{ version: string }>('contentVersion');
  const totals = new Map<string, number>();
  let version: string | undefined;
  return (key, count) => {
    const now = contentVersion.get()?.version;
    if (now !== version || totals.size >= MAX_TOTALS) totals.clear();
    version = now;
    const total = totals.get(key) ?? count();
    totals.set(key, total);
    return total;
  };
}
