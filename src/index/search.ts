import { setImmediate } from 'node:timers/promises';
import { Cache } from '../kit/cache.ts';
import type { Prepared, QueryFile } from '../storage/statements.ts';
import { searchName } from '../storage/text.ts';
import { type Bits, bitsOf, count, hasBit, intersect, setBit, slotsOf } from './bits.ts';
import { bitsAmong } from './conditions.ts';
import type { Lookup, Lookups } from './lookups.ts';
import { firstIndex } from './orders.ts';
import { byRank, documentOf, indexedWords, isInName, ranking } from './ranks.ts';
import type { Rows } from './rows.ts';
import { byRating } from './selection.ts';

/** Resolves when the next slice of work may run. */
type Pause = () => Promise<void>;

/** A word that must occur in a row's text, or in the name of its category or one of its food types. */
interface Term {
  /** In the form used by the full-text index. */
  readonly text: string;
  /** The ids of the categories whose names contain it. */
  readonly categories: ReadonlySet<number>;
  readonly foodTypes: ReadonlySet<number>;
}

// Reading this many texts takes less than a millisecond.
const CHECKED_AT_ONCE = 100;
// For more texts, the full-text index is faster, unless a search has many trigrams: it walks a list of documents for each.
const MANY_TEXTS = 500;
const MOST_TRIGRAMS = 12;
// The index reads this many documents in ten milliseconds or so, and each part takes a few more.
const LISTED_AT_ONCE = 25_000;
// Most searches find enough among this many of the best candidates.
const FIRST_CHECKED = 60;
const TEXTS_BYTES = 4 * 1024 * 1024;
// More than any rare term leaves.
const FEW = 2_000;
const LEARNED_AT_ONCE = 200;
// A few milliseconds.
const SCANNED_AT_ONCE = 20_000;
// A word in the name of a category or food type takes a millisecond, and there may be a hundred.
const SLICE_MS = 5;
// An expression that matches fewer documents than this is worth a query.
const RARE = 300;
// Counting takes about 20 microseconds per choice.
const MOST_CHOICES = 24;
// Each one after the first costs a walk along a list of documents, but saves reading texts.
const MOST_USED = 3;
// Each name is another list to merge.
const MOST_NAMES = 50;

/**
 * Finds rows by words. The full-text index in the database is used only for rare terms, because its lists for common
 * trigrams are long; common terms go by signatures in memory.
 */
export class Search {
  readonly #list: Prepared<number>;
  readonly #texts: Prepared<readonly [id: number, text: string]>;
  readonly #count: Prepared<number>;
  // Counts affect only the speed of a search, so a stale one does no harm.
  readonly #counts = new Cache<string, number>({ maxEntries: 10_000, maxAgeMs: 60_000 });
  /** Texts by id, each valid until the row is edited again. */
  readonly #cachedTexts = new Cache<number, { readonly text: string; readonly edits: number }>({
    maxBytes: TEXTS_BYTES,
  });

  /** `sql` is search.sql. */
  constructor(sql: QueryFile) {
    this.#list = sql.prepare<number>('listMatches').pluck();
    this.#texts = sql.prepare<readonly [id: number, text: string]>('getTexts').raw();
    this.#count = sql.prepare<number>('countMatches').pluck();
  }

  /** Computes missing signatures, in slices. */
  async learn(rows: Rows, pause: Pause = setImmediate): Promise<void> {
    for (let slots = rows.signatures.unknown(LEARNED_AT_ONCE); slots.length > 0;) {
      const texts = this.#textsOf(slots.map((slot) => rows.id[slot] ?? 0));
      for (const slot of slots) {
        rows.signatures.learn(slot, texts.get(rows.id[slot] ?? 0) ?? '');
        rows.nameSignatures.learn(slot, documentOf(rows.name[slot] ?? ''));
      }
      await pause();
      slots = rows.signatures.unknown(LEARNED_AT_ONCE);
    }
  }

  /** The ids of all rows with the words, in no particular order. */
  async all(words: string, rows: Rows, lookups: Lookups, pause: Pause): Promise<readonly number[]> {
    const terms = termsOf(words, lookups);
    if (!terms) return [];
    const slots = slotsOf(await this.#passing(terms, rows, pause));
    const [found, others]: [number[], number[]] = [[], []];
    for (let start = 0; start < slots.length; start += SCANNED_AT_ONCE) {
      if (start > 0) await pause();
      for (const slot of slots.subarray(start, start + SCANNED_AT_ONCE))
        if (hasBit(rows.isRow, slot))
          (areInName(terms, rows.name[slot] ?? '') ? found : others).push(rows.id[slot] ?? 0);
    }
    const match = others.length > MANY_TEXTS ? wholeExpression(terms) : undefined;
    if (match !== undefined) return found.concat(await this.#listed(match, others, pause));
    for (let at = 0; at < others.length; at += CHECKED_AT_ONCE) {
      if (at > 0) await pause();
      found.push(...this.#withAll(terms, others.slice(at, at + CHECKED_AT_ONCE), rows));
    }
    return found;
  }

  /** Those of the ids whose documents match an expression. */
  async #listed(match: string, ids: readonly number[], pause: Pause): Promise<readonly number[]> {
    const listed = new Set<number>();
    const last = ids.reduce((most, id) => Math.max(most, id), 0);
    for (let from = 1; from <= last; from += LISTED_AT_ONCE) {
      await pause();
      for (const id of this.#list.all({ match, from, to: from + LISTED_AT_ONCE - 1 })) listed.add(id);
    }
    await pause();
    return ids.filter((id) => listed.has(id));
  }

  /** The ids of the first `limit` rows with the words, by rank, then by rating, the newest first. */
  async first(
    words: string,
    limit: number,
    withPending: boolean,
    rows: Rows,
    lookups: Lookups,
    pause: Pause,
  ): Promise<readonly number[]> {
    const terms = termsOf(words, lookups);
    if (!terms) return [];
    const found = new Set<number>();
    /** Keeps what may be listed and is not found yet. */
    const missing = (slots: Bits): Bits => {
      intersect(slots, rows.all(withPending));
      for (const id of found) setBit(slots, rows.slotOf(id), false);
      return slots;
    };
    /** Adds the best of some slots that are equal in rank. Returns true if enough are found. */
    const addBest = (slots: Uint32Array): boolean => {
      if (slots.length === 0) return false;
      const left = missing(bitsOf(slots, rows.capacity));
      for (const slot of byRating(left, rows, 0, limit - found.size)) found.add(rows.id[slot] ?? 0);
      return found.size === limit;
    };
    // Most searches find enough here, without any texts.
    if (beginningWith(searchName(words), rows).some(addBest)) return [...found];
    const passes = await this.#passing(terms, rows, pause);
    const rank = ranking(words);
    const named = namedAmong(passes, terms, rows);
    if (byRank(named, (slot) => rank(rows.name[slot] ?? '')).some(addBest)) return [...found];
    const others = missing(passes);
    // Most searches find enough in the first part.
    for (const [offset, most] of [
      [0, FIRST_CHECKED],
      [FIRST_CHECKED, Infinity],
    ] as const) {
      const ids = rows.idsAt(byRating(others, rows, offset, most));
      for (let start = 0; start < ids.length; start += CHECKED_AT_ONCE) {
        if (offset + start > 0) await pause();
        for (const id of this.#withAll(
          terms,
          Array.from(ids.subarray(start, start + CHECKED_AT_ONCE)),
          rows,
        )) {
          found.add(id);
          if (found.size === limit) return [...found];
        }
      }
    }
    return [...found];
  }

  /** Those of the rows that are still there and have all terms. */
  #withAll(terms: readonly Term[], some: readonly number[], rows: Rows): readonly number[] {
    const ids = some.filter((id) => rows.slotOf(id) !== 0);
    const tests = terms.map((term) => ({ word: term.text, isNamed: lookupTest(term, rows) }));
    const hasAll = (id: number, text: string): boolean =>
      tests.every(({ word, isNamed }) => isNamed(rows.slotOf(id)) || text.includes(word));
    // Most texts need not be read.
    const settled = new Set(ids.filter((id) => hasAll(id, documentOf(rows.name[rows.slotOf(id)] ?? ''))));
    const texts = this.#currentTexts(
      ids.filter((id) => !settled.has(id)),
      rows,
    );
    return ids.filter((id) => settled.has(id) || hasAll(id, texts.get(id) ?? ''));
  }

  /** The slots of all rows that may have the terms. */
  async #passing(terms: readonly Term[], rows: Rows, pause: Pause): Promise<Bits> {
    const match = this.#narrow(terms);
    if (match !== undefined) {
      const passes = bitsAmong(this.#list.all({ match, from: 1, to: Number.MAX_SAFE_INTEGER }), rows);
      intersect(passes, rows.isRow);
      return passes;
    }
    await this.learn(rows, pause);
    const passes = await matching(terms, rows, pause);
    intersect(passes, rows.isRow);
    return passes;
  }

  /**
   * An expression for the full-text index that matches all documents with all the terms, and a few others; undefined if no
   * term is rare. The index walks one list of documents for each trigram in the expression.
   */
  #narrow(terms: readonly Term[]): string | undefined {
    const usable = terms.filter((term) => namesOf(term) <= MOST_NAMES);
    const each = Math.max(1, Math.floor(MOST_CHOICES / usable.length));
    const rare = usable
      .flatMap((term) => choicesOf(term, each))
      .map((match) => ({ match, documents: this.#countMatches(match) }))
      .filter(({ documents }) => documents < RARE)
      .sort((left, right) => left.documents - right.documents)
      .slice(0, MOST_USED);
    return rare.length === 0 ? undefined : rare.map(({ match }) => match).join(' AND ');
  }

  #countMatches(match: string): number {
    const known = this.#counts.get(match);
    if (known !== undefined) return known;
    const count = this.#count.get({ match, limit: RARE }) ?? 0;
    this.#counts.set(match, count);
    return count;
  }

  /** The texts of rows, from the cache where they have not changed. */
  #currentTexts(ids: readonly number[], rows: Rows): ReadonlyMap<number, string> {
    const editsOf = (id: number): number => rows.edits[rows.slotOf(id)] ?? 0;
    const texts = new Map<number, string>();
    for (const id of ids) {
      const cached = this.#cachedTexts.get(id);
      if (cached?.edits === editsOf(id)) texts.set(id, cached.text);
    }
    for (const [id, text] of this.#textsOf(ids.filter((id) => !texts.has(id)))) {
      texts.set(id, text);
      this.#cachedTexts.set(id, { text, edits: editsOf(id) }, 2 * text.length);
    }
    return texts;
  }

  #textsOf(ids: readonly number[]): ReadonlyMap<number, string> {
    return new Map(ids.length === 0 ? [] : this.#texts.all({ ids: JSON.stringify(ids) }));
  }
}

/** The terms of a search, all of which must be found; undefined if nothing can match. */
function termsOf(words: string, { categories, foodTypes }: Lookups): readonly Term[] | undefined {
  const texts = indexedWords(words);
  if (texts.length === 0) return undefined;
  return texts.map((text) => ({
    text,
    categories: having(categories, text),
    foodTypes: having(foodTypes, text),
  }));
}

/** The ids of the lookups whose names contain a term. */
function having(lookups: ReadonlyMap<number, Lookup>, text: string): ReadonlySet<number> {
  const found = [...lookups].filter(([, { searchName: name }]) => isInName(text, name));
  return new Set(found.map(([id]) => id));
}

/** The number of categories and food types whose names contain a term. */
function namesOf({ categories, foodTypes }: Term): number {
  return categories.size + foodTypes.size;
}

function hasLookups(term: Term): boolean {
  return namesOf(term) > 0;
}

/** Returns a function that tests whether a slot has a category or food type with the term. */
function lookupTest(term: Term, rows: Rows): (slot: number) => boolean {
  if (!hasLookups(term)) return () => false;
  const { category, foodTypes } = rows;
  const passes = rows.foodTypeSets.withAny(term.foodTypes);
  return (slot) => term.categories.has(category[slot] ?? 0) || passes[foodTypes[slot] ?? 0] === 1;
}

function areInName(terms: readonly Term[], name: string): boolean {
  return terms.every(({ text }) => isInName(text, name));
}

/** Those of the slots whose names contain all terms. */
function namedAmong(passes: Bits, terms: readonly Term[], rows: Rows): Uint32Array {
  const named = passes.slice();
  // Rare terms leave few, and then signatures may not be known yet.
  if (count(passes) > FEW) intersect(named, rows.nameSignatures.matching(terms.map(({ text }) => text)));
  return slotsOf(named).filter((slot) => areInName(terms, rows.name[slot] ?? ''));
}

/** The slots of rows with this name, and of those whose names begin with it. */
function beginningWith(wanted: string, rows: Rows): readonly Uint32Array[] {
  const { name } = rows;
  const slots = rows.order('name');
  const start = firstIndex(slots, (slot) => (name[slot] ?? '') >= wanted);
  const longer = firstIndex(slots, (slot) => (name[slot] ?? '') > wanted, start);
  const end = firstIndex(slots, (slot) => name[slot]?.startsWith(wanted) !== true, longer);
  return [slots.subarray(start, longer), slots.subarray(longer, end)];
}

/** One bit per slot: set if the row may have all the terms. */
async function matching(terms: readonly Term[], rows: Rows, pause: Pause): Promise<Bits> {
  let end = performance.now() + SLICE_MS;
  const inTexts = terms.filter((term) => !hasLookups(term));
  const found = rows.signatures.matching(inTexts.map(({ text }) => text));
  for (const term of terms.filter(hasLookups)) {
    if (performance.now() > end) {
      await pause();
      end = performance.now() + SLICE_MS;
    }
    const either = rows.signatures.matching([term.text]);
    const isNamed = lookupTest(term, rows);
    for (let slot = 0; slot < 32 * either.length; slot += 1) if (isNamed(slot)) setBit(either, slot, true);
    intersect(found, either);
  }
  return found;
}

/** Expressions that each match everything with the term, and more: one of its trigrams, or any of its names. */
function choicesOf(term: Term, most: number): readonly string[] {
  const characters = Array.from(term.text);
  const starts = Array.from({ length: characters.length - 2 }, (_, start) => start);
  return spread(starts, Math.min(most, Math.ceil(characters.length / 3))).map((start) =>
    expressionOf(term, characters.slice(start, start + 3).join('')),
  );
}

/** The expression that matches exactly what has all terms; undefined if it would take long. */
function wholeExpression(terms: readonly Term[]): string | undefined {
  const lists = terms.reduce((sum, term) => sum + term.text.length - 2 + namesOf(term), 0);
  return lists > MOST_TRIGRAMS ? undefined : terms.map((term) => expressionOf(term, term.text)).join(' AND ');
}

/** An expression for documents with a text, or with any of a term's names. */
function expressionOf({ categories, foodTypes }: Term, text: string): string {
  const names = [
    ...Array.from(categories, (id) => token(CATEGORY, id)),
    ...Array.from(foodTypes, (id) => token(FOOD_TYPE, id)),
  ];
  const alternatives = [text, ...names].map(quoted).join(' OR ');
  return names.length === 0 ? alternatives : `(${alternatives})`;
}

/** At most `most` of the values, evenly spaced from first to last. */
function spread<Value>(values: readonly Value[], most: number): readonly Value[] {
  if (values.length <= most) return values;
  const step = (values.length - 1) / Math.max(1, most - 1);
  return values.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}

const CATEGORY = 0x100000;
const FOOD_TYPE = 0x100001;
const DIGITS = 60_000;
const ZERO = 0xf0000;

/** The token of a category or food type in the full-text index, as the SQL views of documents build it. */
function token(kind: number, id: number): string {
  return String.fromCodePoint(kind, ZERO + Math.floor(id / DIGITS), ZERO + (id % DIGITS));
}

/** Quotes a text so that it cannot be a syntax error. */
function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
