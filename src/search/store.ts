import type { Resident } from '../restaurants/resident.ts';
import { PENDING_CODE, type Rows } from '../restaurants/rows.ts';
import type { QueryFile } from '../storage/statements.ts';
import { searchName } from '../storage/text.ts';
import { createMatches } from './matches.ts';
import { idsByName } from './names.ts';
import { parseWords } from './terms.ts';

type Pause = () => Promise<void>;

/** Finds restaurants, and pending suggestions where they are wanted, by words. */
export interface SearchStore {
  /** Ids, best first: the exact name, names that begin so, names that have all words, then all else. */
  readonly find: (words: string, limit: number, withPending: boolean, pause: Pause) => Promise<number[]>;
  /** Finds the ids of all that have the words, in no order of their own; undefined when nothing can. */
  readonly matches: (words: string, pause: Pause) => (() => Promise<readonly number[]>) | undefined;
}

/** Opens the store on search.sql. */
export function createSearchStore(sql: QueryFile, resident: Resident): SearchStore {
  const matches = createMatches(sql, resident);

  return {
    find: async (words, limit, withPending, pause) => {
      const parsed = parseWords(words);
      if (parsed === undefined) return [];
      const found = new Set<number>();
      const add = (id: number, rows: Rows): void => {
        if (withPending || !isPending(id, rows)) found.add(id);
      };
      const current = await resident.current();
      for (const id of idsByName(searchName(words), current)) {
        if (found.size === limit) break;
        add(id, current.rows);
      }
      for (const scope of ['Names', 'Texts'] as const) {
        if (found.size === limit) break;
        for await (const slice of matches(parsed, scope, pause)) {
          const { rows } = await resident.current();
          for (const id of slice) if (found.size < limit) add(id, rows);
          if (found.size === limit) break;
        }
      }
      return [...found];
    },
    matches: (words, pause) => {
      const parsed = parseWords(words);
      return parsed && (() => allOf(matches(parsed, 'Texts', pause), pause));
    },
  };
}

function isPending(id: number, rows: Rows): boolean {
  return rows.columns().status[rows.slotOf(id) ?? 0] === PENDING_CODE;
}

async function allOf(slices: AsyncIterable<readonly number[]>, pause: Pause): Promise<readonly number[]> {
  const found: number[] = [];
  for await (const slice of slices) {
    found.push(...slice);
    await pause();
  }
  return found;
}
