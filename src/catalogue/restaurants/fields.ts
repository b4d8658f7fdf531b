import type { Fields } from '../../kit/input/fields.ts';
import type { ColumnValue, IndexedField } from '../../index/request.ts';
import type { Facts, FactsKind } from './facts.ts';
import { FIELDS, type Field } from './field-table.ts';

type Rows = typeof FIELDS;
type ValueOf<Row> = Row extends Field<infer Value> ? Value : never;

/** A restaurant's own fields, validated. */
export type NewRestaurant = { readonly [Name in keyof Rows]: ValueOf<Rows[Name]> };

/** The fields that a change sends; null clears. */
export type RestaurantChange = Partial<NewRestaurant>;

type NameWhere<Mark> = { [Name in keyof Rows]: Rows[Name] extends Mark ? Name : never }[keyof Rows];

/** The fields that identify a place; restaurants and suggestions share them. */
export type PlaceFields = Pick<NewRestaurant, NameWhere<{ readonly ofPlace: true }>>;

/** The fields that files contain as they are in the API. */
export type FileFields = Pick<NewRestaurant, NameWhere<{ readonly inFiles: true }>>;

/** The fields with several keys, which columns store as JSON. */
type KeyedName = NameWhere<{ readonly keys: readonly string[] }>;
type KeyedFields = Pick<NewRestaurant, KeyedName>;
type Keyed = Pick<FactsKind, 'merge' | 'fromColumn'>;

/** A record as SQLite returns it: food types as a JSON array, and fields with several keys as JSON objects. */
export type Stored<Whole extends NewRestaurant> = Omit<Whole, 'food_type_ids' | KeyedName> &
  Readonly<Record<KeyedName, string | null>> & { readonly food_type_ids: string };

const rows: ReadonlyMap<string, Field<unknown>> = new Map<string, Field<unknown>>(Object.entries(FIELDS));

function namesOf(is: (row: Field<unknown>) => boolean): readonly string[] {
  return [...rows].filter(([, row]) => is(row)).map(([name]) => name);
}

const keyed = new Map<string, Keyed>(
  Object.entries(FIELDS).flatMap(([name, row]) => ('keys' in row ? [[name, row] as const] : [])),
);

export const KEYED_NAMES: readonly string[] = [...keyed.keys()];
export const FIELD_NAMES = namesOf(() => true);
/** The names of the fields with a column. */
export const COLUMN_NAMES = namesOf(({ hasColumn }) => hasColumn);
/** The names of the fields that identify a place. */
export const PLACE_NAMES = namesOf(({ ofPlace }) => ofPlace);
/** The names of the fields that files contain as they are in the API. */
export const FILE_NAMES = namesOf(({ inFiles }) => inFiles);

/** The `answer` functions of FILE_NAMES, in the same order. */
export const FILE_ANSWERS = [...rows.values()].flatMap(({ inFiles, answer }) => (inFiles ? [answer] : []));

export const FACT_NAMES = namesOf(({ isFact }) => isFact);
export const NUMBER_NAMES = namesOf(({ isNumber }) => isNumber === true);

/** The fields that lists filter by, as numbers. */
export const INDEXED_FIELDS: readonly IndexedField[] = [...rows].flatMap(([name, { ofPlace, inLists }]) =>
  inLists ? { name, ofPlace, toNumber: inLists } : [],
);

/** The columns of a suggestion that match these of a restaurant: `null` for those that suggestions do not have. */
export function pendingColumns(names: readonly string[]): readonly string[] {
  return names.map((name) => (PLACE_NAMES.includes(name) ? name : 'null'));
}

/** Reads fields of a body; absent ones get their defaults. */
export function parseEach(fields: Fields, names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, rows.get(name)?.parse(fields, name)]));
}

/** Like `parseEach`, but one coordinate without the other is a fault. */
export function parseFields(fields: Fields, names: readonly string[]): object {
  const value = parseEach(fields, names);
  const isGiven = (name: string): boolean => (fields.values.get(name) ?? null) !== null;
  if (isGiven('latitude') !== isGiven('longitude'))
    fields.faults.push('latitude and longitude must be given together');
  return value;
}

export function isNewRestaurant(value: object): value is NewRestaurant {
  return hasAll(value, FIELD_NAMES);
}

export function isPlace(value: object): value is PlaceFields {
  return hasAll(value, PLACE_NAMES);
}

/** True if every restaurant field that it has is valid. */
export function isChange(value: object): value is RestaurantChange {
  return hasAll(
    value,
    FIELD_NAMES.filter((name) => name in value),
  );
}

function hasAll(value: object, names: readonly string[]): boolean {
  const values = new Map<string, unknown>(Object.entries(value));
  return names.every((name) => rows.get(name)?.is(values.get(name)) === true);
}

/** Returns the value if it has that type. Otherwise throws a TypeError, which is a bug of ours. */
export function required<Narrow extends object>(
  value: object,
  is: (value: object) => value is Narrow,
): Narrow {
  if (!is(value)) throw new TypeError(`not the fields of a restaurant: ${JSON.stringify(value)}`);
  return value;
}

/** These properties of an object, in this order. */
export function picked(object: object, names: readonly string[]): Readonly<Record<string, unknown>> {
  const values = new Map<string, unknown>(Object.entries(object));
  return Object.fromEntries(names.map((name) => [name, values.get(name)]));
}

/** The fields of a restaurant in a file. */
export function fileFieldsOf(restaurant: FileFields): FileFields {
  return required(picked(restaurant, FILE_NAMES), isFileFields);
}

function isFileFields(value: object): value is FileFields {
  return hasAll(value, FILE_NAMES);
}

/** The fields of a restaurant in the change log, whose entry may be older than some fields. */
export function storedFieldsOf(entity: Readonly<Record<string, unknown>>): NewRestaurant {
  const values = FIELD_NAMES.map((name): [string, unknown] => [
    name,
    entity[name] ?? (keyed.has(name) ? {} : null),
  ]);
  return changed(required(Object.fromEntries(values), isNewRestaurant), {});
}

/** Applies a change to a restaurant. Fields with several keys are merged key by key; the result has all keys. */
export function changed(before: NewRestaurant, change: RestaurantChange): NewRestaurant {
  const [old, sent] = [before, change].map((fields) => new Map<string, unknown>(Object.entries(fields)));
  return {
    ...before,
    ...change,
    ...keyedFields((name, { merge }) => merge(old?.get(name), sent?.get(name))),
  };
}

/** The values of the columns of a restaurant. */
export function columnsOf(restaurant: NewRestaurant): Readonly<Record<string, ColumnValue>> {
  const values = new Map<string, unknown>(Object.entries(restaurant));
  return Object.fromEntries(
    COLUMN_NAMES.map((name) => [name, rows.get(name)?.toColumn(values.get(name)) ?? null]),
  );
}

/** The fields of a restaurant that its columns store as JSON. */
export function fieldsOfColumns(row: Readonly<Record<KeyedName, ColumnValue>>): KeyedFields {
  const columns = new Map<string, ColumnValue>(Object.entries(row));
  return keyedFields((name, { fromColumn }) => fromColumn(columns.get(name) ?? null));
}

function keyedFields(make: (name: string, kind: Keyed) => Facts): KeyedFields {
  return required(
    Object.fromEntries([...keyed].map(([name, kind]) => [name, make(name, kind)])),
    (value): value is KeyedFields => hasAll(value, KEYED_NAMES),
  );
}
