import type { Kind } from '../../storage/change-log.ts';
import type { QueryFile } from '../../storage/statements.ts';
import { storedEntity, storedFields } from '../../storage/stored.ts';

/** The ids of restaurants and of suggestions that have a category or food type, as the change log holds them. */
export interface References {
  readonly restaurant_ids: readonly number[];
  readonly suggestion_ids: readonly number[];
}

/** The kinds of the two lookup tables. */
export type LookupKind = Extract<Kind, 'category' | 'food_type'>;

/** Reads references, and restores those that were removed since. */
export interface ReferenceAccess {
  readonly read: (id: number) => References;
  /** Returns the references after it. */
  readonly restore: (id: number, had: References) => References;
}

/** Opens it on attach.sql for one of the two tables. */
export function createReferences(sql: QueryFile, kind: LookupKind): ReferenceAccess {
  const scope = kind === 'category' ? 'Category' : 'FoodType';
  const access = (['restaurant', 'suggestion'] as const).map((noun) => ({
    list: sql.prepare<{ ids: string }>(`${noun}sOf${scope}`),
    attach: sql.prepare(`attach${scope}To${noun === 'restaurant' ? 'Restaurants' : 'Suggestions'}`),
  }));
  const [restaurants, suggestions] = access;
  if (!restaurants || !suggestions) throw new Error('two tables refer to a lookup table');
  const idsIn = ({ list }: typeof restaurants, id: number): readonly number[] =>
    storedFields(storedEntity(`{"ids":${list.get({ id })?.ids ?? '[]'}}`)).ids('ids');
  const read = (id: number): References => ({
    restaurant_ids: idsIn(restaurants, id),
    suggestion_ids: idsIn(suggestions, id),
  });
  return {
    read,
    restore: (id, had) => {
      const now = read(id);
      const lost = (name: keyof References): boolean => now[name].length < had[name].length;
      // Nearly always nothing was removed, and nothing has to be searched.
      if (!lost('restaurant_ids') && !lost('suggestion_ids')) return now;
      restaurants.attach.run({ id, ids: JSON.stringify(had.restaurant_ids) });
      suggestions.attach.run({ id, ids: JSON.stringify(had.suggestion_ids) });
      return read(id);
    },
  };
}
