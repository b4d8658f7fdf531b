import type { QueryFile } from '../storage/statements.ts';
import { searchName } from '../storage/text.ts';
import { createPlanner } from './plan.ts';
import { searchTerms } from './terms.ts';

/** Finds restaurants, and pending suggestions where they are wanted, by words. */
export interface SearchStore {
  /** Ids, best first: the exact name, names that begin so, names that hold all words, then all else. */
  readonly find: (words: string, limit: number, withPending: boolean) => number[];
}

const LAST_CHARACTER = '\u{10ffff}';

/** Opens the store on search.sql. */
export function createSearchStore(sql: QueryFile): SearchStore {
  const stages = ['findByName', 'findByNameStart', 'findInNames', 'findInTexts'].map((name) =>
    sql.prepare<{ id: number }>(name),
  );
  const plan = createPlanner(sql);

  return {
    find: (words, limit, withPending) => {
      const terms = searchTerms(words);
      if (terms === undefined) return [];
      const name = searchName(words);
      const fixed = { name, nameEnd: name + LAST_CHARACTER, ...plan(terms) };
      const found = new Set<number>();
      for (const stage of stages) {
        // A stage finds again what the ones before it found, so it is asked for that much more.
        const most = limit + found.size;
        for (const { id } of stage.all({ ...fixed, limit: most, pendingLimit: withPending ? most : 0 }))
          if (found.size < limit) found.add(id);
        if (found.size === limit) break;
      }
      return [...found];
    },
  };
}
