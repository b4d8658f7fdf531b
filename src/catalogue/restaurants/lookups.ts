import type { QueryFile } from '../../storage/statements.ts';

/** A category or food type as it is stored and answered. */
export interface LookupRow {
  readonly id: number;
  readonly name: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A category or food type in memory. */
export interface Lookup {
  readonly row: LookupRow;
  /** The JSON text of its row. */
  readonly json: string;
  /** Its name as search and sorting see it. */
  readonly searchName: string;
  /** Its place among all of its kind by name. */
  readonly rank: number;
}

/** All categories and food types by their ids. */
export interface Lookups {
  readonly categories: ReadonlyMap<number, Lookup>;
  readonly foodTypes: ReadonlyMap<number, Lookup>;
}

interface Row extends LookupRow {
  readonly kind: 'category' | 'food_type';
  readonly search_name: string;
}

/** Opens the reader of all lookups on resident.sql. */
export function createLookupReader(sql: QueryFile): () => Lookups {
  const list = sql.prepare<Row>('listLookups');
  return () => {
    const categories = new Map<number, Lookup>();
    const foodTypes = new Map<number, Lookup>();
    for (const { kind, search_name: searchName, ...row } of list.all()) {
      const lookups = kind === 'category' ? categories : foodTypes;
      lookups.set(row.id, { row, json: JSON.stringify(row), searchName, rank: lookups.size });
    }
    return { categories, foodTypes };
  };
}

/** The category of an id; undefined when there is none. */
export function categoryOf(id: number | null, { categories }: Lookups): Lookup | undefined {
  return id === null ? undefined : categories.get(id);
}

/** The food types of some ids, ordered by name. */
export function foodTypesOf(ids: readonly number[], { foodTypes }: Lookups): readonly Lookup[] {
  return ids.flatMap((id) => foodTypes.get(id) ?? []).sort((left, right) => left.rank - right.rank);
}
