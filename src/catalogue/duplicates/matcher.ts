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
// Cells of the finest grid of maps: a square of 600 metres at the equator, 200 in the north of Norway.
const CELLS = 256;
// The letters of a word at its beginning, so that the plural has the same key.
const STEM = 6;
const RAREST = 2;
const STREET_WORDS = 8;

/** A place that was put. */
interface Known {
  readonly id: number;
  readonly traits: Traits;
  /** The number of the last search that has compared it. */
  seen: number;
}

/**
 * Finds places that look like one. Two places are compared if they share a key: the end of the phone number, the name, a rare
 * word of it, the number and a word of the street, or a word of the name within some hundred metres.
 */
export class Matcher {
  readonly #places = new Map<number, Known>();
  readonly #words = new Map<string, Word>();
  readonly #blocks = new Blocks();
  #searches = 0;
  #compared = 0;

  /** The number of places. */
  get size(): number {
    return this.#places.size;
  }

  ids(): Iterable<number> {
    return this.#places.keys();
  }

  /** Adds a place, or replaces what is known of it. */
  put(id: number, place: Likely): void {
    this.remove(id);
    const traits = traitsOf(place, (text) => wordIn(this.#words, text));
    const known = { id, traits, seen: 0 };
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

  /** The places that look like this one, certain ones first, then the likeliest. */
  similar(place: Likely): Match[] {
    // Words that no place has leave no trace.
    const unknown = new Map<string, Word>();
    return this.#matches(traitsOf(place, (text) => this.#words.get(text) ?? wordIn(unknown, text)));
  }

  /** Like `similar`, for a place that was put. */
  similarTo(id: number): Match[] {
    const known = this.#places.get(id);
    return known ? this.#matches(known.traits) : [];
  }

  #matches(traits: Traits): Match[] {
    this.#searches += 1;
    this.#compared = 0;
    const found: Match[] = [];
    for (const key of keysOf(traits, false)) {
      if (this.#compared > MOST_IN_ALL) break;
      for (const known of this.#blocks.get(key)) this.#compare(traits, known, found);
    }
    return found.sort(byLikeness);
  }

  /** Adds a place to the found ones if it looks like the other one. */
  #compare(traits: Traits, known: Known, found: Match[]): void {
    if (known.seen === this.#searches || known.traits === traits) return;
    known.seen = this.#searches;
    this.#compared += 1;
    const like = likeness(traits, known.traits);
    if (like) found.push({ id: known.id, ...like });
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
    return block.length > MOST_COMPARED ? block.slice(0, MOST_COMPARED) : block;
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
    const rest = Array.isArray(block) ? block.filter((one) => one !== known) : [];
    if (rest.length > 0) map.set(key, rest);
    else map.delete(key);
  }
}

function byLikeness(one: Match, other: Match): number {
  return Number(other.certain) - Number(one.certain) || other.score - one.score || one.id - other.id;
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
  if (phone) keys.push(hash(`p${phone.text.slice(-7)}`));
  for (const number of numbers)
    for (const { text } of street.slice(0, STREET_WORDS)) keys.push(hash(`a${number} ${text}`));
  const named = words.length > 0 ? words : all;
  const rarest = isStored ? named : named.toSorted((one, other) => one.count - other.count).slice(0, RAREST);
  for (const { text } of rarest) keys.push(hash(`w${text.slice(0, STEM)}`));
  if (!point) return keys;
  const [column = 0, row = 0] = finestCell(point).map((cell) => Math.floor(cell / CELLS));
  const around = isStored ? [0] : [-1, 0, 1];
  for (const y of around)
    for (const x of around)
      for (const { text } of named) keys.push(hash(`${column + x},${row + y} ${text.slice(0, STEM)}`));
  return keys;
}

/** A number of 30 bits, which V8 stores without an object (FNV-1a). */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value & 0x3fffffff;
}
