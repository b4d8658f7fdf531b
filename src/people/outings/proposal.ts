import type { Opening } from '../../catalogue/hours/opening.ts';

/** A place that may be proposed. */
export interface Candidate {
  readonly id: number;
  readonly name: string;
  /** At the time of the outing. */
  readonly opening: Opening;
  /** The average of all ratings, 0 without any. */
  readonly overall: number;
  /** In kilometres from where the caller wants to eat; undefined without such a point, or without coordinates. */
  readonly distance: number | undefined;
  /** Whether the caller was there lately. */
  readonly isVisited: boolean;
}

/** Why a place is an option: public facts, and a list if the outing shows it. */
export type Reason =
  | { readonly kind: 'open'; readonly until: string | null }
  | { readonly kind: 'hours_unknown' }
  | { readonly kind: 'list'; readonly name: string }
  | { readonly kind: 'rated'; readonly overall: number; readonly count: number };

export const MOST_OPTIONS = 5;

/**
 * Up to five places: those that are open before those with unknown hours, then those where the caller was not lately, then
 * by rating, distance and id. Closed ones are left out.
 */
export function propose<Place extends Candidate>(candidates: readonly Place[]): readonly Place[] {
  return candidates
    .filter(({ opening }) => opening.state !== 'closed')
    .toSorted(
      (a, b) =>
        Number(b.opening.state === 'open') - Number(a.opening.state === 'open') ||
        Number(a.isVisited) - Number(b.isVisited) ||
        b.overall - a.overall ||
        (a.distance ?? Infinity) - (b.distance ?? Infinity) ||
        a.id - b.id,
    )
    .slice(0, MOST_OPTIONS);
}

/** `listName` is the list that the options are from. */
export function reasonsOf(
  {
    opening: { state, until },
    overall,
    rating_count: count,
  }: Pick<Candidate, 'opening' | 'overall'> & { readonly rating_count: number },
  listName: string | null,
): readonly Reason[] {
  const reasons: Reason[] = [];
  if (state === 'open') reasons.push({ kind: 'open', until });
  if (state === 'unknown') reasons.push({ kind: 'hours_unknown' });
  if (listName !== null) reasons.push({ kind: 'list', name: listName });
  if (count > 0) reasons.push({ kind: 'rated', overall, count });
  return reasons;
}
