import type { Likeness } from './likeness.ts';
import type { Match } from './matcher.ts';

/** Two restaurants that look like one; `a` is the older one. */
export interface Pair extends Likeness {
  readonly a: number;
  readonly b: number;
}

/** The values that order pairs. */
export type PairPlace = Pick<Pair, 'certain' | 'score' | 'a' | 'b'>;

const MOST_OF_PLACE = 10;
const MOST_IN_ALL = 50_000;
// How many restaurants are searched again when a removed pair makes room for others.
const MOST_AGAIN = 50;

/** Orders certain pairs first, then the likeliest. */
function compare(one: PairPlace, other: PairPlace): number {
  return (
    Number(other.certain) - Number(one.certain) ||
    other.score - one.score ||
    one.a - other.a ||
    one.b - other.b
  );
}

/** Where a pair is in a sorted list, or would be. */
function indexIn(pairs: readonly Pair[], pair: PairPlace): number {
  let [low, high] = [0, pairs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = pairs[middle];
    if (other && compare(other, pair) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The most likely pairs of duplicates: at most 10 of each restaurant, and 50,000 in all. */
export class Pairs {
  readonly #all: Pair[] = [];
  readonly #of = new Map<number, Pair[]>();
  /** Restaurants that have more pairs than fit. */
  readonly #cut = new Set<number>();

  /** Whether every pair fits. */
  get isWhole(): boolean {
    return this.#cut.size === 0;
  }

  /** Adds the pairs of a restaurant with all that look like it. */
  add(id: number, others: readonly Match[], isDismissed: (pair: Pair) => boolean): void {
    this.#cut.delete(id);
    for (const { id: other, ...like } of others)
      this.#add({ ...like, a: Math.min(id, other), b: Math.max(id, other) }, isDismissed);
  }

  /** Adds or moves a pair if it fits, or if it is more likely than one that it can replace. */
  #add(pair: Pair, isDismissed: (pair: Pair) => boolean): void {
    const { a, b } = pair;
    const known = this.#of.get(a)?.find((other) => other.a === a && other.b === b);
    if (known) this.#take(known);
    const lists = [this.#of.get(a) ?? [], this.#of.get(b) ?? []];
    const full = lists.filter(({ length }) => length >= MOST_OF_PLACE);
    if (this.#all.length >= MOST_IN_ALL) full.push(this.#all);
    const worst = new Set(full.flatMap((pairs) => pairs.at(-1) ?? []));
    const hasRoom = [...worst].every((other) => compare(pair, other) < 0);
    // Where thousands of places look alike, most end here, before the dismissals are read.
    if (!hasRoom && this.#cut.has(a) && this.#cut.has(b)) return;
    if (isDismissed(pair)) return;
    for (const other of hasRoom ? worst : [pair]) {
      if (hasRoom) this.#take(other);
      this.#cut.add(other.a).add(other.b);
    }
    if (!hasRoom) return;
    for (const pairs of [this.#all, this.#listOf(a), this.#listOf(b)])
      pairs.splice(indexIn(pairs, pair), 0, pair);
  }

  #listOf(id: number): Pair[] {
    const known = this.#of.get(id);
    if (known) return known;
    const pairs: Pair[] = [];
    this.#of.set(id, pairs);
    return pairs;
  }

  #take(pair: Pair): void {
    for (const pairs of [this.#all, this.#listOf(pair.a), this.#listOf(pair.b)])
      pairs.splice(indexIn(pairs, pair), 1);
    for (const id of [pair.a, pair.b]) if (this.#listOf(id).length === 0) this.#of.delete(id);
  }

  /**
   * Removes the pairs of a restaurant, or only the one with another restaurant. Returns restaurants to search again, since more of
   * their pairs may fit now.
   */
  remove(id: number, other?: number): readonly number[] {
    const gone = (this.#of.get(id) ?? []).filter(
      ({ a, b }) => other === undefined || a === other || b === other,
    );
    for (const pair of gone) this.#take(pair);
    if (other === undefined) this.#cut.delete(id);
    if (gone.length === 0) return [];
    const again = new Set(gone.flatMap(({ a, b }) => [a, b]).filter((one) => this.#cut.has(one)));
    // The oldest ones first: a restaurant whose pairs are cut again becomes the newest.
    for (const one of this.#cut) {
      if (again.size >= MOST_AGAIN) break;
      again.add(one);
    }
    return [...again];
  }

  /** The first pairs after a place, and the number of all. */
  part(
    after: PairPlace | undefined,
    limit: number,
  ): { readonly pairs: readonly Pair[]; readonly total: number } {
    const at = after ? indexIn(this.#all, after) : 0;
    const [first] = this.#all.slice(at, at + 1);
    const start = after && first && compare(first, after) === 0 ? at + 1 : at;
    return { pairs: this.#all.slice(start, start + limit), total: this.#all.length };
  }
}
