import type { Prepared, QueryFile } from '../../storage/statements.ts';
import { zoneOfPlace } from './facts.ts';
import type { ColumnValue } from './field-kinds.ts';
import { LISTED_NAMES, listedNumbers, pendingColumns } from './fields.ts';
import { numbersIn } from './records.ts';
import type { ListedRow } from './rows.ts';

/** Reads the rows that lists choose from. */
export interface RowReader {
  /** How many there are. */
  readonly count: () => number;
  /** In parts of a few milliseconds. */
  readonly all: () => Generator<readonly ListedRow[]>;
  /** Those of the ids that are there. */
  readonly some: (ids: readonly number[]) => readonly ListedRow[];
}

/** The columns of a row: arrays are read in two thirds of the time of objects. The food types are a JSON array. */
type Columns = readonly [
  ...[foodTypes: string | null, id: number, createdAt: string, searchName: string, overall: number],
  ...[
    categoryId: number | null,
    status: ListedRow['status'],
    openingHours: string | null,
    timeZone: string | null,
  ],
  ...listed: ColumnValue[],
];

/** Which of the owners have which food types, as two JSON arrays. */
interface FoodTypes {
  readonly owners: string;
  readonly ids: string;
}

const PART = 2_000;
const NAMES = ['opening_hours', 'time_zone', ...LISTED_NAMES];
const PENDING_NAMES = pendingColumns(NAMES);
const LATITUDE = LISTED_NAMES.indexOf('latitude');
const LONGITUDE = LISTED_NAMES.indexOf('longitude');

/** Opens the reader on resident.sql. */
export function createRowReader(sql: QueryFile): RowReader {
  const restaurants = createPartReader(
    sql.prepareFor(NAMES, 'readRestaurants'),
    sql.prepare('readRestaurantFoodTypes'),
  );
  const pending = createPartReader(
    sql.prepareFor(PENDING_NAMES, 'readPending'),
    sql.prepare('readPendingFoodTypes'),
  );
  const getRestaurants = sql.prepareFor<Columns>(NAMES, 'getRestaurants').raw();
  const getPending = sql.prepareFor<Columns>(PENDING_NAMES, 'getPending').raw();
  const count = sql.prepare<{ readonly total: number }>('countRows');
  return {
    count: () => count.get()?.total ?? 0,
    all: function* () {
      yield* restaurants();
      yield* pending();
    },
    some: (ids) => {
      const wanted = { ids: JSON.stringify(ids) };
      const found = [...getRestaurants.all(wanted), ...getPending.all(wanted)];
      return found.map((columns) => rowOf(columns, numbersIn(columns[0] ?? '[]')));
    },
  };
}

function createPartReader(
  rows: Prepared<Columns>,
  foodTypes: Prepared<FoodTypes>,
): () => Generator<readonly ListedRow[]> {
  const raw = rows.raw();
  return function* () {
    for (let after: number | undefined = 0; after !== undefined;) {
      const part = raw.all({ after, limit: PART });
      const upTo = part.at(-1)?.[1];
      const idsOf = foodTypesOf(foodTypes.get({ after, upTo: upTo ?? after }));
      yield part.map((columns) => rowOf(columns, idsOf(columns[1])));
      after = upTo;
    }
  };
}

function rowOf(columns: Columns, food_type_ids: readonly number[]): ListedRow {
  const [, id, created_at, search_name, overall, category_id, status, hours, storedZone, ...listed] = columns;
  const numbers = listedNumbers(listed);
  // Most places have no hours, and then the zone is of no use.
  const zone = hours === null ? null : zoneOfPlace(storedZone, listed[LATITUDE], listed[LONGITUDE]);
  const own = { id, created_at, search_name, overall, category_id, status, hours, zone };
  return { ...own, food_type_ids, numbers };
}

/** Finds the food types of owners that are asked for in the order of their ids. */
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
