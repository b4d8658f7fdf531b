import type { QueryFile } from '../storage/statements.ts';
import type { Versions } from '../storage/versions.ts';

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

/** Makes a function that reads all lookups, on index.sql. */
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

/** All lookups, read again when they may have changed. */
export class LookupCache {
  readonly #read: () => Lookups;
  readonly #versions: Pick<Versions, 'foreignWrites'>;
  #known: { readonly lookups: Lookups; readonly foreignWrites: number } | undefined;
  #mayBeUndone = false;

  /** On index.sql. */
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

  /** Call it within the transaction that changes a lookup. What is read in it is not remembered: it may be undone. */
  drop(): void {
    this.#known = undefined;
    this.#mayBeUndone = true;
    // The transaction, which is synchronous, is over by then.
    process.nextTick(() => {
      this.#mayBeUndone = false;
    });
  }
}

/** The category of an id; undefined when there is none. */
export function categoryOf(id: number | null, { categories }: Lookups): Lookup | undefined {
  return id === null ? undefined : categories.get(id);
}

/** The food types of some ids, ordered by name. */
export function foodTypesOf(ids: readonly number[], { foodTypes }: Lookups): readonly Lookup[] {
  return ids.flatMap((id) => foodTypes.get(id) ?? []).sort((left, right) => left.rank - right.rank);
}
