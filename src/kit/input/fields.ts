import { sanitise, sanitiseName } from './sanitise.ts';
import { Sent, type UnknownNames, unknownFields } from './unknown.ts';

/** The result of a parser: a value that may be trusted, or all faults; with the names that it did not ask for. */
export type Parsed<Value> = (
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly faults: readonly string[] }
) & { readonly unknown?: UnknownNames | undefined };

/** The fields of one JSON object, and the faults found in them so far. */
export interface Fields {
  readonly values: Sent<unknown>;
  readonly faults: string[];
  /** The fields that were not asked for so far. */
  readonly unknown: () => UnknownNames;
}

/**
 * The own properties of `body`; the value of a field that the reader does not ask for is never looked at. It counts as
 * unknown unless it is `answered`, for a client that sends back what it has received.
 */
export function readFields(body: object, answered: readonly string[] = []): Fields {
  const values = new Sent(new Map<string, unknown>(Object.entries(body)));
  return { values, faults: [], unknown: () => unknownFields(values, answered) };
}

/** The value, unless a fault was found. Call it when all of the source has been read. */
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

/** A parser of bodies. `read` asks for the fields of the value; see `readFields` for `answered`. */
export function bodyParser<Value>(
  read: (fields: Fields) => Value,
  answered: readonly string[] = [],
): (body: object) => Parsed<Value> {
  return (body) => {
    const fields = readFields(body, answered);
    return parsed(fields, read(fields));
  };
}

/** For a body in which no field has a meaning. */
export function parseNothing(body: object): Parsed<undefined> {
  return parsed(readFields(body), undefined);
}

/**
 * The longest text that is sanitised, in UTF-16 units: cleaning ten megabytes of markup holds the event loop for a second.
 * A text of ten times the longest field may still become short enough.
 */
export const MAX_UNCLEANED = 50_000;

/**
 * Sanitised, trimmed text of at most `max` characters; null where it is absent, null or empty. Text that is far too long is
 * refused unsanitised.
 */
export function textField(fields: Fields, name: string, max: number): string | null {
  return cleanedField(fields, name, max, sanitise);
}

/** The same for a name, which also loses invisible characters. */
export function nameField(fields: Fields, name: string, max: number): string | null {
  return cleanedField(fields, name, max, sanitiseName);
}

/** Sanitised, trimmed text of 1 to `max` characters; absent, null and empty are faults. */
export function requiredTextField(fields: Fields, name: string, max: number): string {
  return required(fields, name, '', () => textField(fields, name, max));
}

/** The same for a name. */
export function requiredNameField(fields: Fields, name: string, max: number): string {
  return required(fields, name, '', () => nameField(fields, name, max));
}

/** The value of a field; absent and null are faults, for which `instead` stands. */
function required<Value>(fields: Fields, name: string, instead: Value, read: () => Value | null): Value {
  const before = fields.faults.length;
  const value = read();
  if (value === null && fields.faults.length === before) refuse(fields, `${name} is required`);
  return value ?? instead;
}

/** Adds a fault; returns null, the value of a refused field. */
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

// A host with a dot, perhaps a port, at the start of an address without a scheme. A name of a top-level domain has two letters
// or more, so that neither `3.5` nor `n.a` is one.
const DOTTED_HOST = /^(?:\/\/)?(?:[\p{L}\p{M}\p{N}_-]+\.)+\p{L}[\p{L}\p{M}\p{N}-]+(?::\d{1,5})?(?=[/?#]|$)/u;

/**
 * An http or https address of at most `max` characters, or null. One without a scheme that begins with a host with a dot
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

/** The same; absent and null are faults. */
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

/** Ids without duplicates, at most `max`; empty where it is absent or null. */
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

/** One of `choices`, or undefined when absent or null. */
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

/** Whether `text` has more than `max` characters, counted as code points. */
export function longerThan(text: string, max: number): boolean {
  if (text.length <= max) return false;
  return text.length > max * 2 || Array.from(text).length > max;
}

/** The first `max` characters of a text, counted as code points. */
export function firstCharacters(text: string, max: number): string {
  return Array.from(text.slice(0, max * 2))
    .slice(0, max)
    .join('');
}

const MAX_FILENAME = 255;

/** The client's name for its file, without markup and cut to 255 characters; null when nothing is left. */
export function cleanFilename(name = ''): string | null {
  const clean = firstCharacters(sanitise(name.toWellFormed()).trim(), MAX_FILENAME).trim();
  return clean === '' ? null : clean;
}

/** Whether `text` is a whole http or https address without blanks. */
export function isWebAddress(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || /\s/.test(text)) return false;
  // Not URL.canParse: on Node 20, once it is optimised, it refuses addresses with letters beyond ASCII.
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
