import type { Principal } from '../http/context.ts';
import { conflict, forbidden, notFound, requireFound } from '../http/errors.ts';
import type { Write } from '../storage/change-log.ts';
import { storedEntity } from '../storage/stored.ts';
import { mergedInto } from './entities.ts';
import type { History } from './history.ts';
import { type ChangeRow, mayRevert } from './record.ts';
import { RevertRefused } from './revert.ts';

/** The change, if the caller may undo its whole write. Throws 404 or 403 otherwise. */
export function requireRevertible(
  { store }: Pick<History, 'store'>,
  id: number,
  principal: Principal | undefined,
  adminsOnly: boolean,
): ChangeRow {
  const row = store.get(id);
  if (!row || !principal || !store.isReadable(row, principal.userId)) throw notFound('Change');
  // A write may have changed lists of others along with what the caller reads; they are not an obstacle.
  const readable = store.ofWrite(row.write_id).filter((one) => store.isReadable(one, principal.userId));
  if (!readable.every((one) => mayRevert(one, principal, adminsOnly)))
    throw forbidden('This change is not yours to revert');
  return row;
}

/**
 * Undoes the write of a change for a caller. Returns the change that undid it. Throws 404, 403, or 409 with the obstacles. Must
 * run in the transaction of the write; roll it back on an error.
 */
export function undoWrite(
  { store, reverter }: Pick<History, 'store' | 'reverter'>,
  row: ChangeRow,
  write: Write,
): ChangeRow {
  try {
    reverter.revertWrite(row, write);
  } catch (error) {
    throw error instanceof RevertRefused ? conflict(error.message) : error;
  }
  const changeId = write.changeId();
  const all = changeId === undefined ? [] : store.ofWrite(changeId);
  const rows = all.filter((one) => store.isReadable(one, write.userId));
  return requireFound(rows.find(({ reverts }) => reverts === row.id) ?? rows[0], 'Change');
}

/** How many records the revert of a change moves from one restaurant to another. */
export function countMoves({ store, moves }: Pick<History, 'store' | 'moves'>, id: number): number {
  const row = store.get(id);
  const rows = row ? store.ofWrite(row.write_id) : [];
  const merged = rows.filter(({ kind, action, before, after }) => {
    const content = action === 'delete' ? before : action === 'restore' ? after : null;
    return kind === 'restaurant' && content !== null && mergedInto(storedEntity(content)) !== undefined;
  });
  return moves.count(merged.map(({ entity_id }) => entity_id));
}
