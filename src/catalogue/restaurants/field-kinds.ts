import {
  type Fields,
  choiceField,
  idsField,
  integerField,
  numberField,
  requiredNameField,
  textField,
  urlField,
} from '../../kit/input/fields.ts';

/** How to parse and recognise the values of a field. */
export interface Kind<Value> {
  /** Reads the field from a body, or returns its default if absent. Adds errors to the faults. */
  readonly parse: (fields: Fields, name: string) => Value;
  /** True if a stored value is valid for this field. */
  readonly is: (value: unknown) => value is Value;
  /** True if text, such as a CSV cell, is read as a number. */
  readonly isNumber?: boolean;
}

export function requiredName(max: number): Kind<string> {
  return { parse: (fields, name) => requiredNameField(fields, name, max), is: isText };
}

/** Text of at most `max` characters, or null. */
export function text(max: number): Kind<string | null> {
  return { parse: (fields, name) => textField(fields, name, max), is: isTextOrNull };
}

/** A web address, or null. */
export function url(max: number): Kind<string | null> {
  return { parse: (fields, name) => urlField(fields, name, max), is: isTextOrNull };
}

/** A number, or null. */
export function number(min: number, max: number): Kind<number | null> {
  return { parse: (fields, name) => numberField(fields, name, min, max), is: isNumberOrNull, isNumber: true };
}

/** An integer, or null. */
export function integer(min: number, max: number): Kind<number | null> {
  return {
    parse: (fields, name) => integerField(fields, name, min, max),
    is: isNumberOrNull,
    isNumber: true,
  };
}

/** Ids of other records. */
export function ids(max: number): Kind<readonly number[]> {
  return { parse: (fields, name) => idsField(fields, name, max), is: isNumbers };
}

/** One of the choices; `otherwise` if absent. */
export function choice<Choice extends string, Otherwise extends Choice | null>(
  choices: readonly Choice[],
  otherwise: Otherwise,
): Kind<Choice | Otherwise> {
  return {
    parse: (fields, name) => choiceField(fields, name, choices) ?? otherwise,
    is: (value): value is Choice | Otherwise => value === otherwise || choices.some((one) => one === value),
  };
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

export function isNumberOrNull(value: unknown): value is number | null {
  return value === null || typeof value === 'number';
}

function isNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'number');
}
