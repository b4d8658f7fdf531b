import { boxAround } from '../../index/geo.ts';
import type { QueryFile } from '../../storage/statements.ts';
import { caseKey, searchText } from '../../storage/text.ts';
import { type LikelyRow, likelyOf } from './duplicates.ts';
import { type Match, Matcher, RAREST, STEM, endOf, endOfPhone } from './matcher.ts';
import { type Likely, MOST_WORDS, addressParts, phoneOf } from './traits.ts';

// For a file with this many places, or with one for every 200 restaurants, reading all restaurants at once is faster: a search
// in the database takes as long as reading up to a hundred of them.
const [MANY, MANY_OF_ALL] = [500, 1 / 200];
const AROUND_KM = 0.15;
const NOWHERE = { south: null, north: null, west: null, east: null };
// A word is common if this many restaurants have it. A name of common words identifies less.
const COUNTED = 20;
const STREET_WORDS = 4;

/**
 * Finds the restaurants that look like a place as they are at the moment of the search, so that an import sees its own
 * writes. It reads only candidates: those nearby, and those that share the phone number, the name, a rare word of it, or the
 * house number and a word of the street.
 */
export class Finder {
  readonly #sql;
  readonly #last: number;
  readonly #matcher: Matcher;
  /** Restaurants that were read, and suggestions that have one of the words. */
  readonly #read = new Set<number>();
  #isWhole = false;

  /** `sql` is alike.sql. */
  constructor(sql: QueryFile, matcher = new Matcher()) {
    this.#sql = {
      findAlike: sql.prepare<number>('findAlike').pluck(),
      findWords: sql.prepare<number>('findWords').pluck(),
      readAlike: sql.prepare<LikelyRow>('readAlike'),
      readAll: sql.prepare<LikelyRow>('readAll'),
    };
    this.#last = sql.prepare<number>('lastId').pluck().get() ?? 0;
    this.#matcher = matcher;
  }

  /** Prepares to look for this many places: for many, it reads all restaurants at once. Call it outside transactions. */
  expect(places: number): void {
    if (this.#isWhole || places < MANY || places < this.#last * MANY_OF_ALL) return;
    this.#isWhole = true;
    this.#put(this.#sql.readAll.iterate({ last: this.#last }));
  }

  /** The restaurants that look like a place, certain ones first. */
  find(place: Likely): readonly Match[] {
    if (this.#last === 0) return [];
    if (!this.#isWhole) this.#readAlike(place);
    return endOf(this.#matcher.search(place));
  }

  #readAlike({ name, address, phone, latitude, longitude }: Likely): void {
    const box =
      latitude === null || longitude === null ? NOWHERE : boxAround({ latitude, longitude }, AROUND_KM);
    const digits = endOfPhone(phoneOf(phone)) || null;
    const named = termsOf(name).map((term) => this.#with(term));
    const { numbers, street } = addressParts(address);
    const houses = numbers.flatMap(termsOf).slice(0, MOST_WORDS).join(' OR ');
    const words = houses === '' ? [] : street.flatMap(termsOf).slice(0, STREET_WORDS);
    const ids = new Set([
      ...this.#sql.findAlike.all({ ...box, phone: digits, name: caseKey(name), last: this.#last }),
      ...named
        .filter(({ length }) => length > 0)
        .sort((one, other) => one.length - other.length)
        .flatMap((found, rank) => (rank < RAREST ? found : found.slice(0, COUNTED))),
      ...words.flatMap((word) => this.#with(`(${houses}) AND ${word}`)),
    ]);
    for (const id of ids) if (this.#read.has(id)) ids.delete(id);
    if (ids.size > 0) this.#put(this.#sql.readAlike.iterate({ ids: JSON.stringify([...ids]) }));
    for (const id of ids) this.#read.add(id);
  }

  #with(match: string): readonly number[] {
    return this.#sql.findWords.all({ match, last: this.#last });
  }

  #put(rows: Iterable<LikelyRow>): void {
    for (const row of rows) this.#matcher.put(row.id, likelyOf(row));
  }
}

/** The words of a text for the full-text index; of scripts without blanks, the pairs of neighbouring characters. */
function termsOf(text: string): readonly string[] {
  return searchText(text)
    .split(' ')
    .filter(Boolean)
    .flatMap((word) => {
      const [first = '', ...others] = word.split('\u007f');
      if (others.length > 0) return others.map((one, at) => ` ${others[at - 1] ?? first} ${one} `);
      return word.length < STEM ? ` ${word} ` : ` ${word.slice(0, STEM)}`;
    })
    .slice(0, MOST_WORDS)
    .map((term) => `"${term}"`);
}
