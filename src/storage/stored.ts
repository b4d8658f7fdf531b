import { isObject } from '../kit/objects.ts';
import type { Entity } from './change-log.ts';

/** Reads the fields of an entity as the change log holds it; each throws a TypeError when the log holds something else. */
export interface StoredFields {
  readonly text: (name: string) => string;
  readonly textOrNull: (name: string) => string | null;
  readonly number: (name: string) => number;
  readonly numberOrNull: (name: string) => number | null;
  readonly ids: (name: string) => readonly number[];
  readonly choice: <Choice extends string>(name: string, choices: readonly Choice[]) => Choice;
}

/** The entity of a JSON text of the change log. Throws where it is none. */
export function storedEntity(json: string): Entity {
  return requireObject(JSON.parse(json));
}

/** Reads an entity. */
export function storedFields(entity: Entity): StoredFields {
  const read = <Value>(name: string, is: (value: unknown) => value is Value): Value => {
    const value = entity[name];
    if (!is(value)) throw new TypeError(`the change log holds no such ${name}: ${JSON.stringify(value)}`);
    return value;
  };
  return {
    text: (name) => read(name, isText),
    textOrNull: (name) => read(name, (value) => value === null || isText(value)),
    number: (name) => read(name, isNumber),
    numberOrNull: (name) => read(name, (value) => value === null || isNumber(value)),
    ids: (name) => read(name, (value) => Array.isArray(value) && value.every(isNumber)),
    choice: (name, choices) => {
      const found = choices.find((choice) => choice === entity[name]);
      if (found === undefined) throw new TypeError(`the change log holds no such ${name}`);
      return found;
    },
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function requireObject(value: unknown): Entity {
  if (!isObject(value)) throw new TypeError('the change log holds something that is no object');
  return { ...value };
}
