import type { QueryFile } from '../storage/statements.ts';
import type { Versions } from '../storage/versions.ts';

/** A category or food type, as stored and as the API returns it. */
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
  /** Its name in the form used for search and sorting. */
  readonly searchName: string;
  /** Its position among all of its kind, by name. */
  readonly rank: number;
}

/** All categories and food types by id. */
export interface Lookups {
  readonly categories: ReadonlyMap<number, Lookup>;
  readonly foodTypes: ReadonlyMap<number, Lookup>;
}

interface Row extends LookupRow {
  readonly kind: 'category' | 'food_type';
  readonly search_name: string;
}

/** Returns a function that reads all lookups. `sql` is index.sql. */
export function lookupReader(sql: QueryFile): () => Lookups {
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

export class LookupCache {
  readonly #read: () => Lookups;
  readonly #versions: Pick<Versions, 'foreignWrites'>;
  #known: { readonly lookups: Lookups; readonly foreignWrites: number } | undefined;
  #mayBeUndone = false;

  /** `sql` is index.sql. */
  constructor(sql: QueryFile, versions: Pick<Versions, 'foreignWrites'>) {
    this.#read = lookupReader(sql);
    this.#versions = versions;
  }

  get(): Lookups {
    const foreignWrites = this.#versions.foreignWrites();
    if (this.#known?.foreignWrites === foreignWrites) return this.#known.lookups;
    const lookups = this.#read();
    if (!this.#mayBeUndone) this.#known = { lookups, foreignWrites };
    return lookups;
  }

  /** Call it within the transaction that changes a lookup. Reads in it are not cached, because it may be rolled back. */
  drop(): void {
    this.#known = undefined;
    this.#mayBeUndone = true;
    // Transactions are synchronous, so it is over by then.
    process.nextTick(() => {
      this.#mayBeUndone = false;
    });
  }
}

export function categoryOf(id: number | null, { categories }: Lookups): Lookup | undefined {
  return id === null ? undefined : categories.get(id);
}

/** The food types with these ids, ordered by name. */
export function foodTypesOf(ids: readonly number[], { foodTypes }: Lookups): readonly Lookup[] {
  return ids.flatMap((id) => foodTypes.get(id) ?? []).sort((left, right) => left.rank - right.rank);
}
