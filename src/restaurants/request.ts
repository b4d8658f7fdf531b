import type { Filters } from './filters.ts';
import type { Position, Sort } from './order.ts';

/** A list that is asked for: what is in it, in which order, and which part of it. */
export interface ListRequest {
  readonly filters: Filters;
  readonly sort: Sort;
  /** Where the part begins: behind a position, and then so many further on. */
  readonly after: Position | undefined;
  readonly offset: number;
  /** Undefined: all of it. */
  readonly limit: number | undefined;
}

/** One that may have pending suggestions among the restaurants. Pages never have. */
export interface SliceRequest extends ListRequest {
  readonly withPending: boolean;
}

/** How long work leaves room for others. Both reject once the result is not wanted any more. */
export interface Pacing {
  /** Between two slices of a few milliseconds. */
  readonly pause: () => Promise<void>;
  /** Runs work that holds many positions in memory. */
  readonly gather: <Result>(work: () => Promise<Result>) => Promise<Result>;
}
