import { numbersIn, parseJson } from '../kit/objects.ts';
import type { Subject } from '../storage/change-log.ts';
import type { Prepared, QueryFile } from '../storage/statements.ts';
import type { ColumnValue, IndexedField, Status } from './request.ts';
import type { Row } from './rows.ts';

/** Returns the name of a place's time zone: the stored one, otherwise that of its coordinates. */
export type ZoneOf = (
  stored: ColumnValue,
  latitude: ColumnValue | undefined,
  longitude: ColumnValue | undefined,
) => string | null;

/** The parts of a change that tell which rows it may affect. */
export interface LoggedChange {
  readonly kind: Subject['kind'];
  readonly entity_id: number;
  readonly restaurant_id: number | null;
  /** For a restored category or food type, the entity: it names the records that have it again. */
  readonly after: unknown;
}

/** The columns of a row, as an array because objects take half as long again. The food types are a JSON array. */
type Stored = readonly [
  foodTypes: string | null,
  id: number,
  createdAt: string,
  searchName: string,
  overall: number,
  categoryId: number | null,
  status: Status,
  openingHours: string | null,
  timeZone: string | null,
  ...fields: ColumnValue[],
];

/** Pairs of owner and food type, as two JSON arrays of equal length. */
interface FoodTypes {
  readonly owners: string;
  readonly ids: string;
}

const PART = 2_000;

/** Reads rows and changes from the database. */
export class Reader {
  readonly #fields: readonly IndexedField[];
  readonly #zoneOf: ZoneOf;
  readonly #latitude: number;
  readonly #longitude: number;
  readonly #count: Prepared<number>;
  /** For restaurants, and for pending suggestions. */
  readonly #parts: readonly { readonly rows: Prepared<Stored>; readonly foodTypes: Prepared<FoodTypes> }[];
  readonly #get: readonly Prepared<Stored>[];
  readonly #lastChange: Prepared<number | null>;
  readonly #changes: Prepared<LoggedChange & { id: number; after: string | null }>;

  /** `sql` is index.sql. */
  constructor(sql: QueryFile, fields: readonly IndexedField[], zoneOf: ZoneOf) {
    this.#fields = fields;
    this.#zoneOf = zoneOf;
    const names = fields.map(({ name }) => name);
    this.#latitude = names.indexOf('latitude');
    this.#longitude = names.indexOf('longitude');
    const own = ['opening_hours', 'time_zone', ...names];
    const pending = ['null', 'null', ...fields.map(({ name, ofPlace }) => (ofPlace ? name : 'null'))];
    const rows = (columns: readonly string[], name: string): Prepared<Stored> =>
      sql.prepareFor<Stored>(columns, name).raw();
    this.#parts = [
      { rows: rows(own, 'readRestaurants'), foodTypes: sql.prepare('readRestaurantFoodTypes') },
      { rows: rows(pending, 'readPending'), foodTypes: sql.prepare('readPendingFoodTypes') },
    ];
    this.#get = [rows(own, 'getRestaurants'), rows(pending, 'getPending')];
    this.#count = sql.prepare<number>('countRows').pluck();
    this.#lastChange = sql.prepare<number | null>('lastChange').pluck();
    this.#changes = sql.prepare('listChanges');
  }

  count(): number {
    return this.#count.get() ?? 0;
  }

  /** All rows, in slices of a few milliseconds. */
  *all(): Generator<readonly Row[]> {
    for (const { rows, foodTypes } of this.#parts)
      for (let after: number | undefined = 0; after !== undefined;) {
        const part = rows.all({ after, limit: PART });
        const upTo = part.at(-1)?.[1];
        const idsOf = foodTypesOf(foodTypes.get({ after, upTo: upTo ?? after }));
        yield part.map((stored) => this.#row(stored, idsOf(stored[1])));
        after = upTo;
      }
  }

  /** The rows with these ids, without those that do not exist. */
  some(ids: readonly number[]): readonly Row[] {
    return this.#get
      .flatMap((statement) => statement.all({ ids: JSON.stringify(ids) }))
      .map((stored) => this.#row(stored, numbersIn(stored[0] ?? '[]')));
  }

  /** The id of the last logged change; 0 if the log is empty. */
  lastChange(): number {
    return this.#lastChange.get() ?? 0;
  }

  changesAfter(after: number, limit: number): readonly (LoggedChange & { readonly id: number })[] {
    return this.#changes.all({ after, limit }).map((change) => ({
      ...change,
      after: change.after === null ? null : parseJson(change.after),
    }));
  }

  #row(stored: Stored, food_type_ids: readonly number[]): Row {
    const [, id, created_at, search_name, overall, category_id, status, hours, storedZone, ...values] =
      stored;
    // Most places have no hours, and then need no zone.
    const zone =
      hours === null ? null : this.#zoneOf(storedZone, values[this.#latitude], values[this.#longitude]);
    const numbers = this.#fields.map(({ toNumber }, index) => toNumber(values[index] ?? null));
    numbers.unshift(overall);
    return { id, created_at, search_name, category_id, status, hours, zone, food_type_ids, numbers };
  }
}

/** The ids of the rows that a change may affect. */
export function rowsOf({ kind, entity_id, restaurant_id, after }: LoggedChange): readonly number[] {
  if (kind === 'suggestion') return [entity_id];
  if (kind === 'photo' || kind === 'list' || kind === 'visit') return [];
  if (restaurant_id !== null) return [restaurant_id];
  return [...idsIn(after, 'restaurant_ids'), ...idsIn(after, 'suggestion_ids')];
}

function idsIn(entity: unknown, name: string): readonly number[] {
  const ids: unknown = typeof entity === 'object' && entity !== null ? Reflect.get(entity, name) : undefined;
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'number') : [];
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
