import {
  type Query,
  choiceParameter,
  choicesParameter,
  idsParameter,
  integerParameter,
  numberParameter,
  numbersParameter,
  textParameter,
} from '../../kit/input/query.ts';
import { parseInstant } from '../../kit/time.ts';
import type { Box } from '../../index/geo.ts';
import type { Condition } from '../../index/request.ts';
import { DIETS, RESTAURANT_STATUSES, dietBits } from './field-table.ts';

/** A list of a user, by its id or the name of a built-in one. */
export type ListName = number | 'want' | 'favourites';

/** The instant at which places must be open, in milliseconds since 1970; `now` is the time of the request. */
export type OpenAt = number | 'now';

/** The places on the caller's lists, and those visited. */
export interface OwnPlaces {
  /** On the list that a filter names. */
  readonly listed: readonly number[];
  readonly on: (list: 'want' | 'favourites') => readonly number[];
  readonly visited: () => readonly number[];
}

/** A filter with its value in a query. */
export interface ChosenFilter {
  /** `all` if suggestions can pass too. */
  readonly suits: 'all' | 'restaurants';
  /** True if it depends on the caller's lists or visits. */
  readonly isOwn: boolean;
  readonly list?: ListName | undefined;
  readonly openAt?: OpenAt | undefined;
  readonly box?: Box | undefined;
  /** `now` is the time of the request; `own` is set if any filter `isOwn`. */
  readonly condition: (now: number, own: OwnPlaces | undefined) => Condition;
}

/** Reads a filter from the parameter of that name; undefined if it is absent or invalid. */
type FilterReader = (query: Query, name: string) => ChosenFilter | undefined;

const MAX_IDS = 100;

/** All filters of lists except search words and circles. */
export const FILTERS: Readonly<Record<string, FilterReader>> = {
  category_id: filter({
    suits: 'all',
    parse: (query, name) => integerParameter(query, name, 1, Number.MAX_SAFE_INTEGER),
    condition: (category) => ({ category }),
  }),
  food_type_ids: filter({
    suits: 'all',
    parse: (query, name) => idsParameter(query, name, MAX_IDS),
    condition: (foodTypes) => ({ foodTypes }),
  }),
  bbox: filter({
    suits: 'all',
    parse: boxParameter,
    also: (box) => ({ box }),
    condition: (box) => ({ box }),
  }),
  status: filter({
    suits: 'restaurants',
    parse: (query, name) => choiceParameter(query, name, RESTAURANT_STATUSES),
    condition: (status) => ({ status }),
  }),
  price_level: filter({
    suits: 'restaurants',
    parse: (query, name) => choicesParameter(query, name, ['1', '2', '3', '4']),
    condition: (levels) => ({ column: 'price_level', oneOf: levels.map(Number) }),
  }),
  diet: filter({
    suits: 'restaurants',
    parse: (query, name) => choicesParameter(query, name, DIETS),
    condition: (served) => ({ column: 'diets', bits: dietBits(served) }),
  }),
  list: filter({
    suits: 'restaurants',
    parse: listParameter,
    also: (list) => ({ list, isOwn: true }),
    condition: (_list, _now, own) => ({ ids: own?.listed ?? [], areWanted: true }),
  }),
  visited: filter({
    suits: 'restaurants',
    parse: (query, name) => choiceParameter(query, name, ['yes', 'no']),
    also: () => ({ isOwn: true }),
    condition: (wanted, _now, own) => ({ ids: own?.visited() ?? [], areWanted: wanted === 'yes' }),
  }),
  min_rating: filter({
    suits: 'restaurants',
    parse: (query, name) => numberParameter(query, name, 1, 5),
    condition: (atLeast) => ({ column: 'overall', atLeast }),
  }),
  open_at: filter({
    suits: 'restaurants',
    parse: openParameters,
    also: ({ at }) => ({ openAt: at }),
    condition: ({ at, isStrict }, now) => ({ openAt: at === 'now' ? now : at, isStrict }),
  }),
};

/** The filters that a query has, in the order of the table. */
export function parseFilters(query: Query): readonly ChosenFilter[] {
  return Object.entries(FILTERS).flatMap(([name, read]) => read(query, name) ?? []);
}

function filter<Value>({
  suits,
  parse,
  also,
  condition,
}: {
  readonly suits: ChosenFilter['suits'];
  readonly parse: (query: Query, name: string) => Value | undefined;
  readonly also?: (value: Value) => Partial<ChosenFilter>;
  readonly condition: (value: Value, now: number, own: OwnPlaces | undefined) => Condition;
}): FilterReader {
  return (query, name) => {
    const value = parse(query, name);
    if (value === undefined) return undefined;
    return { suits, isOwn: false, ...also?.(value), condition: (now, own) => condition(value, now, own) };
  };
}

/** The id of a list, or the name of a built-in one. */
function listParameter(query: Query, name: string): ListName | undefined {
  const text = textParameter(query, name, 20);
  if (text === undefined || text === 'want' || text === 'favourites') return text;
  const id = /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
  if (id === undefined) query.faults.push(`${name} must be the id of a list, want or favourites`);
  return id;
}

/** A box in degrees; it crosses the antimeridian if `west` is greater than `east`. */
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

const MAX_TIME = 40;
/** Reads a parameter that is `now` or ISO 8601 with an offset; undefined if it is absent or invalid. */
export function openAtParameter(query: Query, name: string): OpenAt | undefined {
  const text = textParameter(query, name, MAX_TIME);
  if (text === undefined || text === 'now') return text;
  const instant = parseInstant(text);
  if (instant === undefined) query.faults.push(`${name} must be now or a time with its offset`);
  return instant;
}

/** Reads `open_at` and `open_strict`. */
function openParameters(
  query: Query,
  name: string,
): { readonly at: OpenAt; readonly isStrict: boolean } | undefined {
  const at = openAtParameter(query, name);
  const strict = choiceParameter(query, 'open_strict', ['true', 'false']);
  if (strict !== undefined && !query.raw.has(name)) query.faults.push(`open_strict needs ${name}`);
  return at === undefined ? undefined : { at, isStrict: strict === 'true' };
}
