import type { Box, Point } from './geo.ts';

/** A value of a column, as SQLite returns it. */
export type ColumnValue = string | number | null;

/** A field that lists choose by, as a number. */
export interface IndexedField {
  readonly name: string;
  /** Whether suggestions have it, too. */
  readonly ofPlace: boolean;
  readonly toNumber: (stored: ColumnValue) => number | null;
}

export const SORTS = ['newest', 'name', 'rating', 'distance'] as const;
export type Sort = (typeof SORTS)[number];

/** The statuses of restaurants, and that of suggestions among them. */
export const STATUSES = ['active', 'temporarily_closed', 'closed', 'pending'] as const;
export type Status = (typeof STATUSES)[number];

/**
 * A condition for a row to be in a list. Columns are the indexed fields, and `overall`: the average of all ratings, 0
 * without any.
 */
export type Condition =
  | { readonly column: string; readonly oneOf: readonly number[] }
  | { readonly column: string; readonly atLeast: number }
  /** All of these bits are set. */
  | { readonly column: string; readonly bits: number }
  | { readonly category: number }
  /** Any of these. */
  | { readonly foodTypes: readonly number[] }
  | { readonly status: Status }
  | { readonly box: Box }
  | { readonly ids: readonly number[]; readonly areWanted: boolean }
  | OpenCondition;

/** Active, and open at an instant in milliseconds since 1970; unless it is strict, places with unknown hours pass. */
export interface OpenCondition {
  readonly openAt: number;
  readonly isStrict: boolean;
}

/** How long work lets others run; the same as the `Work` of a request. */
export interface Turns {
  /** Awaited between slices of some milliseconds. */
  readonly pause: () => Promise<void>;
  /** Awaited right before a slice, unless it is undefined. */
  readonly turn: () => Promise<void> | undefined;
}

/** A choice among all restaurants and pending suggestions. */
export interface Choice {
  readonly conditions: readonly Condition[];
  /** The words of a search. */
  readonly words: string | undefined;
  /** The centre of distances, and the radius in kilometres that cuts off. */
  readonly near: (Point & { readonly radius: number | undefined }) | undefined;
  /** Whether pending suggestions are among the restaurants. */
  readonly withPending: boolean;
  readonly work: Turns;
}

/**
 * A place in a sorted list: the sort key, then the id. A distance is the square of the chord of the unit sphere, null
 * without coordinates.
 */
export interface Position {
  readonly key: string | number | null;
  readonly id: number;
}

/** The part of a list that begins behind a position. */
export interface PageRequest extends Choice {
  readonly sort: Sort;
  readonly after: Position | undefined;
  readonly limit: number;
}

export interface Page {
  readonly positions: readonly Position[];
  /** The length of the whole list. */
  readonly total: number;
}

export interface ListRequest extends Choice {
  readonly sort: Sort;
  readonly offset: number;
  /** Undefined: all that follow. */
  readonly limit: number | undefined;
}

/** A map whose world is 256 x 2^zoom pixels wide. */
export interface MapRequest extends Choice {
  readonly box: Box;
  readonly zoom: number;
}

/** Places on a map: each as a point, or together with those next to it, where there are many. */
export interface PlaceMap {
  readonly total: number;
  /** By their ids. */
  readonly points: readonly MapPoint[];
  /** The largest first. */
  readonly groups: readonly MapGroup[];
}

export interface MapPoint {
  readonly id: number;
  readonly latitude: number;
  readonly longitude: number;
  /** 0 without ratings. */
  readonly overall: number;
  readonly status: Status;
}

/** The mean of the places of a group, and their number. */
export type MapGroup = readonly [latitude: number, longitude: number, count: number];
