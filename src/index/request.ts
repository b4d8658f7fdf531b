import type { Work } from '../kit/slices.ts';
import type { Box, Point } from './geo.ts';

/** A value of a column, as SQLite returns it. */
export type ColumnValue = string | number | null;

/** A field that lists filter by, as a number. */
export interface IndexedField {
  readonly name: string;
  /** True if suggestions have it too. */
  readonly ofPlace: boolean;
  readonly toNumber: (stored: ColumnValue) => number | null;
}

export const SORTS = ['newest', 'name', 'rating', 'distance'] as const;
/** `match`: by how well the names fit the words, then by rating, the newest first. */
export type Sort = (typeof SORTS)[number] | 'match';

/** The statuses of restaurants, and `pending` for suggestions listed with them. */
export const ROW_STATUSES = ['active', 'temporarily_closed', 'closed', 'pending'] as const;
export type Status = (typeof ROW_STATUSES)[number];

/**
 * A condition that rows of a list must meet. Columns are the indexed fields and `overall`, the average of all ratings (0
 * without ratings).
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

/** Whether a place is open. */
export const CLOSED = 0;
export const OPEN = 1;
export const UNKNOWN = 2;
export type OpenState = typeof CLOSED | typeof OPEN | typeof UNKNOWN;

/** Active, and open at an instant in milliseconds since 1970. Unless `isStrict`, places with unknown hours pass too. */
export interface OpenCondition {
  readonly openAt: number;
  readonly isStrict: boolean;
}

/** A selection from all restaurants and pending suggestions. */
export interface RowChoice {
  readonly conditions: readonly Condition[];
  /** Search words. */
  readonly words: string | undefined;
  /** The point to measure distances from, and a limit in kilometres. */
  readonly near: (Point & { readonly radius: number | undefined }) | undefined;
  /** Whether to include pending suggestions. */
  readonly withPending: boolean;
  readonly work: Work;
}

/**
 * A position in a sorted list: the sort key, then the id. The key of a distance is the squared chord length on the unit
 * sphere, null without coordinates. A key of several numbers: the first that differs decides.
 */
export interface ListPosition {
  readonly key: string | number | null | readonly number[];
  readonly id: number;
}

/** The part of a list after a position. */
export interface PageRequest extends RowChoice {
  readonly sort: Sort;
  readonly after: ListPosition | undefined;
  readonly limit: number;
}

export interface Page {
  readonly positions: readonly ListPosition[];
  /** Entries in the whole list. */
  readonly total: number;
}

export interface ListRequest extends RowChoice {
  readonly sort: Sort;
  readonly offset: number;
  /** Undefined for no limit. */
  readonly limit: number | undefined;
}

/** A map whose world is 256 x 2^zoom pixels wide. */
export interface MapRequest extends RowChoice {
  readonly box: Box;
  readonly zoom: number;
}

/** Places on a map, as points; where there are many, as groups of neighbours. */
export interface PlaceMap {
  readonly total: number;
  /** Ordered by id. */
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

/** The mean position of a group, and its number of places. */
export type MapGroup = readonly [latitude: number, longitude: number, count: number];

/** The part of the world at which a look at all restaurants begins. */
export interface StartArea {
  /** Around the densest area; undefined where all places lie in one region. */
  readonly box: Box | undefined;
  /** False if hardly any restaurant there has a rating. */
  readonly isRated: boolean;
}
