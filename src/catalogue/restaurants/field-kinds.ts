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

/** How the values of a field are read and recognised. */
export interface Kind<Value> {
  /** Reads the field of a body; its default where it is absent. Adds what is wrong with it to the faults. */
  readonly parse: (fields: Fields, name: string) => Value;
  /** Whether a stored value is one of this field. */
  readonly is: (value: unknown) => value is Value;
  /** Whether texts such as cells of a CSV file are read as numbers. */
  readonly isNumber?: boolean;
}

/** A name, which must be there. */
export function requiredName(max: number): Kind<string> {
  return { parse: (fields, name) => requiredNameField(fields, name, max), is: isText };
}

/** Text of at most so many characters, or null. */
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

/** One of some words; where none is sent it is `otherwise`, which may be null. */
export function choice<Choice extends string, Otherwise extends Choice | null>(
  choices: readonly Choice[],
  otherwise: Otherwise,
): Kind<Choice | Otherwise> {
  return {
    parse: (fields, name) => choiceField(fields, name, choices) ?? otherwise,
    is: (value): value is Choice | Otherwise => value === otherwise || choices.some((one) => one === value),
  };
}

/** Whether a value is a string. */
export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Whether a value is a string or null. */
export function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

/** Whether a value is a number or null. */
export function isNumberOrNull(value: unknown): value is number | null {
  return value === null || typeof value === 'number';
}

function isNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'number');
}
