import type { StateCode } from '../hours/judged.ts';
import type { Timetables } from '../hours/timetables.ts';
import type { RestaurantStatus } from './field-table.ts';
import { LISTED_NAMES } from './fields.ts';
import { createSets } from './food-type-sets.ts';
import { unitVector } from './geo.ts';
import { type Cells, finestCell } from './grid.ts';
import { createSlots, createSpares } from './slots.ts';

/** The values of a restaurant, or of a pending suggestion, that lists need. */
export interface ListedRow {
  readonly id: number;
  readonly created_at: string;
  readonly search_name: string;
  /** The overall average; 0 without ratings. */
  readonly overall: number;
  /** The values of the listed fields, in the order of their names. */
  readonly numbers: readonly (number | null)[];
  readonly category_id: number | null;
  readonly status: RestaurantStatus | 'pending';
  readonly food_type_ids: readonly number[];
  /** The opening hours, and the name of the time zone that they are in. */
  readonly hours: string | null;
  readonly zone: string | null;
}

/** The statuses by their codes. */
export const STATUS_CODES: readonly ListedRow['status'][] = [
  'active',
  'temporarily_closed',
  'closed',
  'pending',
];
export const PENDING_CODE = STATUS_CODES.indexOf('pending');

/**
 * The rows in memory, column by column: a slot has the same index in all of them. Slot 0 is no row's; cursors are compared
 * by way of it. A slot without a row has the id 0.
 */
export interface Columns extends Cells {
  readonly id: Float64Array;
  /** Milliseconds since 1970. */
  readonly created: Float64Array;
  readonly overall: Float64Array;
  /** The listed fields by their names; NaN for null. */
  readonly numbers: ReadonlyMap<string, Float64Array>;
  /** Two of them, in degrees. */
  readonly latitude: Float64Array;
  readonly longitude: Float64Array;
  /** The same as x, y and z on the unit sphere, three for each slot. */
  readonly vectors: Float64Array;
  /** 0 without one. */
  readonly category: Int32Array;
  /** The number of its set of food types. */
  readonly foodTypes: Int32Array;
  readonly status: Uint8Array;
  readonly name: string[];
  /** 1 for each slot with a row. */
  readonly isRow: Uint8Array;
  /** How often the texts of a slot's rows were written, from 1. */
  readonly edit: Uint32Array;
}

/** The keys of the sorted orders; `latitude` for circles, those without coordinates last, and `grid` for maps. */
export const ORDER_NAMES = ['newest', 'name', 'rating', 'latitude', 'grid'] as const;
export type OrderName = (typeof ORDER_NAMES)[number];

/** The rows that lists choose from. */
export interface Rows {
  /** The columns as they are now; writes may replace them by longer ones. */
  readonly columns: () => Columns;
  readonly slotOf: (id: number) => number | undefined;
  /** The slots of all rows. */
  readonly slots: () => Iterable<number>;
  /** By the numbers of the sets of food types: 1 for each that has one of these. */
  readonly setsWith: (foodTypes: ReadonlySet<number>) => Uint8Array;
  /** Returns a function for whether a slot's opening hours are open at an instant, in milliseconds; to be used at once. */
  readonly openAt: (instant: number) => (slot: number) => StateCode;
  /** Reads the opening hours of some rows. Returns whether more are to be read. */
  readonly readHours: () => boolean;
  /** How often texts of any rows were written. */
  readonly edits: () => number;
  /** Whether a pending suggestion is among them. */
  readonly hasPending: () => boolean;
  /** By slots: 1 for each row, or for each that is no pending suggestion. Give it back when it is used no longer. */
  readonly marks: (withPending: boolean) => Uint8Array;
  /** Takes marks to be used again: new memory for each list costs the system and the garbage collector much. */
  readonly release: (marks: Uint8Array) => void;
  /** Stores a row under its id, and returns its slot and the orders in which it has another place now. */
  readonly put: (
    row: ListedRow,
    isEdited: boolean,
  ) => { readonly slot: number; readonly moved: readonly OrderName[] };
  /** Returns the slot that the row had. */
  readonly remove: (id: number) => number | undefined;
}

const LATITUDE = LISTED_NAMES.indexOf('latitude');
const LONGITUDE = LISTED_NAMES.indexOf('longitude');
const LEAST_CAPACITY = 1_024;

/** Makes an empty set of rows, with memory for so many at first. */
export function createRows(timetables: Timetables, expected = 0): Rows {
  // A power of two, so that bits by slots fill whole numbers.
  let columns = columnsOf(Math.max(LEAST_CAPACITY, 2 ** Math.ceil(Math.log2(expected + 1))));
  const slots = createSlots();
  const sets = createSets();
  const pending = new Set<number>();
  const spares = createSpares();
  let edits = 0;

  function forget(slot: number): void {
    pending.delete(slot);
    sets.release(columns.foodTypes[slot] ?? 0);
  }

  return {
    columns: () => columns,
    ...{ slotOf: slots.of, slots: slots.all },
    ...{ setsWith: sets.having, openAt: timetables.at, readHours: timetables.readSome },
    edits: () => edits,
    hasPending: () => pending.size > 0,
    marks: (withPending) => {
      const marks = spares.copyOf(columns.isRow);
      if (!withPending) for (const slot of pending) marks[slot] = 0;
      return marks;
    },
    release: spares.release,
    put: (row, isEdited) => {
      const known = slots.of(row.id);
      const moved = known === undefined ? ORDER_NAMES : movedIn(columns, known, row);
      if (known !== undefined) forget(known);
      const slot = known ?? slots.take(row.id);
      if (slot === columns.id.length) columns = grown(columns);
      write(columns, slot, row);
      if (isEdited || known === undefined) {
        columns.edit[slot] = (columns.edit[slot] ?? 0) + 1;
        timetables.set(slot, row.hours, row.zone);
        edits += 1;
      }
      columns.foodTypes[slot] = sets.hold(row.food_type_ids);
      if (row.status === 'pending') pending.add(slot);
      return { slot, moved };
    },
    remove: (id) => {
      const slot = slots.free(id);
      if (slot === undefined) return undefined;
      forget(slot);
      columns.id[slot] = 0;
      columns.isRow[slot] = 0;
      columns.name[slot] = '';
      return slot;
    },
  };
}

/** The orders in which a row has another place than what is stored in its slot. */
function movedIn(
  { created, overall, latitude, longitude, name }: Columns,
  slot: number,
  row: ListedRow,
): readonly OrderName[] {
  const isAt = (degrees: Float64Array, index: number): boolean =>
    Object.is(degrees[slot], row.numbers[index] ?? NaN);
  const isOnLatitude = isAt(latitude, LATITUDE);
  return [
    ...(created[slot] === Date.parse(row.created_at) ? [] : (['newest'] as const)),
    ...(name[slot] === row.search_name ? [] : (['name'] as const)),
    ...(overall[slot] === row.overall ? [] : (['rating'] as const)),
    ...(isOnLatitude ? [] : (['latitude'] as const)),
    ...(isOnLatitude && isAt(longitude, LONGITUDE) ? [] : (['grid'] as const)),
  ];
}

function write(columns: Columns, slot: number, row: ListedRow): void {
  columns.id[slot] = row.id;
  columns.created[slot] = Date.parse(row.created_at);
  columns.overall[slot] = row.overall;
  let index = 0;
  for (const values of columns.numbers.values()) {
    values[slot] = row.numbers[index] ?? NaN;
    index += 1;
  }
  const [latitude = NaN, longitude = NaN] = [columns.latitude[slot], columns.longitude[slot]];
  columns.vectors.set(unitVector({ latitude, longitude }), 3 * slot);
  [columns.cellX[slot], columns.cellY[slot]] = finestCell({ latitude, longitude });
  columns.category[slot] = row.category_id ?? 0;
  columns.name[slot] = row.search_name;
  columns.status[slot] = STATUS_CODES.indexOf(row.status);
  columns.isRow[slot] = 1;
}

function columnsOf(capacity: number): Columns {
  const numbers = new Map(LISTED_NAMES.map((name) => [name, new Float64Array(capacity)]));
  const [latitude, longitude] = [numbers.get('latitude'), numbers.get('longitude')];
  if (!latitude || !longitude) throw new Error('lists need coordinates');
  return {
    id: new Float64Array(capacity),
    created: new Float64Array(capacity),
    overall: new Float64Array(capacity),
    ...{ numbers, latitude, longitude },
    vectors: new Float64Array(3 * capacity),
    cellX: new Uint32Array(capacity),
    cellY: new Uint32Array(capacity),
    category: new Int32Array(capacity),
    foodTypes: new Int32Array(capacity),
    status: new Uint8Array(capacity),
    name: [''],
    isRow: new Uint8Array(capacity),
    edit: new Uint32Array(capacity),
  };
}

function grown(columns: Columns): Columns {
  const next = { ...columnsOf(2 * columns.id.length), name: columns.name };
  next.id.set(columns.id);
  next.created.set(columns.created);
  next.overall.set(columns.overall);
  next.vectors.set(columns.vectors);
  next.cellX.set(columns.cellX);
  next.cellY.set(columns.cellY);
  for (const [name, values] of columns.numbers) next.numbers.get(name)?.set(values);
  next.category.set(columns.category);
  next.foodTypes.set(columns.foodTypes);
  next.status.set(columns.status);
  next.isRow.set(columns.isRow);
  next.edit.set(columns.edit);
  return next;
}
