import type { QueryFile } from '../storage/statements.ts';
import { searchName } from '../storage/text.ts';
import { type Matches, type Scope, createMatches } from './matches.ts';
import type { Term, TermReader } from './terms.ts';

type Pause = () => Promise<void>;

/** Finds restaurants, and pending suggestions where they are wanted, by words. */
export interface SearchStore {
  /** Ids, best first: the exact name, names that begin so, names that have all words, then all else. */
  readonly find: (words: string, limit: number, withPending: boolean, pause: Pause) => Promise<number[]>;
  /** Finds the ids of all that have the words, in no order of their own; undefined when nothing can. */
  readonly matches: (words: string, pause: Pause) => (() => Promise<readonly number[]>) | undefined;
}

const LAST_CHARACTER = '\u{10ffff}';

/** Opens the store on search.sql. */
export function createSearchStore(sql: QueryFile, termsOf: TermReader): SearchStore {
  const byName = ['findByName', 'findByNameStart'].map((name) => sql.prepare<{ id: number }>(name));
  const restaurants = createMatches(sql, '');
  const pending = createMatches(sql, 'Pending');

  async function newest(
    terms: readonly Term[],
    scope: Scope,
    wanted: number,
    withPending: boolean,
    pause: Pause,
  ): Promise<readonly number[]> {
    const found: number[] = [];
    for (const matches of withPending ? [restaurants, pending] : [restaurants])
      found.push(...(await takeFirst(matches(terms, scope, pause), wanted, pause)));
    return found.sort((left, right) => right - left);
  }

  return {
    find: async (words, limit, withPending, pause) => {
      const terms = termsOf(words);
      if (terms === undefined) return [];
      const name = searchName(words);
      const found = new Set<number>();
      const add = (ids: readonly number[]): void => {
        for (const id of ids) if (found.size < limit) found.add(id);
      };
      // A stage finds again what the ones before it found, so it is asked for that much more.
      for (const stage of byName) {
        const most = limit + found.size;
        const bound = {
          name,
          nameEnd: name + LAST_CHARACTER,
          limit: most,
          pendingLimit: withPending ? most : 0,
        };
        add(stage.all(bound).map(({ id }) => id));
      }
      for (const scope of ['Names', 'Texts'] as const)
        if (found.size < limit) add(await newest(terms, scope, limit + found.size, withPending, pause));
      return [...found];
    },
    matches: (words, pause) => {
      const terms = termsOf(words);
      return terms && (() => allOf([restaurants, pending], terms, pause));
    },
  };
}

async function allOf(
  kinds: readonly Matches[],
  terms: readonly Term[],
  pause: Pause,
): Promise<readonly number[]> {
  const found: number[] = [];
  for (const matches of kinds)
    for await (const slice of matches(terms, 'Texts', pause)) {
      found.push(...slice);
      await pause();
    }
  return found;
}

async function takeFirst(
  slices: AsyncIterable<readonly number[]>,
  wanted: number,
  pause: Pause,
): Promise<number[]> {
  const taken: number[] = [];
  for await (const slice of slices) {
    taken.push(...slice.slice(0, wanted - taken.length));
    if (taken.length === wanted) break;
  }
  await pause();
  return taken;
}
