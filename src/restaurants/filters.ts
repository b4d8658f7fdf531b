import {
  type Query,
  choiceParameter,
  idsParameter,
  integerParameter,
  numberParameter,
} from '../input/query.ts';
import { STATUSES } from './fields.ts';
import type { Lookups } from './lookups.ts';
import { type Columns, type Rows, STATUS_CODES } from './rows.ts';

/** Whether the row in a slot passes. */
export type Test = (slot: number) => boolean;

/** What filters ask besides the rows themselves. */
export interface FilterContext {
  readonly columns: Columns;
  readonly foodTypeSets: ReturnType<Rows['foodTypeSets']>;
  /** Those that there are; rows may refer to others, which were deleted. */
  readonly lookups: Lookups;
}

/** One filter with the value that a query gives it. */
export interface ChosenFilter {
  /** Parameter and value, which tell it from any other. */
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
    test: (id, { columns: { category }, lookups }) =>
      lookups.categories.has(id) ? (slot) => category[slot] === id : NONE,
  }),
  food_type_ids: filter({
    suits: 'all',
    parse: (query, name) => idsParameter(query, name, MAX_IDS),
    test: (ids, { columns: { foodTypes }, foodTypeSets, lookups }) => {
      const wanted = new Set(ids.filter((id) => lookups.foodTypes.has(id)));
      if (wanted.size === 0) return NONE;
      const passes = Uint8Array.from(foodTypeSets, (set) => Number(set.some((id) => wanted.has(id))));
      return (slot) => passes[foodTypes[slot] ?? 0] === 1;
    },
  }),
  status: filter({
    suits: 'restaurants',
    parse: (query, name) => choiceParameter(query, name, STATUSES),
    test: (wanted, { columns: { status } }) => {
      const code = STATUS_CODES.indexOf(wanted);
      return (slot) => status[slot] === code;
    },
  }),
  min_rating: filter({
    suits: 'restaurants',
    parse: (query, name) => numberParameter(query, name, 1, 5),
    test:
      (least, { columns: { overall } }) =>
      (slot) =>
        (overall[slot] ?? 0) >= least,
  }),
};

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

/** A test that all of them pass; undefined when there is none. */
export function allOf(tests: readonly Test[]): Test | undefined {
  const [first, ...others] = tests;
  return first && others.reduce((all, test) => (slot) => all(slot) && test(slot), first);
}
