import type { QueryFile } from '../storage/statements.ts';
import { searchName } from '../storage/text.ts';
import { matchExpression } from './terms.ts';

/** Finds restaurants by words. */
export interface SearchStore {
  /** Ids, best first: the exact name, names that begin so, names that hold all words, then all else. */
  readonly find: (words: string, limit: number) => number[];
}

const LAST_CHARACTER = '\u{10ffff}';

/** Opens the store on search.sql. */
export function createSearchStore(sql: QueryFile): SearchStore {
  const stages = ['findByName', 'findByNameStart', 'findInNames', 'findInTexts'].map((name) =>
    sql.prepare<{ id: number }>(name),
  );

  return {
    find: (words, limit) => {
      const match = matchExpression(words);
      if (match === undefined) return [];
      const name = searchName(words);
      const found = new Set<number>();
      for (const stage of stages) {
        // A stage finds again what the ones before it found, so it is asked for that much more.
        const wanted = { name, nameEnd: name + LAST_CHARACTER, match, limit: limit + found.size };
        for (const { id } of stage.all(wanted)) if (found.size < limit) found.add(id);
        if (found.size === limit) break;
      }
      return [...found];
    },
  };
}
