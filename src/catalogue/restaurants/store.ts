import { numbersIn } from '../../kit/objects.ts';
import type { Entity, Subject, Write } from '../../storage/change-log.ts';
import type { Prepared, QueryFile } from '../../storage/statements.ts';
import { type Stored, isIds, isNumber } from '../../storage/stored.ts';
import { type PlaceIdentity, identityKey, searchName, searchText } from '../../storage/text.ts';
import type { Moves } from './moves.ts';
import type { Facts } from './field-kinds.ts';
import { externalIds } from './field-table.ts';
import {
  COLUMN_NAMES,
  type NewRestaurant,
  type RestaurantChange,
  type StoredColumns,
  changed,
  columnsOf,
  fieldsOfColumns,
  storedFieldsOf,
} from './fields.ts';
import { groupKey, storedIdentity } from './traits.ts';

/** A restaurant as stored in the database and the change log, with the names of the API. */
export type RestaurantRecord = NewRestaurant & {
  readonly id: number;
  /** The suggestion that it was made from. */
  readonly suggestion_id: number | null;
  readonly created_at: string;
  readonly updated_at: string;
};

/**
 * The records deleted with a restaurant, for the change log. Ratings and photos stay in their tables; the log has the first
 * hundred ids, the totals, and the highest ids at the time.
 */
export const CASCADED = {
  /** Suggestions that became this restaurant. */
  suggestion_ids: isIds,
  rating_ids: isIds,
  ratings_total: isNumber,
  last_rating_id: isNumber,
  photo_ids: isIds,
  photos_total: isNumber,
  last_photo_id: isNumber,
};
export type Cascaded = Stored<typeof CASCADED>;

/** When a restaurant was created and last changed; an import sets them. */
export interface Times {
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The source of a restaurant: a suggestion, or an import file with its times. */
export interface Origin {
  readonly suggestionId?: number;
  readonly times?: Times;
  /** True for a place that is known to be another one than those of its name without an address. */
  readonly isApart?: boolean;
}

/** The existing restaurant that prevents a write. */
export interface Duplicate {
  readonly id: number;
  readonly name: string;
}

/** The fields that decide whether two restaurants are the same. */
export type Identity = PlaceIdentity & {
  readonly google_place_id: string | null;
  /** Suggestions have none. */
  readonly external_ids?: Facts;
};

/** Why a restaurant cannot be stored. */
export type Obstacle =
  | { readonly outcome: 'duplicate'; readonly of: Duplicate }
  | { readonly outcome: 'invalid'; readonly faults: readonly string[] };

/** The outcome of a write; nothing is written unless it is `done`. */
export type WriteOutcome = { readonly outcome: 'done'; readonly record: RestaurantRecord } | Obstacle;

/** The ids as JSON arrays. */
type CascadedRow = { readonly [Name in keyof Cascaded]: Cascaded[Name] extends number ? number : string };

/** A suggestion that a new restaurant converts. */
interface OpenSuggestion {
  readonly id: number;
  readonly name: string;
  readonly user_id: number | null;
  readonly status: string;
  readonly updated_at: string;
}

type References = Pick<RestaurantChange, 'category_id' | 'food_type_ids'>;

/** Restaurants in the database. Writes must run inside a transaction. */
export class RestaurantStore {
  readonly #sql;
  readonly #moves: Moves;
  /**
   * Finds a restaurant of the same place, by its ids in other catalogues, then by name and address; without an address any of
   * the name.
   */
  readonly findDuplicate: DuplicateFinder;
  /** Finds a restaurant by the ids of a place in other catalogues, then by all that identifies it. */
  readonly findStored: DuplicateFinder<NewRestaurant>;

  /** `sql` is restaurants.sql. */
  constructor(sql: QueryFile, moves: Moves) {
    this.#moves = moves;
    this.#sql = {
      get: sql.prepareFor<StoredColumns<RestaurantRecord>>(COLUMN_NAMES, 'getRestaurant'),
      insert: sql.prepareFor(COLUMN_NAMES, 'insertRestaurant'),
      update: sql.prepareFor(COLUMN_NAMES, 'updateRestaurant'),
      delete: sql.prepare('deleteRestaurant'),
      insertFoodType: sql.prepare('insertFoodType'),
      deleteFoodType: sql.prepare('deleteFoodType'),
      idsAfter: sql.prepare<number>('idsAfter').pluck(),
      nextId: sql.prepare<number>('nextId').pluck(),
      categoryExists: sql.prepare('categoryExists'),
      missingFoodTypes: sql.prepare<number>('missingFoodTypes').pluck(),
      findOpenSuggestions: sql.prepare<OpenSuggestion>('findOpenSuggestions'),
      convertSuggestion: sql.prepare('convertSuggestion'),
      findFreeSuggestion: sql.prepare<number>('findFreeSuggestion').pluck(),
      relinkSuggestions: sql.prepare('relinkSuggestions'),
      cascadedFrom: sql.prepare<CascadedRow>('cascadedFrom'),
      countOthers: sql.prepare<{ ratings: number; photos: number }>('countOthers'),
      findByPlace: sql.prepare<Duplicate>('findByPlace'),
      findByExternalId: sql.prepare<Duplicate>('findByExternalId'),
      findNamed: sql.prepare<number>('findNamed').pluck(),
    };
    const { findByPlace, findByExternalId } = this.#sql;
    this.findDuplicate = createDuplicateFinder(findByPlace, sql.prepare('findByIdentity'), findByExternalId);
    this.findStored = createDuplicateFinder(
      findByPlace,
      sql.prepare('findStored'),
      findByExternalId,
      storedIdentity,
    );
  }

  /**
   * Up to 20 restaurants with the name and address of a place; without an address those near its position, or if it has none,
   * those without one.
   */
  findNamed(place: NewRestaurant): readonly number[] {
    const latitude = place.address === null ? place.latitude : null;
    return this.#sql.findNamed.all({ groupKey: groupKey(place), latitude });
  }

  /** Undefined when there is no such restaurant. */
  get(id: number): RestaurantRecord | undefined {
    const row = this.#sql.get.get({ id });
    if (!row) return undefined;
    const { suggestion_id, created_at, updated_at } = row;
    const columns = { ...row, food_type_ids: numbersIn(row.food_type_ids), ...fieldsOfColumns(row) };
    return { id, ...storedFieldsOf(columns), suggestion_id, created_at, updated_at };
  }

  /** The next ids after `afterId`. */
  idsAfter(afterId: number, limit: number): readonly number[] {
    return this.#sql.idsAfter.all({ afterId, limit });
  }

  /** An id that was never used by a restaurant or suggestion. */
  nextId(): number {
    const id = this.#sql.nextId.get();
    if (id === undefined) throw new Error('the id sequence is gone');
    return id;
  }

  /**
   * Creates a restaurant, from the given suggestion, otherwise from the oldest open one of the same place, if any.
   * All open suggestions of the place are converted to it.
   */
  create(fields: NewRestaurant, write: Write, { suggestionId, times, isApart }: Origin = {}): WriteOutcome {
    const input = changed(fields, {});
    const obstacle = this.#obstacle(input, { isApart });
    if (obstacle) return obstacle;
    const open = this.#sql.findOpenSuggestions.all({
      identityKey: identityKey(input),
      google_place_id: input.google_place_id,
      madeFrom: suggestionId ?? null,
    });
    const id = this.nextId();
    const { createdAt = write.now, updatedAt = write.now } = times ?? {};
    this.#insert(id, input, { createdAt, updatedAt }, suggestionId ?? open[0]?.id ?? null);
    const record = this.#required(id);
    write.createdRow(subjectOf(record), record);
    for (const suggestion of open) this.#convert(suggestion, id, write);
    return { outcome: 'done', record };
  }

  /** Undefined when there is no such restaurant. */
  update(
    id: number,
    change: RestaurantChange,
    write: Write,
    { isApart = false }: Pick<Origin, 'isApart'> = {},
  ): WriteOutcome | undefined {
    const before = this.get(id);
    if (!before) return undefined;
    const input = changed(before, change);
    const isSameName = identityKey(before) === identityKey(input);
    const obstacle = this.#obstacle(input, { except: id, isApart: isApart || isSameName });
    if (obstacle) return obstacle;
    this.#sql.update.run({ ...rowOf(input), id, updatedAt: write.now });
    this.#setFoodTypes(id, before.food_type_ids, input.food_type_ids);
    const record = this.#required(id);
    write.updated(subjectOf(record), before, record);
    return { outcome: 'done', record };
  }

  /**
   * Deletes its ratings and photos too, or moves all that belongs to it to the restaurant `into`. False when there is no such
   * restaurant.
   */
  remove(id: number, write: Write, into?: number): boolean {
    const record = this.get(id);
    if (!record) return false;
    const moved = into === undefined ? 0 : this.#moves.move(id, into, write.now);
    const whole = { ...this.#whole(record), ...mergeOf(into) };
    this.#sql.delete.run({ id });
    write.deleted(subjectOf(record), whole, moved);
    return true;
  }

  /** How many records a merge of these restaurants moves. */
  countMoves(from: readonly number[]): number {
    return this.#moves.count(from);
  }

  /** The existing restaurant into which a deleted one was merged. */
  successorOf(id: number): number | undefined {
    return this.#moves.target(id);
  }

  /** Restores a deleted one, with the records deleted with it, or moved to the one into which it was merged. */
  restore(stored: RestaurantRecord, { suggestion_ids }: Cascaded, write: Write): WriteOutcome {
    const obstacle = this.#obstacle(stored, { isApart: true });
    if (obstacle) return obstacle;
    const { id, created_at: createdAt, updated_at: updatedAt, suggestion_id } = stored;
    // Null if it is gone, or another restaurant was made from it.
    const suggestionId = this.#sql.findFreeSuggestion.get({ id: suggestion_id }) ?? null;
    this.#insert(id, stored, { createdAt, updatedAt }, suggestionId);
    this.#sql.relinkSuggestions.run({ restaurantId: id, ids: JSON.stringify(suggestion_ids) });
    const into = this.#moves.back(id);
    const record = this.#required(id);
    write.restored(subjectOf(record), { ...this.#whole(record), ...mergeOf(into) });
    return { outcome: 'done', record };
  }

  /** The number of its ratings and photos that were not deleted with it. */
  countOthers(
    restaurantId: number,
    { rating_ids, ratings_total, last_rating_id, photo_ids, photos_total, last_photo_id }: Cascaded,
  ): { readonly ratings: number; readonly photos: number } {
    const counts = this.#sql.countOthers.get({
      restaurantId,
      ratingIds: JSON.stringify(rating_ids),
      // If the log names all ids, every other one is new.
      lastRatingId: ratings_total > rating_ids.length ? last_rating_id : 0,
      photoIds: JSON.stringify(photo_ids),
      lastPhotoId: photos_total > photo_ids.length ? last_photo_id : 0,
    });
    return counts ?? { ratings: 0, photos: 0 };
  }

  /** Faults that only the database can find; with an id, for a change of that restaurant. */
  findFaults(fields: RestaurantChange, id?: number): readonly string[] {
    const before = id === undefined ? undefined : this.get(id);
    return this.#faultsOf({ ...before, ...fields });
  }

  /** Faults for a category and food types that do not exist. `categoryField` is the name of the category in the body. */
  findReferenceFaults(
    { category_id = null, food_type_ids = [] }: References,
    categoryField = 'category_id',
  ): readonly string[] {
    const faults: string[] = [];
    if (category_id !== null && !this.#sql.categoryExists.get({ id: category_id }))
      faults.push(`${categoryField} ${category_id} does not exist`);
    const missing = this.#sql.missingFoodTypes.all({ ids: JSON.stringify(food_type_ids) });
    if (missing.length > 0) faults.push(`food_type_ids ${missing.join(', ')} do not exist`);
    return faults;
  }

  /** `isApart` is true for a place that is known to be another one than those of its name. */
  #obstacle(
    input: NewRestaurant,
    { except, isApart = false }: { readonly except?: number; readonly isApart?: boolean | undefined },
  ): Obstacle | undefined {
    const faults = this.#faultsOf(input);
    if (faults.length > 0) return { outcome: 'invalid', faults };
    const of = isApart ? this.findStored(input, except) : this.findDuplicate(input, except);
    return of && { outcome: 'duplicate', of };
  }

  /** Includes one coordinate without the other, which a change may leave. */
  #faultsOf(fields: RestaurantChange): readonly string[] {
    const { latitude = null, longitude = null } = fields;
    const faults = this.findReferenceFaults(fields);
    const isHalf = (latitude === null) !== (longitude === null);
    return isHalf ? ['latitude and longitude must be given together', ...faults] : faults;
  }

  #required(id: number): RestaurantRecord {
    const record = this.get(id);
    if (!record) throw new Error(`restaurant ${id} is gone within its own transaction`);
    return record;
  }

  #insert(id: number, input: NewRestaurant, times: Times, suggestionId: number | null): void {
    // Food types first, so that the row's trigger writes the complete search text once.
    this.#setFoodTypes(id, [], input.food_type_ids);
    this.#sql.insert.run({ ...rowOf(input), id, ...times, suggestionId });
  }

  #setFoodTypes(restaurantId: number, before: readonly number[], after: readonly number[]): void {
    for (const foodTypeId of before)
      if (!after.includes(foodTypeId)) this.#sql.deleteFoodType.run({ restaurantId, foodTypeId });
    for (const foodTypeId of after)
      if (!before.includes(foodTypeId)) this.#sql.insertFoodType.run({ restaurantId, foodTypeId });
  }

  #convert(
    { id, name, user_id: ownerId, status, updated_at }: OpenSuggestion,
    restaurantId: number,
    write: Write,
  ): void {
    this.#sql.convertSuggestion.run({ id, restaurantId, now: write.now });
    write.updated(
      { kind: 'suggestion', id, name, ownerId },
      { status, restaurant_id: null, updated_at },
      { status: 'converted', restaurant_id: restaurantId, updated_at: write.now },
    );
  }

  /** Everything needed to restore it. */
  #whole(record: RestaurantRecord): Entity {
    const restaurantId = record.id;
    const row = this.#sql.cascadedFrom.get({ restaurantId });
    if (!row) throw new Error('the records of a restaurant could not be read');
    const cascaded: Cascaded = {
      ...row,
      suggestion_ids: numbersIn(row.suggestion_ids),
      rating_ids: numbersIn(row.rating_ids),
      photo_ids: numbersIn(row.photo_ids),
    };
    return { ...record, ...cascaded };
  }
}

type DuplicateFinder<Asked extends Identity = Identity> = (
  place: Asked,
  except?: number,
) => Duplicate | undefined;

/**
 * Returns a function that finds a record of the same place other than `except`: by Google place id, then by an id in
 * another catalogue, then by what `keyOf` makes of it.
 */
export function createDuplicateFinder<Asked extends Identity = Identity>(
  findByPlace: Prepared<Duplicate>,
  findByIdentity: Prepared<Duplicate>,
  findByExternalId?: Prepared<Duplicate>,
  keyOf: (place: Asked) => string = identityKey,
): DuplicateFinder<Asked> {
  return (place, except = 0) => {
    const { google_place_id, external_ids = {} } = place;
    const samePlace = google_place_id === null ? undefined : findByPlace.get({ google_place_id, except });
    const hasIds = Object.values(external_ids).some((id) => id !== null);
    const sameId = () =>
      hasIds ? findByExternalId?.get({ ...externalIds.merge(undefined, external_ids), except }) : undefined;
    return samePlace ?? sameId() ?? findByIdentity.get({ identityKey: keyOf(place), except });
  };
}

/** How the log names the restaurant into which another one is merged. */
function mergeOf(into: number | undefined): Entity {
  return into === undefined ? {} : { merged_into: into };
}

function subjectOf({ id, name }: RestaurantRecord): Subject {
  return { kind: 'restaurant', id, name, restaurantId: id };
}

function rowOf(input: NewRestaurant): Record<string, string | number | null> {
  return {
    ...columnsOf(input),
    category_id: input.category_id,
    identityKey: storedIdentity(input),
    searchName: searchName(input.name),
    searchText: searchText(`${input.address ?? ''} ${input.description ?? ''}`),
  };
}
