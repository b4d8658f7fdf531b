import type { ChosenFilter, OwnPlaces } from './filters.ts';
import type { Point } from './geo.ts';
import type { Position, Sort } from './positions.ts';

/** How work that takes long lets others go on; the same as the `Work` of a request. */
export interface Turns {
  /** To be awaited between slices of some milliseconds. */
  readonly pause: () => Promise<void>;
  /** To be awaited right before one, where it is not undefined. */
  readonly turn: () => Promise<void> | undefined;
}

/** What is asked for of all restaurants and pending suggestions. */
export interface Choice {
  readonly filters: readonly ChosenFilter[];
  /** The places of the caller; undefined where no filter needs them. */
  readonly own: OwnPlaces | undefined;
  /** The instant of the request, in milliseconds since 1970; of a later page that of the first. */
  readonly now: number;
  /** The centre of distances, and the radius in kilometres that cuts off. */
  readonly near: (Point & { readonly radius: number | undefined }) | undefined;
  /** Finds the ids of what has the words. */
  readonly match: (() => Promise<readonly number[]>) | undefined;
  /** Whether pending suggestions are among the restaurants. */
  readonly withPending: boolean;
  readonly work: Turns;
}

/** A list that is asked for: what is in it, in which order, and which part of it. */
export interface ListRequest extends Choice {
  readonly sort: Sort;
  /** Where the part begins: behind a position, and then so many further on. */
  readonly after: Position | undefined;
  readonly offset: number;
  /** Undefined: all of it. */
  readonly limit: number | undefined;
}
