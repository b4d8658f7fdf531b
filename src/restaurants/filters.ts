import {
  type Query,
  choiceParameter,
  choicesParameter,
  idsParameter,
  integerParameter,
  numberParameter,
  numbersParameter,
} from '../input/query.ts';
import { STATUSES } from './fields.ts';
import type { Box } from './geo.ts';
import type { Lookups } from './lookups.ts';
import { type Rows, STATUS_CODES } from './rows.ts';

/** Whether the row in a slot passes. */
export type Test = (slot: number) => boolean;

/** Values that filters need besides the rows themselves. */
export interface FilterContext {
  readonly rows: Rows;
  /** Those that there are; rows may refer to others, which were deleted. */
  readonly lookups: Lookups;
}

/** One filter with its value in a query. */
export interface ChosenFilter {
  /** Parameter and value, which no other filter shares. */
  readonly key: string;
  /** Whether suggestions can pass, too. */
  readonly suits: 'all' | 'restaurants';
  readonly test: (context: FilterContext) => Test;
}

/** Reads a filter under the name of its parameter; undefined when it is absent or at fault. */
type FilterReader = (query: Query, name: string) => ChosenFilter | undefined;

interface Filter<Value> {
  readonly suits: ChosenFilter['suits'];
  readonly parse: (query: Query, name: string) => Value | undefined;
  readonly test: (value: Value, context: FilterContext) => Test;
}

const NONE: Test = () => false;
const MAX_IDS = 100;

/** All filters of lists but words and places (SPEC, "Restaurants"). */
export const FILTERS: Readonly<Record<string, FilterReader>> = {
  category_id: filter({
    suits: 'all',
    parse: (query, name) => integerParameter(query, name, 1, Number.MAX_SAFE_INTEGER),
    test: (id, { rows, lookups }) => (lookups.categories.has(id) ? hasCategory(new Set([id]), rows) : NONE),
  }),
  food_type_ids: filter({
    suits: 'all',
    parse: (query, name) => idsParameter(query, name, MAX_IDS),
    test: (ids, { rows, lookups }) =>
      hasFoodType(new Set(ids.filter((id) => lookups.foodTypes.has(id))), rows),
  }),
  bbox: filter({
    suits: 'all',
    parse: boxParameter,
    test: ({ west, south, east, north }, { rows }) => {
      const { latitude, longitude } = rows.columns();
      const isWithin = (degrees: number): boolean =>
        west <= east ? degrees >= west && degrees <= east : degrees >= west || degrees <= east;
      return (slot) => {
        const [lat, lng] = [latitude[slot] ?? NaN, longitude[slot] ?? NaN];
        // The meridian of 180 degrees has two names.
        return lat >= south && lat <= north && (isWithin(lng) || (Math.abs(lng) === 180 && isWithin(-lng)));
      };
    },
  }),
  status: filter({
    suits: 'restaurants',
    parse: (query, name) => choiceParameter(query, name, STATUSES),
    test: (wanted, { rows }) => {
      const { status } = rows.columns();
      const code = STATUS_CODES.indexOf(wanted);
      return (slot) => status[slot] === code;
    },
  }),
  price_level: filter({
    suits: 'restaurants',
    parse: (query, name) => choicesParameter(query, name, ['1', '2', '3', '4']),
    test: (wanted, { rows }) => {
      const levels = rows.columns().numbers.get('price_level');
      const passes = new Set(wanted.map(Number));
      return (slot) => passes.has(levels?.[slot] ?? NaN);
    },
  }),
  min_rating: filter({
    suits: 'restaurants',
    parse: (query, name) => numberParameter(query, name, 1, 5),
    test: (least, { rows }) => {
      const { overall } = rows.columns();
      return (slot) => (overall[slot] ?? 0) >= least;
    },
  }),
};

/** A box of degrees; west of its east edge it crosses the antimeridian. */
function boxParameter(query: Query, name: string): Box | undefined {
  const numbers = numbersParameter(query, name, 4);
  if (!numbers) return undefined;
  const [west = NaN, south = NaN, east = NaN, north = NaN] = numbers;
  if (Math.max(Math.abs(west), Math.abs(east)) > 180 || Math.max(Math.abs(south), Math.abs(north)) > 90)
    query.faults.push(`${name} must be west,south,east,north in degrees`);
  else if (south > north) query.faults.push(`${name} must not have its south above its north`);
  else return { west, south, east, north };
  return undefined;
}

function filter<Value>({ suits, parse, test }: Filter<Value>): FilterReader {
  return (query, name) => {
    const value = parse(query, name);
    if (value === undefined) return undefined;
    return { key: `${name}=${JSON.stringify(value)}`, suits, test: (context) => test(value, context) };
  };
}

/** The filters that a query has, in the order of the table. */
export function parseFilters(query: Query): readonly ChosenFilter[] {
  return Object.entries(FILTERS).flatMap(([name, read]) => read(query, name) ?? []);
}

/** Tests for one of these categories. */
export function hasCategory(ids: ReadonlySet<number>, rows: Rows): Test {
  const { category } = rows.columns();
  const [first] = ids;
  if (ids.size < 2) return first === undefined ? NONE : (slot) => category[slot] === first;
  return (slot) => ids.has(category[slot] ?? 0);
}

/** Tests for at least one of these food types. */
export function hasFoodType(ids: ReadonlySet<number>, rows: Rows): Test {
  if (ids.size === 0) return NONE;
  const { foodTypes } = rows.columns();
  const passes = Uint8Array.from(rows.foodTypeSets(), (set) => Number(set.some((id) => ids.has(id))));
  return (slot) => passes[foodTypes[slot] ?? 0] === 1;
}

/** A test that all of them pass; undefined when there is none. */
export function allOf(tests: readonly Test[]): Test | undefined {
  const [first, ...others] = tests;
  return first && others.reduce((all, test) => (slot) => all(slot) && test(slot), first);
}
