import { sanitise, sanitiseName } from './sanitise.ts';
import { Sent, type UnknownNames, unknownFields } from './unknown.ts';

/** A parser's result: a valid value or all faults, and the names that the parser did not expect. */
export type Parsed<Value> = (
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly faults: readonly string[] }
) & { readonly unknown?: UnknownNames | undefined };

/** The fields of a JSON object, and the faults found so far. */
export interface Fields {
  readonly values: Sent<unknown>;
  readonly faults: string[];
  /** The fields of the objects among the values, by the name of the object. */
  readonly inner: Map<string, Sent<unknown>>;
  /** The fields not read so far. */
  readonly unknown: () => UnknownNames;
}

/**
 * Reads the own properties of `body`; the values of fields that are never read are not checked. Such fields count as
 * unknown unless they are in `answered`, for clients that send back what they received.
 */
export function readFields(body: object, answered: readonly string[] = []): Fields {
  const values = new Sent(new Map<string, unknown>(Object.entries(body)));
  const inner = new Map<string, Sent<unknown>>();
  return { values, faults: [], inner, unknown: () => unknownFields(values, answered, inner) };
}

/** The value, or the faults. Call it after reading the whole source. */
export function parsed<Value>(
  source: {
    readonly faults: readonly string[];
    readonly unknown?: () => UnknownNames & { readonly faults?: readonly string[] };
  },
  value: Value,
): Parsed<Value> {
  const unknown = source.unknown?.();
  const faults = [...source.faults, ...(unknown?.faults ?? [])];
  return faults.length === 0 ? { ok: true, value, unknown } : { ok: false, faults, unknown };
}

/** Makes a body parser. `read` reads the fields of the value; see `readFields` for `answered`. */
export function bodyParser<Value>(
  read: (fields: Fields) => Value,
  answered: readonly string[] = [],
): (body: object) => Parsed<Value> {
  return (body) => {
    const fields = readFields(body, answered);
    return parsed(fields, read(fields));
  };
}

/** For bodies without any fields. */
export const parseNothing = bodyParser(() => undefined);

/**
 * The longest text to sanitise, in UTF-16 units: ten megabytes of markup would block the event loop for a second. Text
 * of ten times the longest field may still become short enough.
 */
export const MAX_UNCLEANED = 50_000;

/**
 * Sanitised, trimmed text of at most `max` characters; null if absent, null or empty. Text that is far too long is
 * refused without sanitising it.
 */
export function textField(fields: Fields, name: string, max: number): string | null {
  return cleanedField(fields, name, max, sanitise);
}

/** Like `textField`, for a name: also removes invisible characters. */
export function nameField(fields: Fields, name: string, max: number): string | null {
  return cleanedField(fields, name, max, sanitiseName);
}

/** Sanitised, trimmed text of 1 to `max` characters; absent, null and empty are faults. */
export function requiredTextField(fields: Fields, name: string, max: number): string {
  return required(fields, name, '', () => textField(fields, name, max));
}

/** Like `requiredTextField`, for a name. */
export function requiredNameField(fields: Fields, name: string, max: number): string {
  return required(fields, name, '', () => nameField(fields, name, max));
}

/** A required field: absent and null are faults, with `instead` as the value. */
function required<Value>(fields: Fields, name: string, instead: Value, read: () => Value | null): Value {
  const before = fields.faults.length;
  const value = read();
  if (value === null && fields.faults.length === before) refuse(fields, `${name} is required`);
  return value ?? instead;
}

/** Adds a fault; returns null as the field's value. */
function refuse({ faults }: Fields, fault: string): null {
  faults.push(fault);
  return null;
}

function cleanedField(
  fields: Fields,
  name: string,
  max: number,
  clean: (text: string) => string,
): string | null {
  const value = fields.values.get(name) ?? null;
  if (value === null) return null;
  if (typeof value !== 'string') return refuse(fields, `${name} must be a string`);
  if (value.length > MAX_UNCLEANED) return refuse(fields, `${name} must be at most ${max} characters`);
  if (!value.isWellFormed()) return refuse(fields, `${name} is not valid Unicode`);
  const text = clean(value).trim();
  if (longerThan(text, max)) refuse(fields, `${name} must be at most ${max} characters`);
  return text === '' ? null : text;
}

// A host with a dot, and optionally a port, at the start of an address without a scheme. Its last label has at least
// two letters, so that `3.5` and `n.a` do not match.
const DOTTED_HOST = /^(?:\/\/)?(?:[\p{L}\p{M}\p{N}_-]+\.)+\p{L}[\p{L}\p{M}\p{N}-]+(?::\d{1,5})?(?=[/?#]|$)/u;

/**
 * An http or https address of at most `max` characters, or null. One without a scheme that starts with a dotted host
 * becomes an https address.
 */
export function urlField(fields: Fields, name: string, max: number): string | null {
  const value = textField(fields, name, max);
  if (value === null) return null;
  const address = DOTTED_HOST.test(value) ? `https://${value.replace(/^\/\//, '')}` : value;
  if (!isWebAddress(address)) refuse(fields, `${name} must be an http or https URL`);
  else if (longerThan(address, max) && !longerThan(value, max))
    refuse(fields, `${name} must be at most ${max} characters`);
  return address;
}

/** A finite number within the range, or null. */
export function numberField(fields: Fields, name: string, min: number, max: number): number | null {
  const value = fields.values.get(name) ?? null;
  if (value === null) return null;
  if (typeof value !== 'number' || !Number.isFinite(value)) return refuse(fields, `${name} must be a number`);
  return value >= min && value <= max ? value : refuse(fields, `${name} must be between ${min} and ${max}`);
}

/** An integer within the range, or null. */
export function integerField(fields: Fields, name: string, min: number, max: number): number | null {
  const value = fields.values.get(name) ?? null;
  if (value === null) return null;
  const isFine = typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
  return isFine ? value : refuse(fields, `${name} must be an integer from ${min} to ${max}`);
}

/** An integer within the range; absent and null are faults. */
export function requiredIntegerField(fields: Fields, name: string, min: number, max: number): number {
  return required(fields, name, min, () => integerField(fields, name, min, max));
}

/** The id of another record, or null. */
export function idField(fields: Fields, name: string): number | null {
  const value = fields.values.get(name) ?? null;
  return value === null || isId(value) ? value : refuse(fields, `${name} must be a positive integer`);
}

/** The id of another record; absent and null are faults. */
export function requiredIdField(fields: Fields, name: string): number {
  return required(fields, name, 0, () => idField(fields, name));
}

/** At most `max` ids without duplicates; empty if absent or null. */
export function idsField({ values, faults }: Fields, name: string, max: number): readonly number[] {
  const value = values.get(name) ?? [];
  if (!Array.isArray(value) || !value.every(isId))
    faults.push(`${name} must be an array of positive integers`);
  else if (value.length > max) faults.push(`${name} must have at most ${max} ids`);
  else return [...new Set(value)];
  return [];
}

/** True or false; absent and null are faults. */
export function booleanField(fields: Fields, name: string): boolean {
  const value = fields.values.get(name) ?? null;
  if (value === null) refuse(fields, `${name} is required`);
  else if (typeof value !== 'boolean') refuse(fields, `${name} must be true or false`);
  return value === true;
}

/** One of `choices`; undefined if absent or null. */
export function choiceField<Choice extends string>(
  { values, faults }: Fields,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const value = values.get(name) ?? undefined;
  const found = choices.find((choice) => choice === value);
  if (value !== undefined && found === undefined) faults.push(`${name} must be one of ${choices.join(', ')}`);
  return found;
}

/** One of `choices`; absent and null are faults. */
export function requiredChoiceField<Choice extends string>(
  fields: Fields,
  name: string,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  return required(fields, name, choices[0], () => choiceField(fields, name, choices) ?? null);
}

/** True if `text` has more than `max` code points. */
export function longerThan(text: string, max: number): boolean {
  if (text.length <= max) return false;
  return text.length > max * 2 || Array.from(text).length > max;
}

/** The first `max` code points of a text. */
export function firstCharacters(text: string, max: number): string {
  return Array.from(text.slice(0, max * 2))
    .slice(0, max)
    .join('');
}

/** The first `max` characters of the cleaned text; null if the value is not a string, or nothing is left. */
export function cutText(value: unknown, max: number, clean = sanitise): string | null {
  if (typeof value !== 'string') return null;
  const text = firstCharacters(clean(value.toWellFormed()).trim(), max).trim();
  return text === '' ? null : text;
}

/** The client's file name, without markup and cut to 255 characters; null if nothing is left. */
export function cleanFilename(name: string | undefined): string | null {
  return cutText(name, 255);
}

/** True if `text` is a complete http or https address without spaces. */
export function isWebAddress(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || /\s/.test(text)) return false;
  // Not URL.canParse: on Node 22, once optimised, it refuses addresses with non-ASCII letters.
  try {
    new URL(text);
    return true;
  } catch {
    return false;
  }
}

function isId(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}
