import type { ListRecord } from '../lists/record.ts';
import { type ListStore, MOST_LISTS, TOO_MANY_ITEMS, TOO_MANY_LISTS } from '../lists/store.ts';
import { PLACEHOLDER_ID, type Write } from '../../storage/change-log.ts';
import type { QueryFile } from '../../storage/statements.ts';

/** Adoption is refused, and its transaction must be undone. */
export class AdoptionRefused extends Error {
  override readonly name = 'AdoptionRefused';
}

/** Gives the lists and visits of the placeholder of mode none to a user, with their changes in the log. */
export class Adoption {
  readonly #lists: ListStore;
  readonly #sql;

  /** Opens it on adoption.sql. */
  constructor(sql: QueryFile, lists: ListStore) {
    this.#lists = lists;
    this.#sql = {
      adoptItems: sql.prepare('adoptItems'),
      adoptDeletedLists: sql.prepare('adoptDeletedLists'),
      adoptLists: sql.prepare('adoptLists'),
      adoptVisits: sql.prepare('adoptVisits'),
      adoptChanges: sql.prepare('adoptChanges'),
      adoptHiddenItems: sql.prepare('adoptHiddenItems'),
      deleteAnswers: sql.prepare('deletePlaceholderAnswers'),
      emptyList: sql.prepare('emptyList'),
      forgetListChanges: sql.prepare('forgetListChanges'),
    };
  }

  /**
   * Returns how many lists were moved as they are, how many items were added to lists of the same name, and how many visits
   * were moved. Must run inside a transaction. Throws an AdoptionRefused where the user would have too much.
   */
  adopt(userId: number, write: Write): Readonly<Record<'lists' | 'items' | 'visits', number>> {
    let items = 0;
    for (const list of this.#lists.ofOwner(null)) {
      const own =
        list.kind === 'own' ? this.#lists.findNamed(userId, list.name) : this.#lists.find(userId, list.kind);
      if (own) items += this.#merge(list, own, write);
    }
    this.#sql.adoptItems.run({ userId });
    this.#sql.adoptDeletedLists.run({ userId });
    const lists = this.#sql.adoptLists.run({ userId }).changes;
    if (this.#lists.ofOwner(userId).filter(({ kind }) => kind === 'own').length > MOST_LISTS)
      throw new AdoptionRefused(TOO_MANY_LISTS);
    const visits = this.#sql.adoptVisits.run({ userId }).changes;
    this.#sql.adoptChanges.run({ userId, placeholderId: PLACEHOLDER_ID });
    // They hold lists and visits as well.
    this.#sql.deleteAnswers.run({ placeholderId: PLACEHOLDER_ID });
    return { lists, items, visits };
  }

  /** Moves the items of a list to another one, where they take their notes along unless there are others. */
  #merge(from: ListRecord, to: ListRecord, write: Write): number {
    const { items } = this.#lists;
    let added = 0;
    for (const { restaurant_id: id, note, created_at } of [...items.read(from.id, undefined, -1, 0)]) {
      const before = items.get(to.id, id);
      const outcome = items.put(to.id, id, { note: before?.note ?? note }, write, created_at);
      if (outcome?.outcome === 'full') throw new AdoptionRefused(`${TOO_MANY_ITEMS}: ${to.name}`);
      if (!before) added += 1;
    }
    this.#sql.adoptHiddenItems.run({ from: from.id, to: to.id, userId: to.author_id });
    if (from.kind === 'own') this.#lists.remove(from.id, write);
    else {
      // The list itself stays the placeholder's: if a change of it were undone, that would change what is no one's.
      this.#sql.emptyList.run({ listId: from.id });
      this.#sql.forgetListChanges.run({ listId: from.id });
    }
    return added;
  }
}
