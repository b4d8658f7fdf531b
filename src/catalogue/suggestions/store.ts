import { numbersIn } from '../../kit/objects.ts';
import type { Entity, Subject, Write } from '../../storage/change-log.ts';
import type { QueryFile } from '../../storage/statements.ts';
import { identityKey, searchName, searchText } from '../../storage/text.ts';
import { type Authored, NEWEST, withoutAuthorName } from '../authors.ts';
import { PLACE_NAMES } from '../restaurants/fields.ts';
import {
  type Duplicate,
  type Identity,
  type RestaurantStore,
  createDuplicateFinder,
} from '../restaurants/store.ts';
import type { NewSuggestion, SuggestedReferences } from './input.ts';
import type { SuggestionRecord, SuggestionStatus } from './record.ts';

type Suggestion = Authored<SuggestionRecord>;
type Row = Omit<Suggestion, 'food_type_ids'> & { readonly food_type_ids: string };
type Restaurants = Pick<RestaurantStore, 'nextId' | 'findDuplicate' | 'findReferenceFaults'>;

/** An existing record of the same place. */
export interface Twin {
  readonly of: Duplicate;
  readonly noun: 'Restaurant' | 'Suggestion';
}

/** The outcome of a creation; nothing is written unless it is `done`. */
export type SuggestionOutcome =
  | { readonly outcome: 'done'; readonly record: Suggestion }
  | ({ readonly outcome: 'duplicate' } & Twin)
  | { readonly outcome: 'invalid'; readonly faults: readonly string[] };

/** Suggestions in the database. Writes must run inside a transaction. */
export class SuggestionStore {
  readonly #restaurants: Restaurants;
  readonly #findOther: ReturnType<typeof createDuplicateFinder>;
  readonly #sql;

  /** `sql` is suggestions.sql; `restaurants` provides ids and finds duplicates. */
  constructor(sql: QueryFile, restaurants: Restaurants) {
    this.#restaurants = restaurants;
    this.#findOther = createDuplicateFinder(
      sql.prepare('findSuggestionByPlace'),
      sql.prepare('findSuggestionByIdentity'),
    );
    this.#sql = {
      get: sql.prepareFor<Row>(PLACE_NAMES, 'getSuggestion'),
      listOpen: sql.prepare<number>('listOpen').pluck(),
      listAll: sql.prepare<number>('listAll').pluck(),
      listWithStatus: sql.prepare<number>('listWithStatus').pluck(),
      countPending: sql.prepare<number>('countPending').pluck(),
      restaurantsMadeOf: sql.prepare<number>('restaurantsMadeOf').pluck(),
      insert: sql.prepareFor(PLACE_NAMES, 'insertSuggestion'),
      insertFoodType: sql.prepare('insertSuggestionFoodType'),
      relink: sql.prepare('relinkRestaurants'),
      setStatus: sql.prepare('setStatus'),
      remove: sql.prepare('deleteSuggestion'),
    };
  }

  get(id: number): Suggestion | undefined {
    const row = this.#sql.get.get({ id });
    return row && { ...row, food_type_ids: numbersIn(row.food_type_ids) };
  }

  /** The suggestion as in the change log. */
  stored(id: number): SuggestionRecord | undefined {
    const record = this.get(id);
    return record && withoutAuthorName(record);
  }

  /** Newest first, those after `after`; without a status, all except converted ones. */
  *list(
    status: SuggestionStatus | 'all' | undefined,
    after: SuggestionRecord | undefined,
    limit: number,
    offset: number,
  ): Generator<Suggestion> {
    const { created_at: createdAt, id } = after ?? NEWEST;
    const { listOpen, listAll, listWithStatus } = this.#sql;
    const list = status === undefined ? listOpen : status === 'all' ? listAll : listWithStatus;
    for (const found of list.all({ createdAt, id, limit, offset, status: status ?? null })) {
      const record = this.get(found);
      if (record) yield record;
    }
  }

  /** How many await a decision. */
  countPending(): number {
    return this.#sql.countPending.get() ?? 0;
  }

  create(input: NewSuggestion, write: Write): SuggestionOutcome {
    const { category_id, categoryField, ...own } = input;
    const refused = this.#invalid(input, categoryField) ?? this.#duplicate(input);
    if (refused) return refused;
    const record = this.#insert({
      ...own,
      suggested_category_id: category_id,
      id: this.#restaurants.nextId(),
      author_id: write.userId,
      status: 'pending',
      restaurant_id: null,
      created_at: write.now,
      updated_at: write.now,
    });
    write.created(subjectOf(record), withoutAuthorName(record));
    return { outcome: 'done', record };
  }

  /** Restores a deleted one, and links the restaurants `made` from it again. */
  restore(stored: SuggestionRecord, made: readonly number[], write: Write): SuggestionOutcome {
    const isOpen = stored.status !== 'rejected' && stored.status !== 'converted';
    const references = { category_id: stored.suggested_category_id, food_type_ids: stored.food_type_ids };
    const refused = this.#invalid(references, 'category') ?? (isOpen ? this.#duplicate(stored) : undefined);
    if (refused) return refused;
    const record = this.#insert(stored);
    this.#sql.relink.run({ id: stored.id, ids: JSON.stringify(made) });
    write.restored(subjectOf(record), this.#whole(record));
    return { outcome: 'done', record };
  }

  /** A conversion passes the restaurant. Undefined when there is no such suggestion. */
  setStatus(
    id: number,
    status: SuggestionStatus,
    write: Write,
    restaurantId: number | null = null,
  ): Suggestion | undefined {
    const before = this.get(id);
    if (!before) return undefined;
    this.#sql.setStatus.run({ id, status, restaurantId, now: write.now });
    const after = this.#required(id);
    write.updated(subjectOf(after), withoutAuthorName(before), withoutAuthorName(after));
    return after;
  }

  /** False when there is no such suggestion. */
  remove(id: number, write: Write): boolean {
    const record = this.get(id);
    if (!record) return false;
    const before = this.#whole(record);
    this.#sql.remove.run({ id });
    write.deleted(subjectOf(record), before);
    return true;
  }

  /** A restaurant of the same place, or another suggestion of it that was not rejected. */
  findTwin(place: Identity & { readonly id?: number }): Twin | undefined {
    const restaurant = this.#restaurants.findDuplicate(place);
    if (restaurant) return { of: restaurant, noun: 'Restaurant' };
    const of = this.#findOther(place, place.id);
    return of && { of, noun: 'Suggestion' };
  }

  #duplicate(place: Identity & { readonly id?: number }): SuggestionOutcome | undefined {
    const twin = this.findTwin(place);
    return twin && { outcome: 'duplicate', ...twin };
  }

  #invalid(
    references: Omit<SuggestedReferences, 'categoryField'>,
    categoryField: string,
  ): SuggestionOutcome | undefined {
    const faults = this.#restaurants.findReferenceFaults(references, categoryField);
    return faults.length > 0 ? { outcome: 'invalid', faults } : undefined;
  }

  #insert(stored: SuggestionRecord): Suggestion {
    const { food_type_ids: foodTypeIds, ...row } = stored;
    // Food types first, so that the row's trigger writes the complete search text once.
    for (const foodTypeId of foodTypeIds) this.#sql.insertFoodType.run({ suggestionId: row.id, foodTypeId });
    this.#sql.insert.run({
      ...row,
      identityKey: identityKey(stored),
      searchName: searchName(stored.name),
      searchText: searchText(stored.address ?? ''),
    });
    return this.#required(row.id);
  }

  #required(id: number): Suggestion {
    const record = this.get(id);
    if (!record) throw new Error(`suggestion ${id} is gone within its own transaction`);
    return record;
  }

  /** A deleted one for the change log, with the restaurants made from it. */
  #whole(record: Suggestion): Entity {
    const made = this.#sql.restaurantsMadeOf.all({ id: record.id });
    return { ...withoutAuthorName(record), restaurant_ids: made };
  }
}

function subjectOf({ id, name, author_id: ownerId }: SuggestionRecord): Subject {
  return { kind: 'suggestion', id, name, ownerId };
}
