import { COMMAND_LINE, ChangeLog, type Write } from '../../src/storage/change-log.ts';
import type { Storage } from '../../src/storage/storage.ts';

/** Starts writes for a test that uses the stores themselves; to be called within a transaction. */
export function openWrites({ queries, transactions }: Storage): () => Write {
  const log = new ChangeLog(queries.file('change-log'), transactions, 30);
  return () => log.begin(COMMAND_LINE);
}
