import { percentDecoded } from '../objects.ts';
import { type Parsed, longerThan, parsed } from './fields.ts';
import { Sent, unknownParameters } from './unknown.ts';

/** The parameters of a query string, still encoded, and the faults found so far. */
export interface Query {
  readonly raw: Sent<readonly string[]>;
  readonly faults: string[];
  /** The parameters not read so far. */
  readonly unknown: () => ReturnType<typeof unknownParameters>;
}

// Digits with at most one point and a short exponent: excludes hexadecimal, Infinity and spaces.
const DECIMAL = /^[+-]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:e[+-]?\d{1,3})?$/i;
const MAX_LIMIT = 1_000;
const DEFAULT_PAGE = 20;
const MAX_PAGE = 100;
const INTEGER = /^-?\d+$/;

/** Splits a raw query string. The values of parameters that are never read are not checked. */
export function readQuery(query: string): Query {
  const found = new Map<string, string[]>();
  for (const pair of query === '' ? [] : query.split('&')) {
    const equals = pair.indexOf('=');
    const name = decoded(equals === -1 ? pair : pair.slice(0, equals));
    if (name === undefined) continue;
    const value = equals === -1 ? '' : pair.slice(equals + 1);
    const values = found.get(name);
    if (values) values.push(value);
    else found.set(name, [value]);
  }
  return queryOf(found);
}

/** The parameters of a query by name, each with its values as they are encoded in a URL. */
export function queryOf(values: ReadonlyMap<string, readonly string[]>): Query {
  const raw = new Sent(values);
  return { raw, faults: [], unknown: () => unknownParameters(raw) };
}

/** Makes a query parser. `read` reads the parameters of the value. */
export function queryParser<Value>(read: (query: Query) => Value): (queryString: string) => Parsed<Value> {
  return (queryString) => {
    const query = readQuery(queryString);
    return parsed(query, read(query));
  };
}

/** Trimmed text of 1 to `max` characters; undefined if absent. */
export function textParameter(query: Query, name: string, max: number): string | undefined {
  return read(query, name, (value, refuse) => {
    const text = value.trim();
    if (text === '') return refuse('must not be blank');
    return longerThan(text, max) ? refuse(`must be at most ${max} characters`) : text;
  });
}

/** Like `textParameter`, but absent is a fault. */
export function requiredTextParameter(query: Query, name: string, max: number): string {
  requireParameters(query, [name]);
  return textParameter(query, name, max) ?? '';
}

/** Adds a fault for each absent parameter. */
export function requireParameters({ raw, faults }: Query, names: readonly string[]): void {
  for (const name of names) if (!raw.has(name)) faults.push(`${name} is required`);
}

/** A decimal number within the range; undefined if absent. */
export function numberParameter(query: Query, name: string, min: number, max: number): number | undefined {
  return read(query, name, (value, refuse) => {
    const number = DECIMAL.test(value) ? Number(value) : NaN;
    if (!Number.isFinite(number)) return refuse('must be a number');
    return number >= min && number <= max ? number : refuse(`must be between ${min} and ${max}`);
  });
}

/** Exactly `count` comma-separated decimal numbers; undefined if absent. */
export function numbersParameter(query: Query, name: string, count: number): readonly number[] | undefined {
  return read(query, name, (value, refuse) => {
    const parts = partsOf(value, count);
    const areNumbers = parts.length === count && parts.every((part) => DECIMAL.test(part));
    return areNumbers ? parts.map(Number) : refuse(`must be ${count} numbers, separated by commas`);
  });
}

/** An integer within the range; undefined if absent. */
export function integerParameter(query: Query, name: string, min: number, max: number): number | undefined {
  return read(query, name, (value, refuse) => {
    const integer = INTEGER.test(value) ? Number(value) : NaN;
    if (Number.isNaN(integer)) return refuse('must be an integer');
    if (integer < min) return refuse(`must be at least ${min}`);
    return integer > max ? refuse(`must be at most ${max}`) : integer;
  });
}

/** The part of a list that `limit` (1 to 1,000) and `offset` select; all of the rest without a limit. */
export interface ListPart {
  readonly limit: number | undefined;
  readonly offset: number;
}

export function listPart(query: Query): ListPart {
  return {
    limit: integerParameter(query, 'limit', 1, MAX_LIMIT),
    offset: integerParameter(query, 'offset', 0, Number.MAX_SAFE_INTEGER) ?? 0,
  };
}

/** Parses a query that has only `limit` and `offset`. */
export const parseListPart = queryParser(listPart);

/**
 * At most `max` comma-separated ids without duplicates; undefined if absent. `named` contains ids that also have a
 * name.
 */
export function idsParameter(
  query: Query,
  name: string,
  max: number,
  named: ReadonlyMap<string, number> = new Map(),
): readonly number[] | undefined {
  return read(query, name, (value, refuse) => {
    const parts = partsOf(value, max);
    if (parts.length > max) return refuse(`must have at most ${max} ids`);
    if (parts.every((part) => named.has(part) || /^[1-9]\d{0,14}$/.test(part)))
      return [...new Set(parts.map((part) => named.get(part) ?? Number(part)))];
    return refuse(`must be ${[...named.keys(), ''].join(' or ')}comma-separated positive integers`);
  });
}

/** The requested page of a list; a limit over 100 counts as 100. */
export interface PagePart {
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** Reads `limit` and `cursor`, whose length is at most `longest`. */
export function pagePart(query: Query, longest: number): PagePart {
  const limit = integerParameter(query, 'limit', 1, Infinity) ?? DEFAULT_PAGE;
  return { limit: Math.min(limit, MAX_PAGE), cursor: textParameter(query, 'cursor', longest) };
}

// Sealed values are longer than what they hold.
const LONGEST_CURSOR = 4_000;

/** Parses a query whose only parameters are `limit` and `cursor`. */
export const parsePagePart = queryParser((query) => pagePart(query, LONGEST_CURSOR));

/** Several of `choices`, separated by commas; undefined if absent. */
export function choicesParameter<Choice extends string>(
  query: Query,
  name: string,
  choices: readonly Choice[],
): readonly Choice[] | undefined {
  return read(query, name, (value, refuse) => {
    const parts = value.split(',').map((part) => part.trim());
    const found = choices.filter((choice) => parts.includes(choice));
    const areAll = found.length === new Set(parts).size;
    return areAll ? found : refuse(`must be of ${choices.join(', ')}, separated by commas`);
  });
}

/** One of `choices`; undefined if absent. */
export function choiceParameter<Choice extends string>(
  query: Query,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  return read(query, name, (value, refuse) => {
    const found = choices.find((choice) => choice === value);
    return found ?? refuse(`must be one of ${choices.join(', ')}`);
  });
}

/** The single value of a parameter, parsed; undefined if absent or invalid. */
function read<Value>(
  { raw, faults }: Query,
  name: string,
  parse: (value: string, refuse: (fault: string) => null) => Value | null,
): Value | undefined {
  const refuse = (fault: string): null => {
    faults.push(`${name} ${fault}`);
    return null;
  };
  const [first, ...more] = raw.get(name) ?? [];
  if (first === undefined) return undefined;
  const value = decoded(first);
  if (more.length > 0) refuse('must be given once');
  else if (value === undefined) refuse('is not valid percent-encoded UTF-8');
  else return parse(value, refuse) ?? undefined;
  return undefined;
}

/** The trimmed parts between commas; at most `max` + 1, enough to detect too many. */
function partsOf(value: string, max: number): readonly string[] {
  return value.split(',', max + 1).map((part) => part.trim());
}

function decoded(text: string): string | undefined {
  return percentDecoded(text.replaceAll('+', ' '));
}
