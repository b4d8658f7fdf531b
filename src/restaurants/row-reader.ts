import type { Prepared, QueryFile } from '../storage/statements.ts';
import type { ListedRow } from './rows.ts';

/** Reads the rows that lists choose from. */
export interface RowReader {
  readonly all: () => Generator<ListedRow>;
  /** Those of the ids that are there. */
  readonly some: (ids: readonly number[]) => readonly ListedRow[];
}

/** A row's columns: arrays are read in two thirds of the time of objects. */
type Columns = readonly [
  ...[id: number, createdAt: string, name: string, overall: number, latitude: number | null],
  ...[longitude: number | null, categoryId: number | null, status: ListedRow['status']],
];

/** Who has which food types, as two JSON arrays. */
interface FoodTypes {
  readonly owners: string;
  readonly ids: string;
}

// Of a part, the food types are in memory as a whole.
const PART = 20_000;

/** Opens the reader on resident.sql. */
export function createRowReader(sql: QueryFile): RowReader {
  const lastIds = sql.prepare<{ restaurants: number; pending: number }>('lastIds');
  const restaurants = createPartReader(
    sql.prepare('readRestaurants'),
    sql.prepare('readRestaurantFoodTypes'),
  );
  const pending = createPartReader(sql.prepare('readPending'), sql.prepare('readPendingFoodTypes'));
  const get = sql.prepare<ListedRow & { readonly food_types: string }>('getRows');

  function* parts(read: PartReader, last: number): Generator<ListedRow> {
    for (let after = 0; after < last; after += PART) yield* read({ after, upTo: after + PART });
  }

  return {
    all: function* () {
      const last = lastIds.get();
      yield* parts(restaurants, last?.restaurants ?? 0);
      yield* parts(pending, last?.pending ?? 0);
    },
    some: (ids) =>
      get
        .all({ ids: JSON.stringify(ids) })
        .map(({ food_types, ...row }) => ({ ...row, food_type_ids: numbersIn(food_types) })),
  };
}

type PartReader = (range: { readonly after: number; readonly upTo: number }) => Generator<ListedRow>;

function createPartReader(rows: Prepared<Columns>, foodTypes: Prepared<FoodTypes>): PartReader {
  const raw = rows.raw();
  return function* (range) {
    const idsOf = foodTypesOf(foodTypes.get(range));
    for (const columns of raw.iterate(range)) {
      const [id, created_at, search_name, overall, latitude, longitude, category_id, status] = columns;
      const food_type_ids = idsOf(id);
      yield { id, created_at, search_name, overall, latitude, longitude, category_id, status, food_type_ids };
    }
  };
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

function numbersIn(json: string): readonly number[] {
  const values: unknown = JSON.parse(json);
  return Array.isArray(values) ? values.filter((value) => typeof value === 'number') : [];
}
