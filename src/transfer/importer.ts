import { parseNewLookup } from '../catalogue/lookups/input.ts';
import type { Finder } from '../catalogue/duplicates/finder.ts';
import type { NewRating } from '../catalogue/ratings/record.ts';
import { type NewRestaurant, type RestaurantChange, changed } from '../catalogue/restaurants/fields.ts';
import type { WriteOutcome } from '../catalogue/restaurants/store.ts';
import {
  type Distinction,
  differ,
  groupKey,
  isExact,
  share,
  distinctionOf,
} from '../catalogue/restaurants/traits.ts';
import type { CatalogueStores } from '../catalogue/stores.ts';
import { cutText } from '../kit/input/fields.ts';
import { alreadyExistsText } from '../kit/sentences.ts';
import { NOTE_MAX } from '../people/lists/input.ts';
import type { ItemChange } from '../people/lists/items.ts';
import { type Write, isSame } from '../storage/change-log.ts';
import { caseKey, identityKey } from '../storage/text.ts';
import { type ImportedRating, type Row, parseRow } from './row.ts';
import type { Notes } from './notes.ts';
import { type Fault, type FaultCode, faultAt } from './faults.ts';
import type { SavedLists } from './saved-lists.ts';
import { type SourceEntry, textOf } from './source.ts';

// The further branches of a chain with more than this are found by ids alone.
const MOST_NAMED = 20;
const ALL = Number.MAX_SAFE_INTEGER;

/** An entry that could not be imported. */
export interface ImportFault {
  readonly line: number;
  readonly reason: string;
  readonly code: FaultCode;
  /** The name of the restaurant, where it can be read. */
  readonly name?: string | undefined;
}

/**
 * The outcome of one entry of an import file. Unknown is a saved place that is not in the catalogue, and that the importing
 * user may not add to it.
 */
export type ImportOutcome =
  ImportFault | (Pick<ImportFault, 'line' | 'name'> & (Done | { readonly result: 'unknown' }));

interface Done {
  readonly result: 'created' | 'updated' | 'unchanged';
  /** Whether it is new and looks like a restaurant that was there before. */
  readonly isLikeOther?: boolean;
}

/** An entry after the checks that need no database. */
export type CheckedEntry = (Fault & Pick<ImportFault, 'name'>) | CheckedPlace | CheckedLookup;

interface CheckedLookup {
  readonly line: number;
  readonly kind: 'category' | 'food_type';
  readonly name: string;
}

interface CheckedPlace {
  readonly line: number;
  readonly kind: 'restaurant';
  readonly row: Row;
  /** As an item of a list, which has a title in the file. */
  readonly item: ItemChange | undefined;
  readonly list: string;
  /** True for one with a review by the importing person. */
  readonly isReview: boolean;
  /** Whether the file has more of the note than an item. */
  readonly isCut: boolean;
}

/**
 * Checks an entry by the rules of the API, and notes the values that these do not allow. With `listsSaved`, a place that a person
 * saved becomes an item of a list, which has their note; what does not fit is cut. Call it outside transactions: it takes longer
 * than storing the entry.
 */
export function checkEntry(entry: SourceEntry, listsSaved: boolean, notes: Notes): CheckedEntry {
  if ('fault' in entry) return entry;
  const { line, kind, fields, note, list = '', isReview = false } = entry;
  if (kind !== 'restaurant') {
    const named = parseNewLookup({ name: fields.get('name') });
    return named.ok
      ? { line, kind, name: named.value.name }
      : faultAt(line, 'not_valid', named.faults.join('; '));
  }
  const row = parseRow(fields, (field, reason, value) => {
    notes.leftOut(field, reason, line, value);
  });
  if (!row.ok)
    return { ...faultAt(line, 'not_valid', row.faults.join('; ')), name: textOf(fields.get('name')) };
  const place = { line, kind, row: row.value, list, isReview, item: undefined, isCut: false };
  if (entry.isSaved !== true || isReview) return place;
  if (!listsSaved) {
    if (note !== undefined) notes.leftOut('note', 'without_user', line, note);
    return place;
  }
  const [cut, whole] = [cutText(note, NOTE_MAX), cutText(note, Infinity)];
  // Like the restaurant's own, an empty note does not count.
  return { ...place, item: cut === null ? {} : { note: cut }, isCut: cut !== whole };
}

/**
 * Stores entries one after the other, each as a separate write, inside a transaction of the caller. An existing restaurant
 * (with the same id in another catalogue, or the same name and address) gets the values of the file, and its others stay. A
 * saved place that is certainly an existing restaurant only goes on the list. A second entry for one restaurant is a fault,
 * so that importing the same file again changes nothing.
 */
export class Importer {
  readonly #stores: CatalogueStores;
  readonly #begin: () => Write;
  readonly #lists: SavedLists | undefined;
  readonly #finder: Finder;
  /** Where in the file a restaurant stands that was stored, by its id if it was there before, and by all that identifies it. */
  readonly #lineOf = new Map<number | string, number>();
  /** The places of the file that have no exact address, by their names. */
  readonly #named = new Map<string, { readonly line: number; readonly traits: Distinction }[]>();
  /** The categories and food types that the file has named. */
  readonly #lookups = new Set<string>();

  /**
   * `begin` begins a write, `finder` finds restaurants that were there before the import. With `lists`, those restaurants
   * that are items of a list go on it.
   */
  constructor(stores: CatalogueStores, begin: () => Write, finder: Finder, lists: SavedLists | undefined) {
    this.#stores = stores;
    this.#begin = begin;
    this.#finder = finder;
    this.#lists = lists;
  }

  /** `mayAdd` is whether missing places become restaurants. */
  store(entry: CheckedEntry, mayAdd: boolean): ImportOutcome {
    const { line } = entry;
    if ('fault' in entry) return { line, reason: entry.fault, code: entry.code, name: entry.name };
    if (entry.kind === 'restaurant') {
      const { name } = entry.row.input;
      return { line, ...this.#storeRestaurant(entry, mayAdd), name };
    }
    const isNew = this.#lookupId(entry.kind, entry.name).isNew;
    return { line, result: isNew ? 'created' : 'unchanged' };
  }

  #storeRestaurant(
    { line, row, item, list, isReview }: CheckedPlace,
    mayAdd: boolean,
  ): Done | { readonly result: 'unknown' } | Refused {
    const { restaurants } = this.#stores;
    const traits = distinctionOf(row.input);
    const same = this.#find(row.input, traits);
    const alike = same ? [] : this.#finder.find(row.input);
    // The catalogue has better names of places than what people saved elsewhere.
    const certain =
      item || isReview
        ? alike.find(({ id, certain: isCertain }) => {
            const other = isCertain ? restaurants.get(id) : undefined;
            return other !== undefined && !differ(traits, distinctionOf(other));
          })
        : undefined;
    const known = same ?? certain;
    // A dry run has rolled back earlier lines.
    const keys = [...(known ? [known.id] : []), ...identitiesOf(row.input)];
    const earlier = keys.map((key) => this.#lineOf.get(key)).find((earlierLine) => earlierLine !== undefined);
    const twin = earlier ?? this.#twinOf(row.input, traits);
    if (twin !== undefined) return refused('same_line', String(twin));
    if (!known && !mayAdd) return { result: 'unknown' };
    // Of a saved place that goes on a list, the moments are those of the item alone.
    const isKept = (item !== undefined || isReview) && this.#lists?.keeps === true;
    // Lookups are separate writes: a restaurant can be reverted without those that others have by then.
    const ids = certain ? {} : this.#lookupIds(row);
    const write = this.#begin();
    const stored = known
      ? this.#update(known.id, isKept || certain ? {} : { ...row.present, ...ids }, write)
      : this.#create({ ...row.input, ...ids }, write, isKept ? {} : row);
    if ('reason' in stored) return stored;
    const { id, result } = stored;
    for (const key of keys) this.#lineOf.set(key, line);
    if (!isExact(row.input.address)) this.#remember(row.input, traits, line);
    const authorId = isReview ? (this.#lists?.ownerId ?? null) : null;
    const hasRated = this.#addRatings(id, row.ratings, write, authorId);
    const listed =
      item && this.#lists
        ? this.#lists.add(list, id, item, row.createdAt, this.#begin)
        : { isWritten: false };
    // The restaurant is there for everyone, whether or not it is on the list.
    if ('reason' in listed) return listed;
    if (result === 'unchanged' && (hasRated || listed.isWritten)) return { result: 'updated' };
    return { result, isLikeOther: result === 'created' && alike.length > 0 };
  }

  /**
   * The restaurant that a place is. Without an exact address its name counts only where the two have no
   * different traits; of several with the name it is the one that shares an id with it.
   */
  #find(input: NewRestaurant, traits: Distinction): { readonly id: number } | undefined {
    const { restaurants } = this.#stores;
    const same = restaurants.findStored(input);
    if (same || isExact(input.address)) return same;
    const others = restaurants.findNamed(input).flatMap((id) => {
      const record = restaurants.get(id);
      const other = record && distinctionOf(record);
      return other && !differ(traits, other) ? [{ id, isShared: share(traits, other) }] : [];
    });
    return others.find(({ isShared }) => isShared) ?? (others.length === 1 ? others[0] : undefined);
  }

  /** The line of a place with the same name, earlier in the file, that has no trait different from this one. */
  #twinOf(input: NewRestaurant, traits: Distinction): number | undefined {
    if (isExact(input.address)) return undefined;
    return this.#named.get(groupKey(input))?.find((other) => !differ(traits, other.traits))?.line;
  }

  #remember(input: NewRestaurant, traits: Distinction, line: number): void {
    const key = groupKey(input);
    const others = this.#named.get(key);
    if (others && others.length < MOST_NAMED) others.push({ line, traits });
    else if (!others) this.#named.set(key, [{ line, traits }]);
  }

  #create(
    input: NewRestaurant,
    write: Write,
    { createdAt = write.now, updatedAt = createdAt }: Partial<Pick<Row, 'createdAt' | 'updatedAt'>>,
  ): Stored {
    const times = { createdAt, updatedAt };
    return storedAs('created', this.#stores.restaurants.create(input, write, { times, isApart: true }));
  }

  #update(id: number, change: RestaurantChange, write: Write): Stored {
    const before = this.#stores.restaurants.get(id);
    if (!before) return storedAs('updated', undefined);
    const after = changed(before, change);
    if (isSame(before, after)) return { id, result: 'unchanged' };
    return storedAs('updated', this.#stores.restaurants.update(id, after, write, { isApart: true }));
  }

  /** The ids of the category and food types that the row names; creates missing ones. */
  #lookupIds({ category, foodTypes }: Row): RestaurantChange {
    const ids = foodTypes.map((name) => this.#lookupId('food_type', name).id);
    return {
      ...(category !== undefined && { category_id: this.#lookupId('category', category).id }),
      // In the order in which they are stored, so that the same ones are no change.
      ...(ids.length > 0 && { food_type_ids: [...new Set(ids)].sort((left, right) => left - right) }),
    };
  }

  /** The id of a category or food type, which is created if it is missing. New is one that nothing has named before. */
  #lookupId(kind: 'category' | 'food_type', name: string): { readonly id: number; readonly isNew: boolean } {
    const store = kind === 'category' ? this.#stores.categories : this.#stores.foodTypes;
    const outcome = store.create(name, this.#begin());
    const key = `${kind} ${caseKey(name)}`;
    const isNew = outcome.outcome === 'done' && !this.#lookups.has(key);
    this.#lookups.add(key);
    return { id: outcome.outcome === 'done' ? outcome.record.id : outcome.of.id, isNew };
  }

  /**
   * Adds the ratings that the restaurant lacks, each as often as the row has it; true if there were any. Ratings have no
   * identity except their content.
   */
  #addRatings(
    restaurantId: number,
    ratings: readonly ImportedRating[],
    write: Write,
    authorId: number | null,
  ): boolean {
    const store = this.#stores.ratings;
    const present = ratings.length === 0 ? [] : [...store.list(restaurantId, undefined, ALL, 0)];
    const left = new Map<string, number>();
    for (const rating of present)
      for (const time of [rating.created_at, null]) {
        const key = keyOf(rating, time);
        left.set(key, (left.get(key) ?? 0) + 1);
      }
    let hasAdded = false;
    for (const { createdAt, ...rating } of ratings) {
      const key = keyOf(rating, createdAt ?? null);
      const others = left.get(key) ?? 0;
      left.set(key, others - 1);
      if (others > 0) continue;
      store.create({ ...rating, restaurant_id: restaurantId }, write, { createdAt, authorId });
      hasAdded = true;
    }
    return hasAdded;
  }
}

/** The texts that identify a place. A name without an exact address does not. */
function identitiesOf(input: NewRestaurant): readonly string[] {
  const ids = Object.entries({ ...input.external_ids, google: input.google_place_id });
  const own = isExact(input.address) ? [identityKey(input)] : [];
  return [...own, ...ids.flatMap(([source, id]) => (id === null ? [] : `${source} ${id}`))];
}

function keyOf(rating: Omit<NewRating, 'restaurant_id'>, time: string | null): string {
  const { food_rating, service_rating, ambiance_rating, comment } = rating;
  return JSON.stringify([food_rating, service_rating, ambiance_rating, comment, time]);
}

/** Why an entry was not stored. */
type Refused = Pick<ImportFault, 'reason' | 'code'>;

function refused(code: FaultCode, detail?: string): Refused {
  return { code, reason: faultAt(0, code, detail).fault };
}

type Stored = { readonly id: number; readonly result: Done['result'] } | Refused;

function storedAs(result: 'created' | 'updated', outcome: WriteOutcome | undefined): Stored {
  switch (outcome?.outcome) {
    case 'done':
      return { id: outcome.record.id, result };
    case 'invalid':
      return refused('not_valid', outcome.faults.join('; '));
    case 'duplicate':
      return refused('exists', alreadyExistsText('the restaurant', outcome.of));
    case undefined:
      return refused('gone');
  }
}
