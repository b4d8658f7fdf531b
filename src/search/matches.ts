import type { Prepared, QueryFile } from '../storage/statements.ts';
import { type Narrowing, narrow } from './narrow.ts';
import type { Term } from './terms.ts';

/** What the terms are looked for in: names alone, or all that can be found. */
export type Scope = 'Names' | 'Texts';

/** Restaurants, or pending suggestions, that have all the terms: their ids, newest first, in slices of a few milliseconds. */
export type Matches = (
  terms: readonly Term[],
  scope: Scope,
  pause: () => Promise<void>,
) => AsyncGenerator<readonly number[]>;

interface Document {
  readonly id: number;
  readonly name: string;
  readonly text: string;
  readonly category_id: number | null;
}

interface Row {
  readonly id: number;
}

const FIRST_BATCH = 200;
const BATCH_GROWTH = 5;
const LARGEST_BATCH = 10_000;
const READ_AT_ONCE = 200;

/**
 * Opens search.sql for restaurants or for pending suggestions. The index tells which documents may match; these are read
 * newest first and checked, so that no expression of a stranger's can make the index work for long.
 */
export function createMatches(sql: QueryFile, kind: '' | 'Pending'): Matches {
  const indexes = { Names: openIndex(sql, kind, 'Names'), Texts: openIndex(sql, kind, 'Texts') };
  const listAll = sql.prepare<Row>(kind === '' ? 'listAll' : 'listPending');
  const check = createCheck(sql, kind);

  function narrowed(terms: readonly Term[], scope: Scope): Narrowing {
    const { count } = indexes[scope];
    const searched = scope === 'Names' ? terms.map(withoutLookups) : terms;
    return narrow(searched, (match, limit) => count.get({ match, limit })?.total ?? 0);
  }

  function candidates(scope: Scope, match: string | undefined, before: number, limit: number): number[] {
    return idsOf(
      match === undefined
        ? listAll.all({ before, limit })
        : indexes[scope].list.all({ match, before, limit }),
    );
  }

  return async function* (terms, scope, pause) {
    const { first, rest } = narrowed(terms, scope);
    let match = first;
    let before = Number.MAX_SAFE_INTEGER;
    for (let limit = FIRST_BATCH; ; limit = Math.min(limit * BATCH_GROWTH, LARGEST_BATCH)) {
      const ids = candidates(scope, match, before, limit);
      for (let at = 0; at < ids.length; at += READ_AT_ONCE) {
        if (at > 0) await pause();
        yield check(terms, scope, ids.slice(at, at + READ_AT_ONCE));
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

function openIndex(sql: QueryFile, kind: '' | 'Pending', scope: Scope): Index {
  return { count: sql.prepare(`countIn${kind}${scope}`), list: sql.prepare(`listIn${kind}${scope}`) };
}

/** Those of the ids, in their order, whose documents have all the terms. */
type Check = (terms: readonly Term[], scope: Scope, ids: readonly number[]) => readonly number[];

function createCheck(sql: QueryFile, kind: '' | 'Pending'): Check {
  const getDocuments = sql.prepare<Document>(`get${kind}Documents`);
  const getFoodTypes = sql.prepare<Row & { readonly food_type_id: number }>(`get${kind}FoodTypes`);

  function foodTypesOf(terms: readonly Term[], ids: string): ReadonlyMap<number, readonly number[]> {
    const found = new Map<number, number[]>();
    if (terms.every(({ foodTypes }) => foodTypes.size === 0)) return found;
    for (const { id, food_type_id: foodType } of getFoodTypes.all({ ids }))
      found.set(id, [...(found.get(id) ?? []), foodType]);
    return found;
  }

  return (terms, scope, wanted) => {
    const ids = JSON.stringify(wanted);
    const documents = getDocuments.all({ ids });
    if (scope === 'Names')
      return idsOf(documents.filter(({ name }) => terms.every(({ text }) => name.includes(text))));
    const foodTypes = foodTypesOf(terms, ids);
    return idsOf(documents.filter((document) => terms.every((term) => has(document, term, foodTypes))));
  };
}

function has(
  { id, text, category_id: category }: Document,
  term: Term,
  foodTypes: ReadonlyMap<number, readonly number[]>,
): boolean {
  if (text.includes(term.text)) return true;
  if (category !== null && term.categories.has(category)) return true;
  return foodTypes.get(id)?.some((foodType) => term.foodTypes.has(foodType)) === true;
}

function withoutLookups({ text }: Term): Term {
  return { text, categories: new Set(), foodTypes: new Set() };
}

function idsOf(rows: readonly Row[]): number[] {
  return rows.map(({ id }) => id);
}
