import { numbersIn } from '../../kit/objects.ts';
import type { EntityKind, Subject, Write } from '../../storage/change-log.ts';
import type { Prepared, Queries } from '../../storage/statements.ts';
import { type Stored, isNumber, isText } from '../../storage/stored.ts';
import { caseKey, searchName } from '../../storage/text.ts';

const COLUMNS = { id: isNumber, name: isText, created_at: isText, updated_at: isText };

/** A category or food type, as stored and as the API returns it. */
export type LookupRecord = Stored<typeof COLUMNS>;

/** The names of its fields in a response. */
export const LOOKUP_ANSWER = Object.keys(COLUMNS);

/** The outcome of a write: the record, or another one with the same name. */
export type LookupOutcome =
  | { readonly outcome: 'done'; readonly record: LookupRecord }
  | { readonly outcome: 'duplicate'; readonly of: LookupRecord };

/** The ids of restaurants and suggestions that have a category or food type, for the change log. */
export interface References {
  readonly restaurant_ids: readonly number[];
  readonly suggestion_ids: readonly number[];
}

export type LookupKind = Extract<EntityKind, 'category' | 'food_type'>;

/** Categories or food types in the database. Writes must run inside a transaction. */
export class LookupStore {
  readonly #kind: LookupKind;
  readonly #sql;

  constructor(queries: Pick<Queries, 'file'>, kind: LookupKind) {
    const isCategory = kind === 'category';
    const scope = isCategory ? 'Category' : 'FoodType';
    const sql = queries.file('lookups', isCategory ? 'categories' : 'food_types');
    const attach = queries.file('attach');
    this.#kind = kind;
    this.#sql = {
      list: sql.prepare<LookupRecord>('list'),
      get: sql.prepare<LookupRecord>('get'),
      find: sql.prepare<LookupRecord>('findByKey'),
      insert: sql.prepare<LookupRecord>('insert'),
      rename: sql.prepare<LookupRecord>('rename'),
      retire: sql.prepare('retire'),
      getRetired: sql.prepare<LookupRecord>('getRetired'),
      revive: sql.prepare('revive'),
      restaurants: attach.prepare<string>(`restaurantsOf${scope}`).pluck(),
      suggestions: attach.prepare<string>(`suggestionsOf${scope}`).pluck(),
      attachToRestaurants: attach.prepare(`attach${scope}ToRestaurants`),
      attachToSuggestions: attach.prepare(`attach${scope}ToSuggestions`),
    };
  }

  /** Ordered by name. */
  list(): LookupRecord[] {
    return this.#sql.list.all();
  }

  get(id: number): LookupRecord | undefined {
    return this.#sql.get.get({ id });
  }

  /** By name, ignoring case. */
  find(name: string): LookupRecord | undefined {
    return this.#sql.find.get({ nameKey: caseKey(name) });
  }

  create(name: string, write: Write): LookupOutcome {
    const of = this.find(name);
    if (of) return { outcome: 'duplicate', of };
    const record = this.#sql.insert.get({ ...namesOf(name), now: write.now });
    if (!record) throw new Error('an insert returned no row');
    write.created(this.#subjectOf(record), record);
    return { outcome: 'done', record };
  }

  /** Undefined when there is no such record. */
  rename(id: number, name: string, write: Write): LookupOutcome | undefined {
    const before = this.get(id);
    if (!before) return undefined;
    const of = this.find(name);
    if (of && of.id !== id) return { outcome: 'duplicate', of };
    const record = this.#sql.rename.get({ ...namesOf(name), id, now: write.now });
    if (!record) return undefined;
    write.updated(this.#subjectOf(record), before, record);
    return { outcome: 'done', record };
  }

  /**
   * False when there is no such record. Clients no longer see it on any restaurant or suggestion; the sweeper removes the
   * stored references once the deletion can no longer be undone.
   */
  remove(id: number, write: Write): boolean {
    const before = this.get(id);
    if (!before) return false;
    const whole = { ...before, ...this.references(id) };
    this.#sql.retire.run({ id, now: write.now });
    write.deleted(this.#subjectOf(before), whole);
    return true;
  }

  /** Restores a deleted one on the records that had it and have no other now. Undefined when it is gone for good. */
  restore(id: number, had: References, write: Write): LookupOutcome | undefined {
    const record = this.#sql.getRetired.get({ id });
    if (!record) return undefined;
    const of = this.find(record.name);
    if (of) return { outcome: 'duplicate', of };
    this.#sql.revive.run({ id, nameKey: caseKey(record.name) });
    let now = this.references(id);
    const lacks = (name: keyof References): boolean => now[name].length < had[name].length;
    // Usually no reference was removed, and nothing needs to be attached again.
    if (lacks('restaurant_ids') || lacks('suggestion_ids')) {
      this.#sql.attachToRestaurants.run({ id, ids: JSON.stringify(had.restaurant_ids) });
      this.#sql.attachToSuggestions.run({ id, ids: JSON.stringify(had.suggestion_ids) });
      now = this.references(id);
    }
    write.restored(this.#subjectOf(record), { ...record, ...now });
    return { outcome: 'done', record };
  }

  /** The records that have it. */
  references(id: number): References {
    const idsOf = (list: Prepared<string>): readonly number[] => numbersIn(list.get({ id }) ?? '[]');
    return { restaurant_ids: idsOf(this.#sql.restaurants), suggestion_ids: idsOf(this.#sql.suggestions) };
  }

  #subjectOf({ id, name }: LookupRecord): Subject {
    return { kind: this.#kind, id, name };
  }
}

function namesOf(name: string) {
  return { name, nameKey: caseKey(name), searchName: searchName(name) };
}
