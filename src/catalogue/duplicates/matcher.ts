import { finestCell } from '../../index/geo.ts';
import { type Likely, type Likeness, type Traits, type Word, likeness, traitsOf } from './likeness.ts';

/** A place that looks like the one that was asked for. */
export interface Match extends Likeness {
  readonly id: number;
}

// Of places that share more than one trait among many, such as the address of a food court, only these are compared.
const MOST_COMPARED = 50;
// Cells of the finest grid of maps: a square of 600 metres at the equator, 200 in the north of Norway.
const CELLS = 256;
// The letters of a word at its beginning, so that the plural has the same key.
const STEM = 5;
const RAREST = 3;

/**
 * Finds places that look like one. Two places are compared if they share a key: the end of the phone number, the name, a rare
 * word of it, the number and a word of the street, or a word of the name within some hundred metres.
 */
export class Matcher {
  readonly #places = new Map<number, Traits>();
  readonly #words = new Map<string, Word>();
  /** The places with a key; those of the many keys of one place are numbers. */
  readonly #blocks = new Map<number, number | number[]>();

  /** The number of places. */
  get size(): number {
    return this.#places.size;
  }

  /** Adds a place, or replaces what is known of it. */
  put(id: number, place: Likely): void {
    this.remove(id);
    const traits = traitsOf(place, (text) => wordIn(this.#words, text));
    this.#places.set(id, traits);
    for (const word of traits.all) word.count += 1;
    for (const key of keysOf(traits, true)) {
      const block = this.#blocks.get(key);
      if (block === undefined) this.#blocks.set(key, id);
      else if (typeof block === 'number') this.#blocks.set(key, [block, id]);
      else block.push(id);
    }
  }

  remove(id: number): void {
    const traits = this.#places.get(id);
    if (!traits) return;
    this.#places.delete(id);
    for (const word of traits.all) {
      word.count -= 1;
      if (word.count === 0) this.#words.delete(word.text);
    }
    for (const key of keysOf(traits, true)) {
      const block = this.#blocks.get(key);
      const rest = typeof block === 'object' ? block.filter((one) => one !== id) : [];
      if (rest.length === 0) this.#blocks.delete(key);
      else this.#blocks.set(key, rest);
    }
  }

  /** The places that look like this one, certain ones first, then the likeliest. */
  similar(place: Likely, except?: number): Match[] {
    // Words that no place has leave no trace.
    return this.#matches(
      traitsOf(place, (text) => this.#words.get(text) ?? { text, count: 0 }),
      except,
    );
  }

  /** Like `similar`, for a place that was put. */
  similarTo(id: number): Match[] {
    const traits = this.#places.get(id);
    return traits ? this.#matches(traits, id) : [];
  }

  #matches(traits: Traits, except: number | undefined): Match[] {
    const compared = new Set<number>(except === undefined ? [] : [except]);
    const found: Match[] = [];
    for (const key of keysOf(traits, false)) {
      const block = this.#blocks.get(key) ?? [];
      for (const id of typeof block === 'number' ? [block] : block.slice(0, MOST_COMPARED)) {
        if (compared.has(id)) continue;
        compared.add(id);
        const other = this.#places.get(id);
        const like = other && likeness(traits, other);
        if (like) found.push({ id, ...like });
      }
    }
    return found.sort(
      (one, other) =>
        Number(other.certain) - Number(one.certain) || other.score - one.score || one.id - other.id,
    );
  }
}

/** The word of a text, added if it is new. */
function wordIn(words: Map<string, Word>, text: string): Word {
  const known = words.get(text);
  if (known) return known;
  const word = { text, count: 0 };
  words.set(text, word);
  return word;
}

/** The keys of a place: to store it under, or, with those of the cells around it, to find others by. */
function keysOf(
  { phone, whole, all, words, numbers, street, point }: Traits,
  isStored: boolean,
): Set<number> {
  const keys = new Set([hash(`n${whole}`)]);
  if (phone !== '') keys.add(hash(`p${phone.slice(-7)}`));
  for (const number of numbers) for (const { text } of street) keys.add(hash(`a${number} ${text}`));
  const named = words.length > 0 ? words : all;
  const rarest = isStored ? named : named.toSorted((one, other) => one.count - other.count).slice(0, RAREST);
  for (const { text } of rarest) keys.add(hash(`w${text.slice(0, STEM)}`));
  if (!point) return keys;
  const [column = 0, row = 0] = finestCell(point).map((cell) => Math.floor(cell / CELLS));
  const around = isStored ? [0] : [-1, 0, 1];
  for (const y of around)
    for (const x of around)
      for (const { text } of named) keys.add(hash(`${column + x},${row + y} ${text.slice(0, STEM)}`));
  return keys;
}

/** A number of 30 bits, which V8 stores without an object (FNV-1a). */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value & 0x3fffffff;
}
