import type { Prepared, QueryFile } from '../storage/statements.ts';
import { numbersIn, withFoodTypes } from './records.ts';
import type { ListedRow } from './rows.ts';

/** Reads the rows that lists choose from. */
export interface RowReader {
  /** In parts of a few milliseconds. */
  readonly all: () => Generator<readonly ListedRow[]>;
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

const PART = 5_000;

/** Opens the reader on resident.sql. */
export function createRowReader(sql: QueryFile): RowReader {
  const restaurants = createPartReader(
    sql.prepare('readRestaurants'),
    sql.prepare('readRestaurantFoodTypes'),
  );
  const pending = createPartReader(sql.prepare('readPending'), sql.prepare('readPendingFoodTypes'));
  const get = sql.prepare<Omit<ListedRow, 'food_type_ids'> & { food_type_ids: string }>('getRows');
  return {
    all: function* () {
      yield* restaurants();
      yield* pending();
    },
    some: (ids) => get.all({ ids: JSON.stringify(ids) }).map(withFoodTypes),
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
      const upTo = part.at(-1)?.[0];
      const idsOf = foodTypesOf(foodTypes.get({ after, upTo: upTo ?? after }));
      yield part.map((columns) => {
        const [id, created_at, search_name, overall, latitude, longitude, category_id, status] = columns;
        const food_type_ids = idsOf(id);
        return {
          id,
          created_at,
          search_name,
          overall,
          latitude,
          longitude,
          category_id,
          status,
          food_type_ids,
        };
      });
      after = upTo;
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
