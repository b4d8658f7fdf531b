import { isTimeZone, zoneOf } from '../hours/zones.ts';
import { type Fields, longerThan, textField } from '../../kit/input/fields.ts';
import { isObject, parseJson } from '../../kit/objects.ts';
import type { ColumnValue } from '../../index/request.ts';
import { type Kind, isTextOrNull } from './field-kinds.ts';

/** Values by the keys of a field; null if unknown. A change may have only some of the keys. */
export type Facts = Readonly<Record<string, string | null>>;

interface Rule {
  readonly allows: (value: string) => boolean;
  readonly words: string;
}

type Rules = Readonly<Record<string, Rule>>;

/** A field with several keys, stored in one column as a JSON object of the known values. */
export interface FactsKind extends Kind<Facts> {
  readonly keys: readonly string[];
  /** All keys in order, each with the sent value, otherwise the previous one, otherwise null. */
  readonly merge: (before: unknown, sent: unknown) => Facts;
  readonly toColumn: (value: unknown) => string | null;
  readonly fromColumn: (stored: ColumnValue) => Facts;
  /** As JSON for the API. */
  readonly answer: (stored: ColumnValue) => string;
}

const DIET_VALUES = ['yes', 'only', 'limited', 'no'];
const MAX_ID = 255;

/** The diets that a place may cater for. */
export const DIETS = ['vegan', 'vegetarian', 'gluten_free', 'halal', 'kosher', 'lactose_free'] as const;

export const diets = facts(Object.fromEntries(DIETS.map((diet) => [diet, oneOf(DIET_VALUES)])));

/** The key of `external_ids` that is also the field `google_place_id`. */
export const GOOGLE = 'google';

const OPAQUE = `must be a text of at most ${MAX_ID} characters without blanks, commas and equals signs`;

/** Ids in other catalogues. */
export const externalIds = facts(
  {
    osm: like(/^[NWR][1-9][0-9]{0,18}$/, 'must be N, W or R with a number, such as N123'),
    fsq: like(/^[^\p{C}\s,=]+$/u, OPAQUE),
    overture: like(/^[^\p{C}\s,=]+$/u, OPAQUE),
    wikidata: like(/^Q[1-9][0-9]{0,11}$/, 'must be Q with a number, such as Q123'),
  },
  [GOOGLE],
);

function oneOf(choices: readonly string[]): Rule {
  return { allows: (value) => choices.includes(value), words: `must be one of ${choices.join(', ')}` };
}

function like(pattern: RegExp, words: string): Rule {
  return { allows: (value) => !longerThan(value, MAX_ID) && pattern.test(value), words };
}

/** A field whose keys have these rules. Keys in `elsewhere` are allowed, but another field reads them. */
function facts(rules: Rules, elsewhere: readonly string[] = []): FactsKind {
  const keys = Object.keys(rules);
  const is = (value: unknown): value is Facts =>
    isObject(value) && Object.entries(value).every(([key, one]) => keys.includes(key) && isTextOrNull(one));
  const merge = (before: unknown, sent: unknown): Facts => {
    const known: Readonly<Record<string, unknown>> = {
      ...(isObject(before) && before),
      ...(isObject(sent) && sent),
    };
    return Object.fromEntries(keys.map((key) => [key, textOrNull(known[key])]));
  };
  const fromColumn = (stored: ColumnValue): Facts =>
    merge(undefined, typeof stored === 'string' ? parseJson(stored) : undefined);
  const nothing = JSON.stringify(fromColumn(null));
  return {
    keys,
    merge,
    fromColumn,
    answer: (stored) => (stored === null ? nothing : JSON.stringify(fromColumn(stored))),
    parse: (fields, name) => {
      const value = fields.values.get(name) ?? null;
      if (value === null) return merge(undefined, {});
      if (isObject(value)) return factsIn(value, { name, rules, elsewhere }, fields.faults);
      fields.faults.push(`${name} must be an object`);
      return {};
    },
    is,
    toColumn: (value) => {
      const known = Object.entries(merge(undefined, value)).filter(isFact);
      return known.length === 0 ? null : JSON.stringify(Object.fromEntries(known));
    },
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function isFact(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === 'string';
}

interface Source {
  readonly name: string;
  readonly rules: Rules;
  readonly elsewhere: readonly string[];
}

function factsIn(object: object, { name, rules, elsewhere }: Source, faults: string[]): Facts {
  const known = new Map(Object.entries(rules));
  const sent = Object.entries(object).filter(([key]) => !elsewhere.includes(key));
  if (sent.some(([key]) => !known.has(key)))
    faults.push(`${name} must have no other keys than ${[...elsewhere, ...known.keys()].join(', ')}`);
  return Object.fromEntries(
    sent.flatMap(([key, value]): [string, string | null][] => {
      const rule = known.get(key);
      if (!rule) return [];
      if (value === null || (typeof value === 'string' && rule.allows(value))) return [[key, value]];
      faults.push(`${name}.${key} ${rule.words}`);
      return [];
    }),
  );
}

/** The name of a time zone, or null. */
export const timeZone: Kind<string | null> = {
  parse: (fields: Fields, name) => {
    const value = textField(fields, name, MAX_ID);
    if (value === null || isTimeZone(value)) return value;
    fields.faults.push(`${name} must be the name of a time zone, such as Europe/Paris`);
    return null;
  },
  is: isTextOrNull,
};

/** The name of a place's time zone: the stored one, otherwise that of its coordinates, otherwise null. */
export function zoneOfPlace(
  stored: ColumnValue,
  latitude: ColumnValue | undefined,
  longitude: ColumnValue | undefined,
): string | null {
  if (typeof stored === 'string') return stored;
  return typeof latitude === 'number' && typeof longitude === 'number' ? zoneOf(latitude, longitude) : null;
}

/** One bit per diet, by its index in DIETS. */
export function dietBits(wanted: readonly string[]): number {
  return wanted.reduce((bits, diet) => bits | (1 << DIETS.findIndex((one) => one === diet)), 0);
}

/** The bits of the diets that a place serves well (`yes` or `only`). */
export function servedDiets(stored: ColumnValue): number {
  if (stored === null) return 0;
  const known = Object.entries(diets.fromColumn(stored));
  return dietBits(known.flatMap(([diet, value]) => (value === 'yes' || value === 'only' ? [diet] : [])));
}
