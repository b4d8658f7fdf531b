import { idField, textField } from '../../kit/input/fields.ts';
import type { ColumnValue } from '../../index/request.ts';
import { isNumberOrNull, isTextOrNull } from '../../storage/stored.ts';
import { zoneNamed, zoneOf } from '../hours/zones.ts';
import {
  type FieldKind,
  OPAQUE,
  choice,
  facts,
  ids,
  integer,
  like,
  number,
  oneOf,
  requiredName,
  optionalText,
  url,
} from './field-kinds.ts';

/** The statuses of a restaurant. */
export const RESTAURANT_STATUSES = ['active', 'temporarily_closed', 'closed'] as const;
export type RestaurantStatus = (typeof RESTAURANT_STATUSES)[number];

/** The diets that a place may cater for. */
export const DIETS = ['vegan', 'vegetarian', 'gluten_free', 'halal', 'kosher', 'lactose_free'] as const;

const diets = facts(Object.fromEntries(DIETS.map((diet) => [diet, oneOf(['yes', 'only', 'limited', 'no'])])));

/** The key of `external_ids` that is also the field `google_place_id`. */
export const GOOGLE = 'google';

/** Ids in other catalogues. */
export const externalIds = facts(
  {
    osm: like(/^[NWR][1-9][0-9]{0,18}$/, 'must be N, W or R with a number, such as N123'),
    fsq: OPAQUE,
    overture: OPAQUE,
    wikidata: like(/^Q[1-9][0-9]{0,11}$/, 'must be Q with a number, such as Q123'),
  },
  [GOOGLE],
);

/** The name of a time zone, or null. */
const timeZone: FieldKind<string | null> = {
  parse: (fields, name) => {
    const value = textField(fields, name, 255);
    if (value === null || zoneNamed(value)) return value;
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
function servedDiets(stored: ColumnValue): number {
  if (stored === null) return 0;
  const known = Object.entries(diets.fromColumn(stored));
  return dietBits(known.flatMap(([diet, value]) => (value === 'yes' || value === 'only' ? [diet] : [])));
}

/** A field of a restaurant, under its name in the API. */
export interface Field<Value> extends FieldKind<Value> {
  /** True if suggestions have it too. */
  readonly ofPlace: boolean;
  /** True if it has a column of the same name. */
  readonly hasColumn: boolean;
  /** True if import and export files have it, under its name. */
  readonly inFiles: boolean;
  /** True for fields added after the first version: last in CSV, and part of a conversion. */
  readonly isFact: boolean;
  /** The value for its column; unchanged for a field without one. */
  readonly toColumn: (value: unknown) => ColumnValue;
  /** The number that lists hold in memory, computed from the column. */
  readonly inLists: ((stored: ColumnValue) => number | null) | undefined;
  /** As JSON for the API, computed from the column and others. */
  readonly answer: (stored: ColumnValue, others: AnswerContext) => string;
}

/** Columns that the JSON of other fields depends on. */
export interface AnswerContext {
  readonly latitude: ColumnValue | undefined;
  readonly longitude: ColumnValue | undefined;
  readonly googlePlaceId: ColumnValue | undefined;
  /** Suggestions have no facts, not even derived ones. */
  readonly isSuggestion: boolean;
}

const reference = {
  ofPlace: false,
  hasColumn: false,
  inFiles: false,
  isFact: false,
  inLists: undefined,
  toColumn: (value: unknown) => (isTextOrNull(value) || typeof value === 'number' ? value : null),
  answer: (stored: ColumnValue) => JSON.stringify(stored),
} as const;
const column = { ...reference, hasColumn: true, inFiles: true } as const;
const place = { ...column, ofPlace: true } as const;
const fact = { ...column, isFact: true } as const;
/** The column's own number. */
const itself = (stored: ColumnValue): number | null => (typeof stored === 'number' ? stored : null);

/** Characters. */
export const MAX_GOOGLE_ID = 255;

/** The most food types of a restaurant. */
export const MAX_FOOD_TYPES = 50;

/** All fields of a restaurant that clients set, in the order of responses and files. */
export const FIELDS = {
  name: { ...place, ...requiredName(255) },
  description: { ...column, ...optionalText(5000) },
  address: { ...place, ...optionalText(500) },
  phone: { ...place, ...optionalText(50) },
  website: { ...place, ...url(500) },
  latitude: { ...place, ...number(-90, 90), inLists: itself },
  longitude: { ...place, ...number(-180, 180), inLists: itself },
  google_place_id: { ...place, ...optionalText(MAX_GOOGLE_ID) },
  category_id: { ...reference, parse: idField, is: isNumberOrNull },
  food_type_ids: { ...reference, ...ids(MAX_FOOD_TYPES) },
  status: { ...column, inFiles: false, ...choice(RESTAURANT_STATUSES, 'active') },
  price_level: { ...fact, ...integer(1, 4), inLists: itself },
  opening_hours: { ...fact, ...optionalText(1000) },
  time_zone: {
    ...fact,
    ...timeZone,
    answer: (stored: ColumnValue, { latitude, longitude, isSuggestion }: AnswerContext) =>
      JSON.stringify(isSuggestion ? stored : zoneOfPlace(stored, latitude, longitude)),
  },
  diets: { ...fact, ...diets, inLists: servedDiets },
  external_ids: {
    ...fact,
    ...externalIds,
    answer: (stored: ColumnValue, { googlePlaceId }: AnswerContext) =>
      `{"google":${JSON.stringify(googlePlaceId)},${externalIds.answer(stored).slice(1)}`,
  },
} satisfies Readonly<Record<string, Field<unknown>>>;
