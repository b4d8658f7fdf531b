import type { QueryFile } from '../storage/statements.ts';
import type { LookupRow } from './record.ts';

/** All categories and food types by their ids. */
export interface Lookups {
  readonly categories: ReadonlyMap<number, Lookup>;
  readonly foodTypes: ReadonlyMap<number, Lookup>;
}

/** A category or food type, with its name as search and sorting see it. */
export interface Lookup extends LookupRow {
  readonly search_name: string;
}

/** Opens the reader of all lookups on resident.sql. */
export function createLookupReader(sql: QueryFile): () => Lookups {
  const list = sql.prepare<Lookup & { readonly kind: 'category' | 'food_type' }>('listLookups');
  return () => {
    const categories = new Map<number, Lookup>();
    const foodTypes = new Map<number, Lookup>();
    for (const { kind, ...lookup } of list.all())
      (kind === 'category' ? categories : foodTypes).set(lookup.id, lookup);
    return { categories, foodTypes };
  };
}
