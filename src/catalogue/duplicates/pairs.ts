import type { Likeness } from './likeness.ts';

/** Two restaurants that look like one; `a` is the older one. */
export interface Pair extends Likeness {
  readonly a: number;
  readonly b: number;
}

/** The values that order pairs. */
export type PairPlace = Pick<Pair, 'certain' | 'score' | 'a' | 'b'>;

/** Orders certain pairs first, then the likeliest. */
function compare(one: PairPlace, other: PairPlace): number {
  return (
    Number(other.certain) - Number(one.certain) ||
    other.score - one.score ||
    one.a - other.a ||
    one.b - other.b
  );
}

/** Pairs of restaurants that look alike. */
export class Pairs {
  /** Each pair under both of its restaurants, by the other one. */
  readonly #of = new Map<number, Map<number, Pair>>();

  add(one: number, other: number, like: Likeness): void {
    const pair = { ...like, a: Math.min(one, other), b: Math.max(one, other) };
    this.#with(one).set(other, pair);
    this.#with(other).set(one, pair);
  }

  #with(id: number): Map<number, Pair> {
    const known = this.#of.get(id);
    if (known) return known;
    const pairs = new Map<number, Pair>();
    this.#of.set(id, pairs);
    return pairs;
  }

  /** Removes all pairs of a restaurant. */
  remove(id: number): void {
    for (const other of this.#of.get(id)?.keys() ?? []) {
      const pairs = this.#of.get(other);
      pairs?.delete(id);
      if (pairs?.size === 0) this.#of.delete(other);
    }
    this.#of.delete(id);
  }

  /** The first pairs after a place, and the number of all, without hidden ones. */
  part(
    after: PairPlace | undefined,
    limit: number,
    isHidden: (pair: Pair) => boolean,
  ): { readonly pairs: readonly Pair[]; readonly total: number } {
    const pairs: Pair[] = [];
    let total = 0;
    for (const [id, all] of this.#of)
      for (const pair of all.values()) {
        if (pair.a !== id || isHidden(pair)) continue;
        total += 1;
        const last = pairs.length === limit ? pairs.at(-1) : undefined;
        if ((after && compare(pair, after) <= 0) || (last && compare(pair, last) > 0)) continue;
        const at = pairs.findIndex((other) => compare(pair, other) < 0);
        pairs.splice(at === -1 ? pairs.length : at, 0, pair);
        if (pairs.length > limit) pairs.pop();
      }
    return { pairs, total };
  }
}
