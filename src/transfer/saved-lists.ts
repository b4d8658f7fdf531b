import { firstCharacters } from '../kit/input/fields.ts';
import { ListStore, TOO_MANY_ITEMS, TOO_MANY_LISTS } from '../people/lists/store.ts';
import type { ItemChange } from '../people/lists/items.ts';
import { LIST_NAME_MAX, parseNewList } from '../people/lists/input.ts';
import type { ListRecord } from '../people/lists/record.ts';
import type { Write } from '../storage/change-log.ts';
import type { Storage } from '../storage/storage.ts';
import type { FaultCode } from './faults.ts';
import { builtInListOf } from './takeout-names.ts';

// For a file whose name has nothing but markup.
const UNNAMED = 'Saved places';

/** A list as an answer names it: its id is null while it is missing. */
export interface FilledList {
  readonly id: number | null;
  readonly name: string;
}

/** The lists of a person that are filled from a file, each created with its first item. */
export class SavedLists {
  /** Whether restaurants that are there, and notes that items have, stay as they are. */
  readonly keeps: boolean;
  readonly ownerId: number | null;
  readonly #lists: ListStore;
  readonly #chosen: number | string | undefined;
  readonly #filled = new Set<string>();

  /**
   * The owner is null for the placeholder of mode none. `chosen` is the id or the name of the list that all places go on,
   * instead of those that the file says.
   */
  constructor(queries: Storage['queries'], ownerId: number | null, keeps: boolean, chosen?: number | string) {
    this.keeps = keeps;
    this.ownerId = ownerId;
    this.#lists = new ListStore(queries.file('lists'));
    this.#chosen = chosen;
  }

  /** False for a chosen list that the owner does not have. */
  get isThere(): boolean {
    if (typeof this.#chosen !== 'number') return true;
    return this.#lists.find(this.ownerId, this.#chosen)?.author_id === this.ownerId;
  }

  /** Adds a restaurant to the list of this title; a `createdAt` of the file is the item's as well. */
  add(
    title: string,
    restaurantId: number,
    item: ItemChange,
    createdAt: string | undefined,
    begin: () => Write,
  ): { readonly isWritten: boolean } | { readonly code: FaultCode; readonly reason: string } {
    this.expect(title);
    let list = this.#find(title);
    if (!list) {
      const made = this.#lists.create(this.ownerId, { name: this.#name(title), description: null }, begin());
      if (made.outcome !== 'done') return { code: 'list_full', reason: TOO_MANY_LISTS };
      list = made.record;
    }
    const { items } = this.#lists;
    const isNoted = this.keeps && (items.get(list.id, restaurantId)?.note ?? null) !== null;
    const had = createdAt === undefined ? undefined : { created_at: createdAt, author_id: this.ownerId };
    const stored = items.put(list.id, restaurantId, isNoted ? {} : item, begin(), had);
    return stored?.outcome === 'done'
      ? { isWritten: stored.isWritten }
      : { code: 'list_full', reason: TOO_MANY_ITEMS };
  }

  /** Notes that places of the file go on the list of this title. */
  expect(title: string): void {
    this.#filled.add(this.#name(title));
  }

  /** The lists that are filled, the first one first. */
  json(): readonly FilledList[] {
    return Array.from(this.#filled, (title) => {
      const { id = null, name = this.#name(title) } = this.#find(title) ?? {};
      return { id, name };
    });
  }

  #find(title: string): ListRecord | undefined {
    if (typeof this.#chosen === 'number') return this.#lists.find(this.ownerId, this.#chosen);
    const name = this.#name(title);
    const builtIn = builtInListOf(name);
    return builtIn === 'want' || builtIn === 'favourites'
      ? this.#lists.find(this.ownerId, builtIn)
      : this.#lists.findNamed(this.ownerId, name);
  }

  #name(title: string): string {
    const wanted = typeof this.#chosen === 'string' ? this.#chosen : title;
    const checked = parseNewList({ name: firstCharacters(wanted.trim(), LIST_NAME_MAX) });
    return checked.ok ? checked.value.name : UNNAMED;
  }
}
