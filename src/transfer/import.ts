import { parseNewLookup } from '../lookups/input.ts';
import type { LookupStore } from '../lookups/store.ts';
import type { NewRestaurant, RestaurantChange } from '../restaurants/fields.ts';
import { storedRestaurant } from '../restaurants/record.ts';
import type { RestaurantStore } from '../restaurants/store.ts';
import type { Write } from '../storage/change-log.ts';
import type { RatingImporter } from './ratings.ts';
import { type Row, parseRow } from './row.ts';
import type { SourceEntry } from './source.ts';

/** The outcome of one entry of an import file. */
export type ImportOutcome =
  | { readonly line: number; readonly result: 'created' | 'updated' | 'unchanged' }
  | { readonly line: number; readonly result: 'failed'; readonly reason: string };

export interface ImporterOptions {
  readonly restaurants: RestaurantStore;
  readonly categories: LookupStore;
  readonly foodTypes: LookupStore;
  readonly ratings: RatingImporter;
  /** Begins a write of the import. */
  readonly begin: () => Write;
}

/** An entry that was checked as far as can be done without the database. */
export type CheckedEntry =
  | { readonly line: number; readonly kind: 'restaurant'; readonly row: Row }
  | { readonly line: number; readonly kind: 'category' | 'food_type'; readonly name: string }
  | { readonly line: number; readonly kind: 'fault'; readonly fault: string };

/** Stores one entry and returns the outcome. */
export type Importer = (entry: CheckedEntry) => ImportOutcome;

/** Checks an entry by the rules of the API; outside of transactions, since it takes longer than storing it. */
export function checkEntry(entry: SourceEntry): CheckedEntry {
  if (entry.kind === 'fault') return entry;
  const { line, kind, fields } = entry;
  if (kind === 'restaurant') {
    const row = parseRow(fields);
    return row.ok ? { line, kind, row: row.value } : { line, kind: 'fault', fault: row.faults.join('; ') };
  }
  const named = parseNewLookup({ name: fields.get('name') });
  if (!named.ok) return { line, kind: 'fault', fault: named.faults.join('; ') };
  return { line, kind, name: named.value.name };
}

/**
 * A function that stores one entry after the other; each call is to be run inside a transaction. A restaurant that is
 * there already (same place id, or same name and address) gets the values of the file and keeps the others.
 * A restaurant that stood on an earlier line of the same file is a fault, so that the same file twice changes nothing.
 */
export function createImporter(options: ImporterOptions): Importer {
  const lineOf = new Map<number, number>();

  function importRestaurant(line: number, row: Row): ImportOutcome {
    const known = options.restaurants.findDuplicate(row.input);
    const earlier = known && lineOf.get(known.id);
    if (earlier !== undefined)
      return { line, result: 'failed', reason: `the same restaurant as on line ${earlier}` };
    // Lookups are writes of their own: a restaurant can be reverted without those that others have, too.
    const ids = lookupIds(row, options);
    const write = options.begin();
    const stored = known
      ? updateKnown(known.id, { ...row.given, ...ids }, write, options)
      : createNew({ ...row.input, ...ids }, row, write, options);
    if ('reason' in stored) return { line, result: 'failed', reason: stored.reason };
    lineOf.set(stored.id, line);
    const rated = options.ratings(stored.id, row.ratings, write);
    return { line, result: stored.result === 'unchanged' && rated > 0 ? 'updated' : stored.result };
  }

  return (entry) => {
    if (entry.kind === 'fault') return { line: entry.line, result: 'failed', reason: entry.fault };
    if (entry.kind === 'restaurant') return importRestaurant(entry.line, entry.row);
    const store = entry.kind === 'category' ? options.categories : options.foodTypes;
    const isNew = store.create(entry.name, options.begin()).outcome === 'done';
    return { line: entry.line, result: isNew ? 'created' : 'unchanged' };
  };
}

type Stored =
  { readonly id: number; readonly result: 'created' | 'updated' | 'unchanged' } | { readonly reason: string };

function createNew(
  input: NewRestaurant,
  { createdAt: made, updatedAt }: Row,
  write: Write,
  { restaurants }: ImporterOptions,
): Stored {
  const createdAt = made ?? write.now;
  const times = { createdAt, updatedAt: updatedAt ?? createdAt };
  return storedAs('created', restaurants.create(input, write, { times }));
}

function updateKnown(
  id: number,
  change: RestaurantChange,
  write: Write,
  { restaurants }: ImporterOptions,
): Stored {
  const record = restaurants.get(id);
  if (!record) return { reason: 'the restaurant is gone' };
  const before = storedRestaurant(record);
  const after: NewRestaurant = { ...before, ...change };
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
      return { reason: `the restaurant already exists: "${outcome.of.name}" (id ${outcome.of.id})` };
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
function lookupIds({ category, foodTypes }: Row, options: ImporterOptions): RestaurantChange {
  const idIn = (store: LookupStore, name: string): number => {
    const outcome = store.create(name, options.begin());
    return outcome.outcome === 'done' ? outcome.record.id : outcome.of.id;
  };
  const ids = foodTypes.map((name) => idIn(options.foodTypes, name));
  return {
    ...(category !== undefined && { category_id: idIn(options.categories, category) }),
    ...(ids.length > 0 && { food_type_ids: [...new Set(ids)] }),
  };
}
