import { basename, extname } from 'node:path';
import { firstCharacters } from '../kit/input/fields.ts';
import { type ListStore, TOO_MANY_ITEMS, TOO_MANY_LISTS } from '../people/lists/store.ts';
import type { ItemChange } from '../people/lists/items.ts';
import { NAME_MAX, parseNewList } from '../people/lists/input.ts';
import type { ListRecord } from '../people/lists/record.ts';
import type { Write } from '../storage/change-log.ts';

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

/** The list that receives the places of a file. The owner is null for the placeholder of mode none. */
export interface ListTarget {
  readonly ownerId: number | null;
  /** The title of the file, which is the name of the list; undefined if it has none. */
  readonly title: () => string | undefined;
  /** A path, whose name is that of the list otherwise. */
  readonly file: string;
  /** Whether restaurants that are there, and notes that items have, stay as they are. */
  readonly keeps: boolean;
}

/** A list that is filled from a file, and created with its first item. */
export class SavedList {
  readonly keeps: boolean;
  readonly #lists: ListStore;
  readonly #target: ListTarget;
  readonly #begin: () => Write;
  #isNew = false;

  constructor(lists: ListStore, target: ListTarget, begin: () => Write) {
    this.keeps = target.keeps;
    this.#lists = lists;
    this.#target = target;
    this.#begin = begin;
  }

  /** Adds a restaurant to the list; a `createdAt` of the file is the item's as well. */
  add(
    restaurantId: number,
    item: ItemChange,
    createdAt: string | undefined,
  ): { readonly isWritten: boolean } | { readonly reason: string } {
    const found = this.#find();
    const list = found ?? this.#lists.findOrCreate(this.#target.ownerId, this.#name(), this.#begin());
    if (!list) return { reason: TOO_MANY_LISTS };
    this.#isNew ||= !found;
    const { ownerId } = this.#target;
    const { items } = this.#lists;
    const isNoted = this.keeps && (items.get(list.id, restaurantId)?.note ?? null) !== null;
    const had = createdAt === undefined ? undefined : { created_at: createdAt, author_id: ownerId };
    const stored = items.put(list.id, restaurantId, isNoted ? {} : item, this.#begin(), had);
    return stored?.outcome === 'done' ? { isWritten: stored.isWritten } : { reason: TOO_MANY_ITEMS };
  }

  /** Its name, and its id unless it is missing or, with `isDryRun`, was created here. */
  json(isDryRun: boolean): { readonly id: number | null; readonly name: string } {
    const found = this.#find();
    const id = isDryRun && this.#isNew ? undefined : found?.id;
    return { id: id ?? null, name: found?.name ?? this.#name() };
  }

  #find(): ListRecord | undefined {
    const name = this.#name();
    const { ownerId } = this.#target;
    const builtIn = BUILT_IN.get(name.toLowerCase());
    return builtIn === undefined ? this.#lists.findNamed(ownerId, name) : this.#lists.find(ownerId, builtIn);
  }

  #name(): string {
    const { title, file } = this.#target;
    const name = firstCharacters((title() ?? basename(file, extname(file))).trim(), NAME_MAX);
    const checked = parseNewList({ name });
    return checked.ok ? checked.value.name : UNNAMED;
  }
}
