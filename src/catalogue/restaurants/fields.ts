import type { Fields } from '../../kit/input/fields.ts';
import type { ColumnValue, IndexedField } from '../../index/request.ts';
import type { Facts, FactsKind } from './facts.ts';
import { FIELDS, type Field } from './field-table.ts';

type Rows = typeof FIELDS;
type ValueOf<Row> = Row extends Field<infer Value> ? Value : never;

/** A restaurant's own fields, checked. */
export type NewRestaurant = { readonly [Name in keyof Rows]: ValueOf<Rows[Name]> };

/** The fields of a change that were sent; null clears. */
export type RestaurantChange = Partial<NewRestaurant>;

type NameWhere<Mark> = { [Name in keyof Rows]: Rows[Name] extends Mark ? Name : never }[keyof Rows];

/** The fields that restaurants and suggestions share: those that identify the place. */
export type PlaceFields = Pick<NewRestaurant, NameWhere<{ readonly ofPlace: true }>>;

/** The fields that stand in a file as they do in the API. */
export type FileFields = Pick<NewRestaurant, NameWhere<{ readonly inFiles: true }>>;

/** The fields with several keys, which columns hold in another form. */
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

/** The names of the fields with several keys. */
export const KEYED_NAMES: readonly string[] = [...keyed.keys()];
/** The names of all fields. */
export const FIELD_NAMES = namesOf(() => true);
/** The names of those in columns of the same name. */
export const COLUMN_NAMES = namesOf(({ hasColumn }) => hasColumn);
/** The names of the fields that identify a place. */
export const PLACE_NAMES = namesOf(({ ofPlace }) => ofPlace);
/** The names of those that stand in a file as they do in the API. */
export const FILE_NAMES = namesOf(({ inFiles }) => inFiles);

/** How these are answered, in the same order. */
export const FILE_ANSWERS = [...rows.values()].flatMap(({ inFiles, answer }) => (inFiles ? [answer] : []));

/** The names of the facts of a place. */
export const FACT_NAMES = namesOf(({ isFact }) => isFact);
/** The names of the fields that are numbers. */
export const NUMBER_NAMES = namesOf(({ isNumber }) => isNumber === true);

/** The fields that lists choose by, as numbers. */
export const INDEXED_FIELDS: readonly IndexedField[] = [...rows].flatMap(([name, { ofPlace, inLists }]) =>
  inLists ? { name, ofPlace, toNumber: inLists } : [],
);

/** The columns of a pending suggestion in the place of these of a restaurant: it has no others than those of a place. */
export function pendingColumns(names: readonly string[]): readonly string[] {
  return names.map((name) => (PLACE_NAMES.includes(name) ? name : 'null'));
}

/** Reads fields of a body, the absent ones as their defaults. */
export function parseEach(fields: Fields, names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, rows.get(name)?.parse(fields, name)]));
}

/** The same of all that identify a place and perhaps others, with half a pair of coordinates as a fault. */
export function parseFields(fields: Fields, names: readonly string[]): object {
  const value = parseEach(fields, names);
  const isGiven = (name: string): boolean => (fields.values.get(name) ?? null) !== null;
  if (isGiven('latitude') !== isGiven('longitude'))
    fields.faults.push('latitude and longitude must be given together');
  return value;
}

/** Whether it has all fields of a restaurant. */
export function isNewRestaurant(value: object): value is NewRestaurant {
  return hasAll(value, FIELD_NAMES);
}

/** Whether it has all fields that identify a place. */
export function isPlace(value: object): value is PlaceFields {
  return hasAll(value, PLACE_NAMES);
}

/** Whether each field of a restaurant that it has is one. */
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

/** The value, if it is of that type. Throws a TypeError otherwise, which is a fault of ours. */
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

/** The fields of a restaurant in an entity of the change log, which may be older than a field. */
export function storedFieldsOf(entity: Readonly<Record<string, unknown>>): NewRestaurant {
  const values = FIELD_NAMES.map((name): [string, unknown] => [
    name,
    entity[name] ?? (keyed.has(name) ? {} : null),
  ]);
  return changed(required(Object.fromEntries(values), isNewRestaurant), {});
}

/** A restaurant with the fields of a change. Those with several keys change by their keys, and have all of them then. */
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

/** The fields of a restaurant that its columns hold in another form. */
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
