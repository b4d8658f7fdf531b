import { isObject, propertiesOf } from '../kit/objects.ts';
import type { Entity } from './change-log.ts';

/** Whether a value is one of a column. */
export type Check<Value> = (value: unknown) => value is Value;

/** The record whose columns a table lists, each with its check. */
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

export function isIds(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every(isNumber);
}

export function isOneOf<Choice extends string>(choices: readonly Choice[]): Check<Choice> {
  return (value): value is Choice => choices.some((choice) => choice === value);
}

/** The entity of a JSON text of the change log. Throws where it is none. */
export function storedEntity(json: string): Entity {
  const value: unknown = JSON.parse(json);
  if (!isObject(value)) throw new TypeError('the change log holds something that is not an object');
  return { ...value };
}

/** These columns of an entity as the change log holds it, and no others. Throws a TypeError when it holds something else. */
export function readStored<Columns extends Readonly<Record<string, Check<unknown>>>>(
  entity: Entity,
  columns: Columns,
): Stored<Columns> {
  const values = Object.fromEntries(Object.keys(columns).map((name) => [name, entity[name]]));
  requireAll(values, columns);
  return values;
}

function requireAll<Columns extends Readonly<Record<string, Check<unknown>>>>(
  values: unknown,
  columns: Columns,
): asserts values is Stored<Columns> {
  const entity = propertiesOf(values);
  for (const [name, is] of Object.entries(columns))
    if (!is(entity?.get(name)))
      throw new TypeError(`the change log holds no such ${name}: ${JSON.stringify(entity?.get(name))}`);
}

/** Reads fields of an entity one by one; each throws a TypeError when the change log holds something else. */
export function storedFields(entity: Entity) {
  const read = <Value>(name: string, is: Check<Value>): Value => {
    const value = entity[name];
    if (!is(value)) throw new TypeError(`the change log holds no such ${name}: ${JSON.stringify(value)}`);
    return value;
  };
  return {
    text: (name: string) => read(name, isText),
    textOrNull: (name: string) => read(name, isTextOrNull),
    number: (name: string) => read(name, isNumber),
    numberOrNull: (name: string) => read(name, isNumberOrNull),
    ids: (name: string) => read(name, isIds),
    choice: <Choice extends string>(name: string, choices: readonly Choice[]) => read(name, isOneOf(choices)),
  };
}
