import {
  type Query,
  choiceParameter,
  choicesParameter,
  idsParameter,
  integerParameter,
  numberParameter,
} from '../../kit/input/query.ts';
import { boxParameter, listParameter } from './filter-parameters.ts';
import { DIETS, dietBits } from './facts.ts';
import { STATUSES } from './field-table.ts';
import type { Box } from './geo.ts';
import type { Lookups } from './lookups.ts';
import { type OpenAt, openTest, openFilterParameters } from './open-at.ts';
import type { ListName } from './personal.ts';
import { type Rows, STATUS_CODES } from './rows.ts';

/** By slots: 1 for each row that passes. */
export type Marks = Uint8Array;

/** Values that filters need besides the rows themselves. */
export interface FilterContext {
  readonly rows: Rows;
  /** Those that there are; rows may refer to others, which were deleted. */
  readonly lookups: Lookups;
  readonly own: OwnPlaces | undefined;
  /** The instant of the request, in milliseconds since 1970. */
  readonly now: number;
}

/** The places that a caller has noted. */
export interface OwnPlaces {
  /** On the list that a filter names. */
  readonly listed: readonly number[];
  readonly on: (list: 'want' | 'favourites') => readonly number[];
  readonly visited: () => readonly number[];
}

/** One filter with its value in a query. */
export interface ChosenFilter {
  /** Whether suggestions can pass, too. */
  readonly suits: 'all' | 'restaurants';
  /** Whether it depends on what the caller has noted. */
  readonly isOwn: boolean;
  readonly list?: ListName | undefined;
  readonly openAt?: OpenAt | undefined;
  readonly box?: Box | undefined;
  /** Clears the marks of rows that do not pass; undefined for a filter with a test. */
  readonly apply?: ((marks: Marks, context: FilterContext) => void) | undefined;
  /**
   * Of a filter that may take microseconds for each row, and so is applied in slices: returns a function for whether a slot
   * passes. Its results hold until the row's texts are written.
   */
  readonly test?: ((context: FilterContext) => (slot: number) => boolean) | undefined;
}

/** Reads a filter under the name of its parameter; undefined when it is absent or at fault. */
type FilterReader = (query: Query, name: string) => ChosenFilter | undefined;

interface Filter<Value> {
  readonly suits: ChosenFilter['suits'];
  readonly isOwn?: boolean;
  readonly listOf?: (value: Value) => ListName;
  readonly openAtOf?: (value: Value) => OpenAt;
  readonly boxOf?: (value: Value) => Box;
  readonly test?: (value: Value, context: FilterContext) => (slot: number) => boolean;
  readonly parse: (query: Query, name: string) => Value | undefined;
  /** A loop of its own in each filter takes a tenth of one that all share, which calls a function for each row. */
  readonly apply?: (value: Value, marks: Marks, context: FilterContext) => void;
}

const MAX_IDS = 100;

/** All filters of lists but words and circles (SPEC, "Restaurants"). */
export const FILTERS: Readonly<Record<string, FilterReader>> = {
  category_id: filter({
    suits: 'all',
    parse: (query, name) => integerParameter(query, name, 1, Number.MAX_SAFE_INTEGER),
    apply: (id, marks, { rows, lookups }) => {
      const { category } = rows.columns();
      const wanted = lookups.categories.has(id) ? id : -1;
      for (let slot = 0; slot < marks.length; slot += 1) if (category[slot] !== wanted) marks[slot] = 0;
    },
  }),
  food_type_ids: filter({
    suits: 'all',
    parse: (query, name) => idsParameter(query, name, MAX_IDS),
    apply: (ids, marks, { rows, lookups }) => {
      const { foodTypes } = rows.columns();
      const passes = rows.setsWith(new Set(ids.filter((id) => lookups.foodTypes.has(id))));
      for (let slot = 0; slot < marks.length; slot += 1)
        if (marks[slot] === 1 && passes[foodTypes[slot] ?? 0] === 0) marks[slot] = 0;
    },
  }),
  bbox: filter({
    suits: 'all',
    parse: boxParameter,
    boxOf: (box) => box,
    apply: ({ west, south, east, north }, marks, { rows }) => {
      const { latitude, longitude } = rows.columns();
      const isWithin = (degrees: number): boolean =>
        west <= east ? degrees >= west && degrees <= east : degrees >= west || degrees <= east;
      // The meridian of 180 degrees has two names.
      const isBetween = (degrees: number): boolean =>
        isWithin(degrees) || (Math.abs(degrees) === 180 && isWithin(-degrees));
      for (let slot = 0; slot < marks.length; slot += 1) {
        const degrees = latitude[slot] ?? NaN;
        if (degrees >= south && degrees <= north && isBetween(longitude[slot] ?? NaN)) continue;
        marks[slot] = 0;
      }
    },
  }),
  status: filter({
    suits: 'restaurants',
    parse: (query, name) => choiceParameter(query, name, STATUSES),
    apply: (wanted, marks, { rows }) => {
      const { status } = rows.columns();
      const code = STATUS_CODES.indexOf(wanted);
      for (let slot = 0; slot < marks.length; slot += 1) if (status[slot] !== code) marks[slot] = 0;
    },
  }),
  price_level: filter({
    suits: 'restaurants',
    parse: (query, name) => choicesParameter(query, name, ['1', '2', '3', '4']),
    apply: (wanted, marks, { rows }) => {
      const levels = rows.columns().numbers.get('price_level');
      const passes = new Set(wanted.map(Number));
      for (let slot = 0; slot < marks.length; slot += 1)
        if (!passes.has(levels?.[slot] ?? NaN)) marks[slot] = 0;
    },
  }),
  diet: filter({
    suits: 'restaurants',
    parse: (query, name) => choicesParameter(query, name, DIETS),
    apply: (wanted, marks, { rows }) => {
      const served = rows.columns().numbers.get('diets');
      const bits = dietBits(wanted);
      for (let slot = 0; slot < marks.length; slot += 1)
        if (((served?.[slot] ?? 0) & bits) !== bits) marks[slot] = 0;
    },
  }),
  list: filter({
    suits: 'restaurants',
    isOwn: true,
    parse: listParameter,
    listOf: (list) => list,
    apply: (_list, marks, { rows, own }) => {
      markAmong(own?.listed ?? [], true, marks, rows);
    },
  }),
  visited: filter({
    suits: 'restaurants',
    isOwn: true,
    parse: (query, name) => choiceParameter(query, name, ['yes', 'no']),
    apply: (wanted, marks, { rows, own }) => {
      markAmong(own?.visited() ?? [], wanted === 'yes', marks, rows);
    },
  }),
  min_rating: filter({
    suits: 'restaurants',
    parse: (query, name) => numberParameter(query, name, 1, 5),
    apply: (least, marks, { rows }) => {
      const { overall } = rows.columns();
      for (let slot = 0; slot < marks.length; slot += 1) if ((overall[slot] ?? 0) < least) marks[slot] = 0;
    },
  }),
  open_at: filter({
    suits: 'restaurants',
    parse: openFilterParameters,
    openAtOf: ({ at }) => at,
    test: (value, { rows, now }) =>
      openTest(value, rows.openAt(value.at === 'now' ? now : value.at), rows.columns()),
  }),
};

/** Clears the marks of rows that are not among these ids, or of those that are. */
export function markAmong(ids: readonly number[], areWanted: boolean, marks: Marks, rows: Rows): void {
  const among = new Uint8Array(marks.length);
  for (const id of ids) among[rows.slotOf(id) ?? 0] = 1;
  const unwanted = areWanted ? 0 : 1;
  for (let slot = 0; slot < marks.length; slot += 1) if (among[slot] === unwanted) marks[slot] = 0;
}

function filter<Value>(row: Filter<Value>): FilterReader {
  const { suits, isOwn = false, parse, apply, test } = row;
  return (query, name) => {
    const value = parse(query, name);
    if (value === undefined) return undefined;
    return {
      suits,
      isOwn,
      list: row.listOf?.(value),
      openAt: row.openAtOf?.(value),
      box: row.boxOf?.(value),
      test: test && ((context) => test(value, context)),
      apply:
        apply &&
        ((marks, context) => {
          apply(value, marks, context);
        }),
    };
  };
}

/** The filters that a query has, in the order of the table. */
export function parseFilters(query: Query): readonly ChosenFilter[] {
  return Object.entries(FILTERS).flatMap(([name, read]) => read(query, name) ?? []);
}
