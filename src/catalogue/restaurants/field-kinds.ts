import type { ColumnValue } from '../../index/request.ts';
import {
  type Fields,
  choiceField,
  idsField,
  integerField,
  longerThan,
  numberField,
  requiredNameField,
  textField,
  urlField,
} from '../../kit/input/fields.ts';
import { isObject, parseJson } from '../../kit/objects.ts';
import { type Check, isIds, isNumberOrNull, isText, isTextOrNull } from '../../storage/stored.ts';

/** How to parse and recognise the values of a field. */
export interface FieldKind<Value> {
  /** Reads the field from a body, or returns its default if absent. Adds errors to the faults. */
  readonly parse: (fields: Fields, name: string) => Value;
  /** True if a stored value is valid for this field. */
  readonly is: Check<Value>;
  /** True if text, such as a CSV cell, is read as a number. */
  readonly isNumber?: boolean;
}

/** A kind of text. */
interface TextKind<Value> extends FieldKind<Value> {
  /** The most characters. */
  readonly max: number;
}

export function requiredName(max: number): TextKind<string> {
  return { max, parse: (fields, name) => requiredNameField(fields, name, max), is: isText };
}

/** Text of at most `max` characters, or null. */
export function optionalText(max: number): TextKind<string | null> {
  return { max, parse: (fields, name) => textField(fields, name, max), is: isTextOrNull };
}

/** A web address, or null. */
export function url(max: number): TextKind<string | null> {
  return { max, parse: (fields, name) => urlField(fields, name, max), is: isTextOrNull };
}

/** A number, or null. */
export function number(min: number, max: number): FieldKind<number | null> {
  return { parse: (fields, name) => numberField(fields, name, min, max), is: isNumberOrNull, isNumber: true };
}

/** An integer, or null. */
export function integer(min: number, max: number): FieldKind<number | null> {
  return { ...number(min, max), parse: (fields, name) => integerField(fields, name, min, max) };
}

/** Ids of other records. */
export function ids(max: number): FieldKind<readonly number[]> {
  return { parse: (fields, name) => idsField(fields, name, max), is: isIds };
}

/** One of the choices; `otherwise` if absent. */
export function choice<Choice extends string, Otherwise extends Choice | null>(
  choices: readonly Choice[],
  otherwise: Otherwise,
): FieldKind<Choice | Otherwise> {
  return {
    parse: (fields, name) => choiceField(fields, name, choices) ?? otherwise,
    is: (value): value is Choice | Otherwise => value === otherwise || choices.some((one) => one === value),
  };
}

/** Values by the keys of a field; null if unknown. A change may have only some of the keys. */
export type Facts = Readonly<Record<string, string | null>>;

/** A field with several keys, stored in one column as a JSON object of the known values. */
export interface FactsKind extends FieldKind<Facts> {
  readonly keys: readonly string[];
  /** All keys in order, each with the sent value, otherwise the previous one, otherwise null. */
  readonly merge: (before: unknown, sent: unknown) => Facts;
  readonly toColumn: (value: unknown) => string | null;
  readonly fromColumn: (stored: ColumnValue) => Facts;
  /** As JSON for the API. */
  readonly answer: (stored: ColumnValue) => string;
}

/** A check of the value of a key, and the sentence for a value that fails it. */
interface Rule {
  readonly allows: (value: string) => boolean;
  readonly words: string;
}

/** Characters. */
const MAX_FACT = 255;

export function oneOf(choices: readonly string[]): Rule {
  return { allows: (value) => choices.includes(value), words: `must be one of ${choices.join(', ')}` };
}

export function like(pattern: RegExp, words: string): Rule {
  return { allows: (value) => !longerThan(value, MAX_FACT) && pattern.test(value), words };
}

/** A text of at most 255 characters that fits into a list of keys and values. */
export const OPAQUE = like(
  /^[^\p{C}\s,=]+$/u,
  `must be a text of at most ${MAX_FACT} characters without blanks, commas and equals signs`,
);

/** A field whose keys have these rules. Keys listed in `elsewhere` belong to other fields, and are not faults here. */
export function facts(rules: Readonly<Record<string, Rule>>, elsewhere: readonly string[] = []): FactsKind {
  const keys = Object.keys(rules);
  const known = new Map(Object.entries(rules));
  const merge = (before: unknown, sent: unknown): Facts => {
    const values: Readonly<Record<string, unknown>> = {
      ...(isObject(before) && before),
      ...(isObject(sent) && sent),
    };
    const merged: Record<string, string | null> = {};
    for (const key of keys) {
      const value = values[key];
      merged[key] = typeof value === 'string' ? value : null;
    }
    return merged;
  };
  const fromColumn = (stored: ColumnValue): Facts =>
    merge(undefined, typeof stored === 'string' ? parseJson(stored) : undefined);
  const nothing = JSON.stringify(fromColumn(null));
  return {
    keys,
    merge,
    fromColumn,
    answer: (stored) => (stored === null ? nothing : JSON.stringify(fromColumn(stored))),
    parse: ({ values, faults }, name) => {
      const value = values.get(name) ?? null;
      if (value === null) return merge(undefined, {});
      if (!isObject(value)) {
        faults.push(`${name} must be an object`);
        return {};
      }
      const sent: readonly (readonly [string, unknown])[] = Object.entries(value).filter(
        ([key]) => !elsewhere.includes(key),
      );
      if (sent.some(([key]) => !known.has(key)))
        faults.push(`${name} must have no other keys than ${[...elsewhere, ...keys].join(', ')}`);
      const valid: Record<string, string | null> = {};
      for (const [key, one] of sent) {
        const rule = known.get(key);
        if (rule && (one === null || (isText(one) && rule.allows(one)))) valid[key] = one;
        else if (rule) faults.push(`${name}.${key} ${rule.words}`);
      }
      return valid;
    },
    is: (value): value is Facts =>
      isObject(value) && Object.entries(value).every(([key, one]) => keys.includes(key) && isTextOrNull(one)),
    toColumn: (value) => {
      const filled = Object.entries(merge(undefined, value)).filter(([, one]) => one !== null);
      return filled.length === 0 ? null : JSON.stringify(Object.fromEntries(filled));
    },
  };
}
