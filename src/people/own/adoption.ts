import { PLACEHOLDER_ID, type Write } from '../../storage/change-log.ts';
import type { QueryFile } from '../../storage/statements.ts';
import { MOST_ITEMS } from '../lists/items.ts';
import type { ListRecord } from '../lists/record.ts';
import { type ListStore, MOST_LISTS, TOO_MANY_ITEMS, TOO_MANY_LISTS } from '../lists/store.ts';

/** Adoption is refused, and its transaction must be undone. */
export class AdoptionRefused extends Error {
  override readonly name = 'AdoptionRefused';
}

/**
 * Moves the lists, visits and outings of the placeholder of mode none to a user, with their changes in the log. Returns the
 * numbers of lists moved whole, of items merged into lists of the same name, and of visits and outings moved. Must run in a
 * transaction. Throws an AdoptionRefused if the user would have too many. `sql` is adoption.sql.
 */
export function adopt(
  sql: QueryFile,
  store: ListStore,
  userId: number,
  write: Write,
): Readonly<Record<'lists' | 'items' | 'visits' | 'outings', number>> {
  const placeholderId = PLACEHOLDER_ID;
  let items = 0;
  for (const list of store.ofOwner(null)) {
    const own = list.kind === 'own' ? store.findNamed(userId, list.name) : store.find(userId, list.kind);
    if (own) items += merge(sql, store, list, own, write);
  }
  sql.prepare('adoptItems').run({ userId });
  sql.prepare('adoptDeletedLists').run({ userId });
  const lists = sql.prepare('adoptLists').run({ userId }).changes;
  if (store.ofOwner(userId).filter(({ kind }) => kind === 'own').length > MOST_LISTS)
    throw new AdoptionRefused(TOO_MANY_LISTS);
  const visits = sql.prepare('adoptVisits').run({ userId }).changes;
  const outings = sql.prepare('adoptOutings').run({ userId }).changes;
  sql.prepare('forgetPlaceholderBallots').run({ userId });
  sql.prepare('adoptBallots').run({ userId });
  sql.prepare('adoptChanges').run({ userId, placeholderId });
  // They hold lists and visits as well.
  sql.prepare('deletePlaceholderAnswers').run({ placeholderId });
  return { lists, items, visits, outings };
}

/** Moves the items of a list to another one, with notes that the other one lacks. Returns how many were added. */
function merge(sql: QueryFile, store: ListStore, from: ListRecord, to: ListRecord, write: Write): number {
  let added = 0;
  // Read first, so that no statement is open while the items are written.
  for (const { restaurant_id: id, note, created_at } of [
    ...store.items.read(from.id, undefined, MOST_ITEMS, 0),
  ]) {
    const before = store.items.get(to.id, id);
    const had = { created_at, author_id: to.author_id };
    const outcome = store.items.put(to.id, id, { note: before?.note ?? note }, write, had);
    if (outcome?.outcome === 'full') throw new AdoptionRefused(`${TOO_MANY_ITEMS}: ${to.name}`);
    if (!before) added += 1;
  }
  sql.prepare('adoptHiddenItems').run({ from: from.id, to: to.id, userId: to.author_id });
  if (from.kind === 'own') store.remove(from.id, write);
  else {
    // The list stays with the placeholder, so forget its changes: an undo must not touch a list without an owner.
    sql.prepare('emptyList').run({ listId: from.id });
    sql.prepare('forgetListChanges').run({ listId: from.id });
  }
  return added;
}
