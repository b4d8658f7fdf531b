import type { Marks } from './filters.ts';
import { compareSlots } from './orders.ts';
import type { Columns, OrderName } from './rows.ts';

export const SORTS = ['newest', 'name', 'rating', 'distance'] as const;
export type Sort = (typeof SORTS)[number];

/**
 * A restaurant's place in a sorted list: what it is sorted by, then its id. A distance is null without
 * coordinates, otherwise the square of the chord of the unit sphere.
 */
export interface Position {
  readonly key: string | number | null;
  readonly id: number;
}

/** The positions of a list, in order, in parts of a few milliseconds, none of them empty. */
export interface Parts {
  readonly parts: Iterable<readonly Position[]>;
  /** The number of all positions; undefined when it is not known yet. */
  readonly total?: number;
}

/** So many positions are a part. */
export const PART = 1_000;

/** The answer of a list. */
export interface Listed {
  /** The part asked for. */
  readonly positions: readonly Position[];
  /** How many there are in all. */
  readonly total: number;
}

/** Rows with their distances from a point. */
export interface Found {
  readonly slots: Uint32Array;
  /** Squares of the chords of the unit sphere, in the order of the slots: they grow with the distance. */
  readonly chords: Float64Array;
}

/** The rows that pass all filters, and the orders of all rows. */
export interface View {
  readonly columns: Columns;
  readonly order: (name: OrderName) => Uint32Array;
  /** Undefined when all rows pass. */
  readonly marks: Marks | undefined;
  /** Those of them in the circle of the request, if they were found already. */
  readonly found?: Found;
}

/** How many rows pass. */
export function countMarks(marks: Marks): number {
  let total = 0;
  // eslint-disable-next-line @typescript-eslint/prefer-for-of -- which takes ten times as long
  for (let slot = 0; slot < marks.length; slot += 1) total += marks[slot] ?? 0;
  return total;
}

export type IndexedSort = Exclude<Sort, 'distance'>;

/** Compares slots with a position, by way of slot 0: to be used at once. */
export function compareWith(
  sort: IndexedSort,
  { key, id }: Position,
  columns: Columns,
): (slot: number) => number {
  columns.id[0] = id;
  if (sort === 'newest') columns.created[0] = Date.parse(String(key));
  else if (sort === 'rating') columns.overall[0] = Number(key);
  else columns.name[0] = String(key);
  const compare = compareSlots(sort, columns);
  return (slot) => compare(slot, 0);
}

/** The place of a row in a sorted list. */
export function positionOf(slot: number, sort: IndexedSort, columns: Columns): Position {
  return { key: keyOf(slot, sort, columns), id: columns.id[slot] ?? 0 };
}

function keyOf(slot: number, sort: IndexedSort, { created, overall, name }: Columns): string | number {
  switch (sort) {
    case 'newest':
      return new Date(created[slot] ?? 0).toISOString();
    case 'rating':
      return overall[slot] ?? 0;
    case 'name':
      return name[slot] ?? '';
  }
}
