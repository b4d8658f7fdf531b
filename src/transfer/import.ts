import type { Parsed } from '../kit/input/fields.ts';
import { parseItemChange } from '../people/lists/input.ts';
import type { ItemChange } from '../people/lists/items.ts';
import { parseNewLookup } from '../catalogue/lookups/input.ts';
import type { LookupStore } from '../catalogue/lookups/store.ts';
import type { RatingStore } from '../catalogue/ratings/store.ts';
import { type NewRestaurant, type RestaurantChange, changed } from '../catalogue/restaurants/fields.ts';
import { storedRestaurant } from '../catalogue/restaurants/record.ts';
import type { RestaurantStore } from '../catalogue/restaurants/store.ts';
import { alreadyExistsText } from '../kit/sentences.ts';
import type { Write } from '../storage/change-log.ts';
import type { CatalogueStores } from './export.ts';
import { type ImportedRating, type Row, parseRow } from './row.ts';
import { type Fault, type SourceEntry, textOf } from './source.ts';

const ALL = Number.MAX_SAFE_INTEGER;

/** The outcome of one entry of an import file. */
export type ImportOutcome = { readonly line: number } & (Result | Refusal);

interface Refusal {
  readonly reason: string;
  /** Of the restaurant, where it can be read. */
  readonly name?: string | undefined;
}

interface Result {
  readonly result: 'created' | 'updated' | 'unchanged';
}

/** An entry that was checked as far as can be done without the database. */
export type CheckedEntry =
  | (Fault & Pick<Refusal, 'name'>)
  | {
      readonly line: number;
      readonly kind: 'restaurant';
      readonly row: Row;
      /** As an item of a list. */
      readonly item?: ItemChange | undefined;
    }
  | { readonly line: number; readonly kind: 'category' | 'food_type'; readonly name: string };

type CheckedRestaurant = Extract<CheckedEntry, { readonly kind: 'restaurant' }>;

/** Checks an entry by the rules of the API; outside of transactions, since it takes longer than storing it. */
export function checkEntry(entry: SourceEntry): CheckedEntry {
  if ('fault' in entry) return entry;
  const { line, kind, fields } = entry;
  if (kind === 'restaurant') {
    const [row, item] = [parseRow(fields), checkItem(entry.item)];
    const faults = [row, item].flatMap((part) => (part.ok ? [] : part.faults));
    return row.ok && item.ok
      ? { line, kind, row: row.value, item: item.value }
      : { line, fault: faults.join('; '), name: textOf(fields.get('name')) };
  }
  const named = parseNewLookup({ name: fields.get('name') });
  return named.ok ? { line, kind, name: named.value.name } : { line, fault: named.faults.join('; ') };
}

/** Like the restaurant's own, an empty note does not count. */
function checkItem(item: { readonly note: string | undefined } | undefined): Parsed<ItemChange | undefined> {
  return item
    ? parseItemChange({ ...(item.note !== undefined && { note: item.note }) })
    : { ok: true, value: undefined };
}

/** Puts a restaurant on a list; a `createdAt` of the file is the item's as well. */
export type ItemAdder = (
  restaurantId: number,
  item: ItemChange,
  createdAt: string | undefined,
) => { readonly isWritten: boolean } | { readonly reason: string };

/**
 * A function that stores one entry after the other, each as a write that `begin` makes; each call is to be run inside a
 * transaction. A restaurant that is there already (an id in another catalogue, or name and address) gets the values of the file
 * and keeps the others. A restaurant that stood on an earlier line of the same file is a fault, so that the same file
 * twice changes nothing. With `addItem`, those that are items of a list go on it.
 */
export function createImporter(
  stores: CatalogueStores,
  begin: () => Write,
  addItem?: ItemAdder,
): (entry: CheckedEntry) => ImportOutcome {
  const lineOf = new Map<number, number>();

  function importRestaurant({ line, row, item }: CheckedRestaurant): Result | Refusal {
    const known = stores.restaurants.findDuplicate(row.input);
    const earlier = known && lineOf.get(known.id);
    if (earlier !== undefined)
      return { reason: `the same restaurant as on line ${earlier}`, name: row.input.name };
    // Lookups are writes of their own: a restaurant can be reverted without those that others have, too.
    const ids = lookupIds(row, stores, begin);
    const write = begin();
    const stored = known
      ? updateKnown(known.id, { ...row.given, ...ids }, write, stores)
      : createNew({ ...row.input, ...ids }, row, write, stores);
    if ('reason' in stored) return { ...stored, name: row.input.name };
    lineOf.set(stored.id, line);
    const rated = addRatings(stores.ratings, stored.id, row.ratings, write);
    const listed = item && addItem ? addItem(stored.id, item, row.createdAt) : { isWritten: false };
    // The restaurant is there for everyone, whether or not it is on the list.
    if ('reason' in listed) return { ...listed, name: row.input.name };
    const isUpdated = rated > 0 || listed.isWritten;
    return { result: stored.result === 'unchanged' && isUpdated ? 'updated' : stored.result };
  }

  return (entry) => {
    const { line } = entry;
    if ('fault' in entry) return { line, reason: entry.fault, name: entry.name };
    if (entry.kind === 'restaurant') return { line, ...importRestaurant(entry) };
    const store = entry.kind === 'category' ? stores.categories : stores.foodTypes;
    const isNew = store.create(entry.name, begin()).outcome === 'done';
    return { line, result: isNew ? 'created' : 'unchanged' };
  };
}

type Stored = (Result & { readonly id: number }) | Refusal;

function createNew(
  input: NewRestaurant,
  { createdAt: made, updatedAt }: Row,
  write: Write,
  { restaurants }: CatalogueStores,
): Stored {
  const createdAt = made ?? write.now;
  const times = { createdAt, updatedAt: updatedAt ?? createdAt };
  return storedAs('created', restaurants.create(input, write, { times }));
}

function updateKnown(
  id: number,
  change: RestaurantChange,
  write: Write,
  { restaurants }: CatalogueStores,
): Stored {
  const record = restaurants.get(id);
  if (!record) return storedAs('updated', undefined);
  const before = storedRestaurant(record);
  const after = changed(before, change);
  if (isSame(before, after)) return { id, result: 'unchanged' };
  return storedAs('updated', restaurants.update(id, after, write));
}

function storedAs(result: 'created' | 'updated', outcome: ReturnType<RestaurantStore['update']>): Stored {
  switch (outcome?.outcome) {
    case 'done':
      return { id: outcome.record.id, result };
    case 'invalid':
      return { reason: outcome.faults.join('; ') };
    case 'duplicate':
      return { reason: alreadyExistsText('the restaurant', outcome.of) };
    case undefined:
      return { reason: 'the restaurant is gone' };
  }
}

function isSame(before: NewRestaurant, after: NewRestaurant): boolean {
  const comparable = ({ food_type_ids, ...rest }: NewRestaurant): string =>
    JSON.stringify([Object.entries(rest).sort(), [...food_type_ids].sort((left, right) => left - right)]);
  return comparable(before) === comparable(after);
}

/** The ids of the row's category and food types, made where they are missing; nothing for those that the file does not have. */
function lookupIds(
  { category, foodTypes }: Row,
  stores: CatalogueStores,
  begin: () => Write,
): RestaurantChange {
  const idIn = (store: LookupStore, name: string): number => {
    const outcome = store.create(name, begin());
    return outcome.outcome === 'done' ? outcome.record.id : outcome.of.id;
  };
  const ids = foodTypes.map((name) => idIn(stores.foodTypes, name));
  return {
    ...(category !== undefined && { category_id: idIn(stores.categories, category) }),
    ...(ids.length > 0 && { food_type_ids: [...new Set(ids)] }),
  };
}

/**
 * Adds those ratings that a restaurant does not have yet and returns their number. One that is there already, as often
 * as the file has it, is left alone: ratings have no identity but their content.
 */
function addRatings(
  store: RatingStore,
  restaurantId: number,
  ratings: readonly ImportedRating[],
  write: Write,
): number {
  const present = ratings.length === 0 ? [] : [...store.list(restaurantId, undefined, ALL, 0)];
  const left = new Map<string, number>();
  for (const { food_rating, service_rating, ambiance_rating, comment, created_at } of present)
    for (const time of [created_at, null]) {
      const key = JSON.stringify([food_rating, service_rating, ambiance_rating, comment, time]);
      left.set(key, (left.get(key) ?? 0) + 1);
    }
  let added = 0;
  for (const rating of ratings) {
    const { createdAt, ...own } = rating;
    const { food_rating, service_rating, ambiance_rating, comment } = own;
    const key = JSON.stringify([food_rating, service_rating, ambiance_rating, comment, createdAt ?? null]);
    const others = left.get(key) ?? 0;
    left.set(key, others - 1);
    if (others > 0) continue;
    store.create({ ...own, restaurant_id: restaurantId }, write, createdAt);
    added += 1;
  }
  return added;
}
