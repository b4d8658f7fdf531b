import type { ListRecord, StoredItem } from '../lists/record.ts';
import { type ListStore, MOST_LISTS, TOO_MANY_ITEMS, TOO_MANY_LISTS } from '../lists/store.ts';
import { PLACEHOLDER_ID, type Write } from '../../storage/change-log.ts';
import type { QueryFile } from '../../storage/statements.ts';

/** What a user has adopted. */
export interface Adopted {
  /** Lists that were moved as they are; those of a name that the user has were merged into the user's. */
  readonly lists: number;
  /** Items of merged lists that the user did not have. */
  readonly items: number;
  readonly visits: number;
}

/** Adoption is refused, and its transaction must be undone. */
export class AdoptionRefused extends Error {
  override readonly name = 'AdoptionRefused';
}

/**
 * Makes the lists and visits of the placeholder of mode none those of a user, with their changes in the log. Must be run
 * inside a transaction. Throws an AdoptionRefused where the user would have too much.
 */
export type Adoption = (userId: number, write: Write) => Adopted;

const SLICE = 500;

/** Opens it on adoption.sql. */
export function createAdoption(sql: QueryFile, lists: ListStore): Adoption {
  const adoptItems = sql.prepare('adoptItems');
  const adoptDeletedLists = sql.prepare('adoptDeletedLists');
  const adoptLists = sql.prepare('adoptLists');
  const adoptVisits = sql.prepare('adoptVisits');
  const adoptChanges = sql.prepare('adoptChanges');
  const deleteAnswers = sql.prepare('deletePlaceholderAnswers');
  const merge = createMerge(sql, lists);

  return (userId, write) => {
    let items = 0;
    for (const list of lists.ofOwner(null)) {
      const own = list.kind === 'own' ? lists.findNamed(userId, list.name) : lists.find(userId, list.kind);
      if (own) items += merge(list, own, write);
    }
    adoptItems.run({ userId });
    adoptDeletedLists.run({ userId });
    const moved = adoptLists.run({ userId }).changes;
    if (lists.ofOwner(userId).filter(({ kind }) => kind === 'own').length > MOST_LISTS)
      throw new AdoptionRefused(TOO_MANY_LISTS);
    const visits = adoptVisits.run({ userId }).changes;
    adoptChanges.run({ userId, placeholderId: PLACEHOLDER_ID });
    // They hold lists and visits as well.
    deleteAnswers.run({ placeholderId: PLACEHOLDER_ID });
    return { lists: moved, items, visits };
  };
}

/** Moves the items of a list into another one, where they keep their notes unless they have others there. */
function createMerge(
  sql: QueryFile,
  lists: ListStore,
): (from: ListRecord, to: ListRecord, write: Write) => number {
  const adoptHidden = sql.prepare('adoptHiddenItems');
  const empty = sql.prepare('emptyList');
  const forget = sql.prepare('forgetListChanges');

  /** Returns whether the item is a new one. */
  function put(to: ListRecord, item: StoredItem, write: Write): boolean {
    const { restaurant_id: id, note, created_at } = item;
    const before = lists.items.get(to.id, id);
    const outcome = lists.items.put(to.id, id, { note: before?.note ?? note }, write, created_at);
    if (outcome?.outcome === 'full') throw new AdoptionRefused(`${TOO_MANY_ITEMS}: ${to.name}`);
    return before === undefined;
  }

  return (from, to, write) => {
    const items = [...lists.items.slices(from.id, { offset: 0, limit: undefined }, SLICE)].flat();
    const added = items.filter((item) => put(to, item, write)).length;
    adoptHidden.run({ from: from.id, to: to.id, userId: to.author_id });
    if (from.kind === 'own') lists.remove(from.id, write);
    else {
      // The list itself stays the placeholder's: a change of it that was undone would change what is no one's.
      empty.run({ listId: from.id });
      forget.run({ listId: from.id });
    }
    return added;
  };
}
