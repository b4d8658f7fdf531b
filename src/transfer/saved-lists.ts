import { basename, extname } from 'node:path';
import { firstCharacters } from '../kit/input/fields.ts';
import { type ListStore, TOO_MANY_ITEMS, TOO_MANY_LISTS } from '../people/lists/store.ts';
import type { ItemChange } from '../people/lists/items.ts';
import { NAME_MAX, parseNewList } from '../people/lists/input.ts';
import type { ListRecord } from '../people/lists/record.ts';
import type { Write } from '../storage/change-log.ts';
import type { ItemAdder } from './importer.ts';

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
  /** A path: its name is that of the list. */
  readonly file: string;
}

/** Returns a function that adds a restaurant to the list, and creates the list on its first call. */
export function createItemAdder(
  lists: ListStore,
  { ownerId, file }: ListTarget,
  begin: () => Write,
): ItemAdder {
  const name = nameOf(file);
  const builtIn = BUILT_IN.get(name.toLowerCase());
  const find = (): ListRecord | undefined =>
    builtIn === undefined ? lists.findOrCreate(ownerId, name, begin()) : lists.find(ownerId, builtIn);
  return (restaurantId, item: ItemChange, createdAt) => {
    const list = find();
    if (!list) return { reason: TOO_MANY_LISTS };
    const had = createdAt === undefined ? undefined : { created_at: createdAt, author_id: ownerId };
    const stored = lists.items.put(list.id, restaurantId, item, begin(), had);
    return stored?.outcome === 'done' ? { isWritten: stored.isWritten } : { reason: TOO_MANY_ITEMS };
  };
}

/** The name of a file without its ending, as the name of a list. */
function nameOf(file: string): string {
  const name = firstCharacters(basename(file, extname(file)).trim(), NAME_MAX);
  const checked = parseNewList({ name });
  return checked.ok ? checked.value.name : UNNAMED;
}
