import type { Resident } from '../restaurants/resident.ts';
import { PENDING_CODE, type Rows } from '../restaurants/rows.ts';
import type { QueryFile } from '../../storage/statements.ts';
import { searchName } from '../../storage/text.ts';
import { type Search, createMatches } from './matches.ts';
import { idsByName } from './names.ts';
import type { Pause } from './scan.ts';
import { parseWords } from './terms.ts';

/** Finds restaurants, and pending suggestions where they are wanted, by words. */
export interface SearchStore {
  /** Ids, best first: the exact name, names that begin so, names that have all words, then all else. */
  readonly find: (words: string, limit: number, withPending: boolean, pause: Pause) => Promise<number[]>;
  /** Finds the ids of all that have the words, in no order of their own; undefined when nothing can. */
  readonly matches: (words: string, pause: Pause) => (() => Promise<readonly number[]>) | undefined;
}

// Their texts take less than a millisecond to read.
const CHECKED_AT_ONCE = 100;

/** Opens the store on search.sql. */
export function createSearchStore(sql: QueryFile, resident: Resident): SearchStore {
  const open = createMatches(sql, resident);

  return {
    find: async (words, limit, withPending, pause) => {
      const parsed = parseWords(words);
      if (parsed === undefined) return [];
      const current = await resident.current();
      const search = await open(parsed);
      const found = new Set<number>();
      const add = (id: number): boolean => {
        if (withPending || !isPending(id, current.rows)) found.add(id);
        return found.size === limit;
      };
      for (const id of idsByName(searchName(words), current)) if (add(id)) return [...found];
      const others: number[] = [];
      for await (const slots of search.candidates(pause))
        for (const slot of slots) {
          if (!search.isNamed(slot)) others.push(search.idOf(slot));
          else if (add(search.idOf(slot))) return [...found];
        }
      for (const part of parts(others, CHECKED_AT_ONCE)) {
        for (const id of search.check(part)) if (add(id)) return [...found];
        await pause();
      }
      return [...found];
    },
    matches: (words, pause) => {
      const parsed = parseWords(words);
      return parsed && (async () => all(await open(parsed), pause));
    },
  };
}

function isPending(id: number, rows: Rows): boolean {
  return rows.columns().status[rows.slotOf(id) ?? 0] === PENDING_CODE;
}

async function all({ candidates, idOf, check }: Search, pause: Pause): Promise<readonly number[]> {
  const found: number[] = [];
  for await (const slots of candidates(pause))
    for (const part of parts(slots.map(idOf), CHECKED_AT_ONCE)) {
      for (const id of check(part)) found.push(id);
      await pause();
    }
  return found;
}

function* parts<Value>(values: readonly Value[], length: number): Generator<readonly Value[]> {
  for (let at = 0; at < values.length; at += length) yield values.slice(at, at + length);
}
