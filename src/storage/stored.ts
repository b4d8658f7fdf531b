import { isObject } from '../kit/objects.ts';
import type { Entity } from './change-log.ts';

/** Checks that a value is valid for a column. */
export type Check<Value> = (value: unknown) => value is Value;

/** The record type of a table of columns and checks. */
export type Stored<Columns> = {
  readonly [Name in keyof Columns]: Columns[Name] extends Check<infer Value> ? Value : never;
};

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

export function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

export function isNumberOrNull(value: unknown): value is number | null {
  return value === null || typeof value === 'number';
}

export function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

export function isIds(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every(isNumber);
}

export function isOneOf<Choice extends string>(choices: readonly Choice[]): Check<Choice> {
  return (value): value is Choice => choices.some((choice) => choice === value);
}

/** Parses an entity from the change log. Throws if the text is not an object. */
export function storedEntity(json: string): Entity {
  const value: unknown = JSON.parse(json);
  if (!isObject(value)) throw new TypeError('the change log holds something that is not an object');
  return { ...value };
}

type Columns = Readonly<Record<string, Check<unknown>>>;

/** Picks these columns from a logged entity. Throws a TypeError if a value fails its check. */
export function readStored<Table extends Columns>(entity: Entity, columns: Table): Stored<Table> {
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(columns)) values[name] = entity[name];
  requireColumns(values, columns);
  return values;
}

/** Throws a TypeError unless a record has these columns. */
export function requireColumns<Table extends Columns>(
  values: Record<string, unknown>,
  columns: Table,
): asserts values is Record<string, unknown> & Stored<Table> {
  for (const name of Object.keys(columns))
    if (columns[name]?.(values[name]) !== true)
      throw new TypeError(`stored as ${name}: ${JSON.stringify(values[name])}`);
}
