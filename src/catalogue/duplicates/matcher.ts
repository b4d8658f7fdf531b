import { finestCell } from '../../index/geo.ts';
import { type Likeness, likeness } from './likeness.ts';
import { type Likely, type Traits, Word, traitsOf } from './traits.ts';

/** A place that looks like the one that was asked for. */
export interface Match extends Likeness {
  readonly id: number;
}

// Of the places that share one key, such as the address of a food court, only these are compared.
const MOST_COMPARED = 30;
// A few milliseconds.
const MOST_IN_ALL = 1_000;
// Of two places each word is compared with each: up to this many are one comparison.
const WORDS_AT_ONCE = 1_024;
const FEW_WORDS = 256;
// Cells of the finest grid of maps: squares of 600 and 150 metres at the equator, and of a third of that in the north of Norway.
const CELLS = 256;
const CLOSE_CELLS = 64;
// The letters of a word at its beginning, so that the plural has the same key.
export const STEM = 6;
export const RAREST = 2;
// The digits at the end of a phone number that are looked for: some numbers lack those of the town.
const PHONE_END = 7;
const STREET_WORDS = 8;

/** A search in steps, which returns what it found. */
export type MatchSearch = Generator<undefined, Match[]>;

/** A place that was put. */
interface Known {
  readonly id: number;
  readonly traits: Traits;
}

/**
 * Finds places that look like one. Two places are compared if they share a key: the end of the phone number, the name, a rare
 * word of it, the house number and a word of the street, a word of the name within some hundred metres, or the house number within
 * some tens of metres.
 */
export class Matcher {
  readonly #places = new Map<number, Known>();
  readonly #words = new Map<string, Word>();
  readonly #blocks = new Blocks();

  ids(): Iterable<number> {
    return this.#places.keys();
  }

  /** Adds a place, or replaces what is known of it. */
  put(id: number, place: Likely): void {
    this.remove(id);
    const traits = traitsOf(place, (text) => wordIn(this.#words, text));
    const known = { id, traits };
    this.#places.set(id, known);
    for (const word of countedIn(traits)) word.count += 1;
    for (const key of keysOf(traits, true)) this.#blocks.add(key, known);
  }

  remove(id: number): void {
    const known = this.#places.get(id);
    if (!known) return;
    this.#places.delete(id);
    for (const word of countedIn(known.traits)) {
      word.count -= 1;
      if (word.count === 0) this.#words.delete(word.text);
    }
    for (const key of keysOf(known.traits, true)) this.#blocks.remove(key, known);
  }

  /** The places that look like this one, certain ones first, then the likeliest. A step takes a fraction of a millisecond. */
  search(place: Likely): MatchSearch {
    // Words that no place has leave no trace.
    const unknown = new Map<string, Word>();
    return this.#search(traitsOf(place, (text) => this.#words.get(text) ?? wordIn(unknown, text)));
  }

  /** Like `search`, for a place that was put. */
  *searchFor(id: number): MatchSearch {
    const known = this.#places.get(id);
    return known ? yield* this.#search(known.traits) : [];
  }

  *#search(traits: Traits): MatchSearch {
    const found: Match[] = [];
    const seen = new Set<Traits>([traits]);
    let compared = 0;
    for (const key of keysOf(traits, false)) {
      if (compared > MOST_IN_ALL) break;
      for (const { id, traits: other } of this.#blocks.get(key)) {
        if (seen.has(other)) continue;
        seen.add(other);
        const like = likeness(traits, other);
        if (like) found.push({ id, ...like });
        const words = wordsIn(traits) * wordsIn(other);
        compared += 1 + Math.floor(words / WORDS_AT_ONCE);
        if (words > FEW_WORDS) yield;
      }
      yield;
    }
    return found.sort(byLikeness);
  }
}

/** What a search finds when it takes all its steps at once. */
export function endOf(search: MatchSearch): Match[] {
  for (;;) {
    const { done, value } = search.next();
    if (done === true) return value;
  }
}

const NONE: readonly Known[] = [];

/** The places with a key. */
class Blocks {
  // When a map grows, all its entries are copied at once: with a million of them that takes a tenth of a second.
  readonly #maps = Array.from({ length: 256 }, () => new Map<number, Known | Known[]>());

  #mapOf(key: number): Map<number, Known | Known[]> {
    const map = this.#maps[key % this.#maps.length];
    if (!map) throw new RangeError('a key must be a natural number');
    return map;
  }

  /** The first places with a key. */
  get(key: number): readonly Known[] {
    // Most keys have one place, and an array of each would take twice the memory.
    const block = this.#mapOf(key).get(key);
    if (block === undefined) return NONE;
    if (!Array.isArray(block)) return [block];
    return block.slice(0, MOST_COMPARED);
  }

  add(key: number, known: Known): void {
    const map = this.#mapOf(key);
    const block = map.get(key);
    if (Array.isArray(block)) block.push(known);
    else map.set(key, block ? [block, known] : known);
  }

  remove(key: number, known: Known): void {
    const map = this.#mapOf(key);
    const block = map.get(key);
    if (!Array.isArray(block)) {
      map.delete(key);
      return;
    }
    // A block may have thousands: the last one takes its place.
    const last = block.pop();
    const at = block.indexOf(known);
    if (last && at >= 0) block[at] = last;
    if (block.length === 0) map.delete(key);
  }
}

function byLikeness(one: Match, other: Match): number {
  return Number(other.certain) - Number(one.certain) || other.score - one.score || one.id - other.id;
}

function wordsIn({ all, street, town }: Traits): number {
  return all.length + street.length + town.length;
}

/** The words of which it counts how many places have them. */
function countedIn({ all, phone }: Traits): readonly Word[] {
  return phone ? [...all, phone] : all;
}

/** The word of a text, added if it is new. */
function wordIn(words: Map<string, Word>, text: string): Word {
  const known = words.get(text);
  if (known) return known;
  const word = new Word(text);
  words.set(text, word);
  return word;
}

/** The keys of a place: to store it under, or, with those of the cells around it, to find others by. */
function keysOf({ phone, whole, all, words, numbers, street, point }: Traits, isStored: boolean): number[] {
  const keys = [hash(`n${whole}`)];
  if (phone) keys.push(hash(`p${endOfPhone(phone.text)}`));
  for (const number of numbers)
    for (const { text } of street.slice(0, STREET_WORDS)) keys.push(hash(`a${number} ${text}`));
  const named = words.length > 0 ? words : all;
  const rarest = isStored ? named : named.toSorted((one, other) => one.count - other.count).slice(0, RAREST);
  for (const { text } of rarest) keys.push(hash(`w${text.slice(0, STEM)}`));
  if (!point) return keys;
  const around = isStored ? [0] : [-1, 0, 1];
  const [x, y] = finestCell(point);
  for (const down of around)
    for (const right of around) {
      const cell = (size: number): string => `${Math.floor(x / size) + right},${Math.floor(y / size) + down}`;
      for (const { text } of named) keys.push(hash(`${cell(CELLS)} ${text.slice(0, STEM)}`));
      // Names in other scripts have no word in common.
      for (const number of numbers) keys.push(hash(`${cell(CLOSE_CELLS)} #${parseInt(number, 10)}`));
    }
  return keys;
}

/** The digits by which the phone number of `phoneOf` is looked for. */
export function endOfPhone(digits: string): string {
  return digits.slice(-PHONE_END);
}

/** A number of 30 bits, which V8 stores without an object (FNV-1a). */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value & 0x3fffffff;
}
