import { firstCharacters } from '../kit/input/fields.ts';
import { ListStore, TOO_MANY_ITEMS, TOO_MANY_LISTS } from '../people/lists/store.ts';
import type { ItemChange } from '../people/lists/items.ts';
import { NAME_MAX, parseNewList } from '../people/lists/input.ts';
import type { ListRecord } from '../people/lists/record.ts';
import type { Write } from '../storage/change-log.ts';
import type { Storage } from '../storage/storage.ts';

// The files of Google Takeout for the lists that everyone has, by language of the account.
const BUILT_IN: ReadonlyMap<string, 'want' | 'favourites'> = new Map([
  ['want to go', 'want'],
  ['favorite places', 'favourites'],
  ['favourite places', 'favourites'],
  ['favorites', 'favourites'],
  ['favourites', 'favourites'],
]);

// For a file whose name has nothing but markup.
const UNNAMED = 'Saved places';

/** A list that is filled from a file, and created with its first item. */
export class SavedList {
  /** Whether restaurants that are there, and notes that items have, stay as they are. */
  readonly keeps: boolean;
  readonly #lists: ListStore;
  readonly #ownerId: number | null;
  readonly #title: () => string;

  /** The owner is null for the placeholder of mode none. The title of the file is the name of the list. */
  constructor(queries: Storage['queries'], ownerId: number | null, title: () => string, keeps: boolean) {
    this.keeps = keeps;
    this.#lists = new ListStore(queries.file('lists'));
    this.#ownerId = ownerId;
    this.#title = title;
  }

  /** Adds a restaurant to the list; a `createdAt` of the file is the item's as well. */
  add(
    restaurantId: number,
    item: ItemChange,
    createdAt: string | undefined,
    begin: () => Write,
  ): { readonly isWritten: boolean } | { readonly reason: string } {
    let list = this.#find();
    if (!list) {
      const made = this.#lists.create(this.#ownerId, { name: this.#name(), description: null }, begin());
      if (made.outcome !== 'done') return { reason: TOO_MANY_LISTS };
      list = made.record;
    }
    const { items } = this.#lists;
    const isNoted = this.keeps && (items.get(list.id, restaurantId)?.note ?? null) !== null;
    const had = createdAt === undefined ? undefined : { created_at: createdAt, author_id: this.#ownerId };
    const stored = items.put(list.id, restaurantId, isNoted ? {} : item, begin(), had);
    return stored?.outcome === 'done' ? { isWritten: stored.isWritten } : { reason: TOO_MANY_ITEMS };
  }

  /** Its name, and its id; null while it is missing. */
  json(): { readonly id: number | null; readonly name: string } {
    const { id = null, name = this.#name() } = this.#find() ?? {};
    return { id, name };
  }

  #find(): ListRecord | undefined {
    const name = this.#name();
    const builtIn = BUILT_IN.get(name.toLowerCase());
    return builtIn === undefined
      ? this.#lists.findNamed(this.#ownerId, name)
      : this.#lists.find(this.#ownerId, builtIn);
  }

  #name(): string {
    const checked = parseNewList({ name: firstCharacters(this.#title().trim(), NAME_MAX) });
    return checked.ok ? checked.value.name : UNNAMED;
  }
}
