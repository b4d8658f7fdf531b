import type { Lookups } from '../restaurants/lookups.ts';
import type { Resident } from '../restaurants/resident.ts';
import type { Rows } from '../restaurants/rows.ts';
import type { Prepared, QueryFile } from '../storage/statements.ts';
import { narrow } from './narrow.ts';
import { type Term, documentOf, termsOf } from './terms.ts';

/** The texts in which words are looked for: names alone, or all that can be found. */
export type Scope = 'Names' | 'Texts';

/** Finds restaurants and pending suggestions that have all the words: their ids, newest first, in slices of a few milliseconds. */
export type Matches = (
  words: readonly string[],
  scope: Scope,
  pause: () => Promise<void>,
) => AsyncGenerator<readonly number[]>;

interface Row {
  readonly id: number;
}

interface Document extends Row {
  readonly text: string;
}

const FIRST_BATCH = 200;
const BATCH_GROWTH = 5;
const LARGEST_BATCH = 10_000;
const READ_AT_ONCE = 200;

/**
 * Opens search.sql. The index of texts returns documents that may match; these are checked, newest first, so that no
 * expression of a stranger's can make the index work for long.
 */
export function createMatches(sql: QueryFile, resident: Resident): Matches {
  const indexes: Readonly<Record<Scope, Index>> = {
    Names: { count: sql.prepare('countInNames'), list: sql.prepare('listInNames') },
    Texts: { count: sql.prepare('countInTexts'), list: sql.prepare('listInTexts') },
  };
  const listAll = sql.prepare<Row>('listAll');
  const check = createCheck(sql);

  function candidates(scope: Scope, match: string | undefined, before: number, limit: number): number[] {
    return idsOf(
      match === undefined
        ? listAll.all({ before, limit })
        : indexes[scope].list.all({ match, before, limit }),
    );
  }

  return async function* (words, scope, pause) {
    const { count } = indexes[scope];
    let { lookups } = await resident.current();
    let terms = termsIn(scope, words, lookups);
    const { first, rest } = narrow(terms, (match, limit) => count.get({ match, limit })?.total ?? 0);
    let match = first;
    let before = Number.MAX_SAFE_INTEGER;
    for (let limit = FIRST_BATCH; ; limit = Math.min(limit * BATCH_GROWTH, LARGEST_BATCH)) {
      const ids = candidates(scope, match, before, limit);
      for (let at = 0; at < ids.length; at += READ_AT_ONCE) {
        if (at > 0) await pause();
        const current = await resident.current();
        if (current.lookups !== lookups) terms = termsIn(scope, words, current.lookups);
        ({ lookups } = current);
        yield check(ids.slice(at, at + READ_AT_ONCE), scope, terms, current.rows);
      }
      const last = ids.at(-1);
      if (last === undefined || ids.length < limit) return;
      before = last;
      await pause();
      match = limit === FIRST_BATCH ? rest() : match;
    }
  };
}

interface Index {
  readonly count: Prepared<{ readonly total: number }>;
  readonly list: Prepared<Row>;
}

function termsIn(scope: Scope, words: readonly string[], lookups: Lookups): readonly Term[] {
  if (scope === 'Texts') return termsOf(words, lookups);
  return words.map((text) => ({ text, categories: new Set(), foodTypes: new Set() }));
}

/** Those of the ids, in their order, that have all the terms. */
type Check = (ids: readonly number[], scope: Scope, terms: readonly Term[], rows: Rows) => readonly number[];

/** Texts are read of those alone that do not have all the terms by what is in memory. */
function createCheck(sql: QueryFile): Check {
  const getTexts = sql.prepare<Document>('getTexts');
  return (ids, scope, terms, rows) => {
    const tests = terms.map((term) => testOf(term, rows));
    const inMemory = new Set(ids.filter((id) => tests.every((test) => test(rows.slotOf(id) ?? 0))));
    if (scope === 'Names' || inMemory.size === ids.length) return [...inMemory];
    const others = ids.filter((id) => !inMemory.has(id));
    const texts = new Map(getTexts.all({ ids: JSON.stringify(others) }).map(({ id, text }) => [id, text]));
    return ids.filter(
      (id) =>
        inMemory.has(id) ||
        terms.every(
          (term, index) =>
            texts.get(id)?.includes(term.text) === true || tests[index]?.(rows.slotOf(id) ?? 0) === true,
        ),
    );
  };
}

/** Whether a row has the term by its name, its category or a food type. */
function testOf({ text, categories, foodTypes: wanted }: Term, rows: Rows): (slot: number) => boolean {
  const { name, category, foodTypes } = rows.columns();
  const passes = rows.setsWith(wanted);
  return (slot) =>
    categories.has(category[slot] ?? 0) ||
    passes[foodTypes[slot] ?? 0] === 1 ||
    documentOf(name[slot] ?? '').includes(text);
}

function idsOf(rows: readonly Row[]): number[] {
  return rows.map(({ id }) => id);
}
