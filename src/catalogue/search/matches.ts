import { setImmediate } from 'node:timers/promises';
import { Cache } from '../../kit/cache.ts';
import type { Resident } from '../restaurants/resident.ts';
import type { Rows } from '../restaurants/rows.ts';
import type { QueryFile } from '../../storage/statements.ts';
import { type MatchCounter, narrow } from './narrow.ts';
import { type Pause, type TextReader, createScan } from './scan.ts';
import { type Term, isInName, lookupTest, termsOf } from './terms.ts';

/** A search for some words. */
export interface Search {
  /**
   * The slots of all restaurants and pending suggestions that may have the words, the newest first, in slices of some
   * milliseconds, which are to be used at once.
   */
  readonly candidates: (pause: Pause) => Iterable<readonly number[]> | AsyncIterable<readonly number[]>;
  /** Whether the name of the row in a slot has the words. */
  readonly isNamed: (slot: number) => boolean;
  readonly idOf: (slot: number) => number;
  /** Those of some ids, in their order, that have the words. */
  readonly check: (ids: readonly number[]) => readonly number[];
}

/**
 * Opens search.sql, and makes the signatures of all texts, in slices. The index of texts is asked only for what is rare:
 * its lists of common characters are long.
 */
export function createMatches(
  sql: QueryFile,
  resident: Resident,
): (words: readonly string[]) => Promise<Search> {
  const count = createCounter(sql);
  const list = sql.prepare<{ readonly id: number }>('listMatches');
  const read = createTextReader(sql);
  const scan = createScan(read);

  async function makeSignatures(): Promise<void> {
    const slices = scan([], await resident.current(), setImmediate);
    while ((await slices.next()).done !== true);
  }

  // Its failure is that of the next search.
  makeSignatures().catch(() => undefined);
  return async (words) => {
    const current = await resident.current();
    const { rows } = current;
    const terms = termsOf(words, current.lookups);
    return {
      candidates: (pause) => {
        const match = narrow(terms, count);
        return match === undefined
          ? scan(terms, current, pause)
          : [list.all({ match }).flatMap(({ id }) => rows.slotOf(id) ?? [])];
      },
      isNamed: (slot) => words.every((word) => isInName(word, rows.columns().name[slot] ?? '')),
      idOf: (slot) => rows.columns().id[slot] ?? 0,
      check: (ids) => check(ids, terms, rows, read),
    };
  };
}

/** Counts are remembered for some time: the search is right with any count, and fast with those that were right lately. */
function createCounter(sql: QueryFile): MatchCounter {
  const read = sql.prepare<{ readonly total: number }>('countMatches');
  const counts = new Cache<string, number>({ maxEntries: 10_000, maxAgeMs: 60_000 });
  return (match, limit) => {
    const known = counts.get(match);
    if (known !== undefined) return known;
    const count = read.get({ match, limit })?.total ?? 0;
    counts.set(match, count);
    return count;
  };
}

function createTextReader(sql: QueryFile): TextReader {
  const getTexts = sql.prepare<{ readonly id: number; readonly text: string }>('getTexts');
  return (ids) =>
    new Map(
      ids.length === 0 ? [] : getTexts.all({ ids: JSON.stringify(ids) }).map(({ id, text }) => [id, text]),
    );
}

/** Texts are read of those alone that do not have all the terms by what is in memory. */
function check(
  ids: readonly number[],
  terms: readonly Term[],
  rows: Rows,
  read: TextReader,
): readonly number[] {
  const tests = terms.map((term) => ({ ...term, isNamed: lookupTest(term, rows) }));
  const hasAll = (id: number, isIn: (text: string) => boolean): boolean =>
    tests.every(({ text, isNamed }) => isNamed(rows.slotOf(id) ?? 0) || isIn(text));
  const inMemory = new Set(ids.filter((id) => hasAll(id, (text) => isInName(text, nameOf(id, rows)))));
  const texts = read(ids.filter((id) => !inMemory.has(id)));
  return ids.filter((id) => inMemory.has(id) || hasAll(id, (text) => texts.get(id)?.includes(text) === true));
}

function nameOf(id: number, rows: Rows): string {
  return rows.columns().name[rows.slotOf(id) ?? 0] ?? '';
}
