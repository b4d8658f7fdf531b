import { numbersIn } from '../kit/objects.ts';
import type { Prepared, QueryFile } from '../storage/statements.ts';
import type { IndexedField, Page } from './request.ts';
import type { ReadRow, StoredRow } from './rows.ts';

/** Pairs of owner and food type, as two JSON arrays of equal length. */
interface FoodTypes {
  readonly owners: string;
  readonly ids: string;
}

const PART = 2_000;

/** Reads rows from the database. */
export class Reader {
  readonly #count: Prepared<number>;
  readonly #countRestaurants: Prepared<number>;
  /** For restaurants, and for pending suggestions. */
  readonly #parts: readonly { readonly rows: Prepared<StoredRow>; readonly foodTypes: Prepared<FoodTypes> }[];
  readonly #get: readonly Prepared<StoredRow>[];
  readonly #newest: Prepared<{ readonly created_at: string; readonly id: number }>;

  /** `sql` is index.sql. */
  constructor(sql: QueryFile, fields: readonly IndexedField[]) {
    const own = ['opening_hours', 'time_zone', ...fields.map(({ name }) => name)];
    const pending = ['null', 'null', ...fields.map(({ name, ofPlace }) => (ofPlace ? name : 'null'))];
    const rows = (columns: readonly string[], name: string): Prepared<StoredRow> =>
      sql.prepareFor<StoredRow>(columns, name).raw();
    this.#parts = [
      { rows: rows(own, 'readRestaurants'), foodTypes: sql.prepare('readRestaurantFoodTypes') },
      { rows: rows(pending, 'readPending'), foodTypes: sql.prepare('readPendingFoodTypes') },
    ];
    this.#get = [rows(own, 'getRestaurants'), rows(pending, 'getPending')];
    this.#count = sql.prepare<number>('countRows').pluck();
    this.#countRestaurants = sql.prepare<number>('countRestaurants').pluck();
    this.#newest = sql.prepare('listNewest');
  }

  count(): number {
    return this.#count.get() ?? 0;
  }

  /** The first page of all restaurants, the newest first. */
  newest(limit: number): Page {
    const rows = this.#newest.all({ limit });
    const positions = rows.map(({ created_at, id }) => ({ key: [Date.parse(created_at)], id }));
    return { total: this.#countRestaurants.get() ?? 0, positions };
  }

  /** All rows, in slices of a few milliseconds. */
  *all(): Generator<readonly ReadRow[]> {
    for (const { rows, foodTypes } of this.#parts)
      for (let after: number | undefined = 0; after !== undefined;) {
        const part = rows.all({ after, limit: PART });
        const upTo = part.at(-1)?.[1];
        const idsOf = foodTypesOf(foodTypes.get({ after, upTo: upTo ?? after }));
        yield part.map((row) => [row, idsOf(row[1])] as const);
        after = upTo;
      }
  }

  /** The rows with these ids, without those that do not exist. */
  some(ids: readonly number[]): readonly ReadRow[] {
    return this.#get
      .flatMap((statement) => statement.all({ ids: JSON.stringify(ids) }))
      .map((row) => [row, numbersIn(row[0] ?? '[]')]);
  }
}

/** Returns a function for the food types of an owner; call it with ascending ids. */
function foodTypesOf(found: FoodTypes | undefined): (owner: number) => readonly number[] {
  const [owners, ids] = [numbersIn(found?.owners ?? '[]'), numbersIn(found?.ids ?? '[]')];
  let at = 0;
  return (owner) => {
    while ((owners[at] ?? Infinity) < owner) at += 1;
    const start = at;
    while (owners[at] === owner) at += 1;
    return ids.slice(start, at);
  };
}
