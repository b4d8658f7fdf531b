import type { ColumnValue, IndexedField } from '../../index/request.ts';
import type { Fields } from '../../kit/input/fields.ts';
import { pick } from '../../kit/objects.ts';
import type { Facts, FactsKind } from './field-kinds.ts';
import { FIELDS, type Field, MAX_FOOD_TYPES } from './field-table.ts';

type Rows = typeof FIELDS;
type ValueOf<Row> = Row extends Field<infer Value> ? Value : never;
type NameWhere<Mark> = { [Name in keyof Rows]: Rows[Name] extends Mark ? Name : never }[keyof Rows];

/** A restaurant's own fields, validated. */
export type NewRestaurant = { readonly [Name in keyof Rows]: ValueOf<Rows[Name]> };

/** The fields that a change sends; null clears. */
export type RestaurantChange = Partial<NewRestaurant>;

type Name = keyof NewRestaurant;
type PlaceName = NameWhere<{ readonly ofPlace: true }>;
type FileName = NameWhere<{ readonly inFiles: true }>;
/** The fields with several keys, which columns store as JSON. */
type KeyedName = NameWhere<{ readonly keys: readonly string[] }>;
type KeyedFields = Readonly<Record<KeyedName, Facts>>;

/** The fields that identify a place; restaurants and suggestions share them. */
export type PlaceFields = Pick<NewRestaurant, PlaceName>;

/** The fields that files contain as they are in the API. */
export type FileFields = Pick<NewRestaurant, FileName>;

/** A record as SQLite returns it: food types as a JSON array, and fields with several keys as JSON objects. */
export type StoredColumns<Whole extends NewRestaurant> = Omit<Whole, 'food_type_ids' | KeyedName> &
  Readonly<Record<KeyedName, string | null>> & { readonly food_type_ids: string };

export const FIELD_NAMES = Object.keys(FIELDS).filter((name): name is Name => name in FIELDS);
/** The names of the fields with a column. */
export const COLUMN_NAMES = FIELD_NAMES.filter((name) => FIELDS[name].hasColumn);
export const PLACE_NAMES = FIELD_NAMES.filter((name): name is PlaceName => FIELDS[name].ofPlace);
export const FILE_NAMES = FIELD_NAMES.filter((name): name is FileName => FIELDS[name].inFiles);
export const FACT_NAMES = FIELD_NAMES.filter((name) => FIELDS[name].isFact);
export const NUMBER_NAMES = FIELD_NAMES.filter((name) => 'isNumber' in FIELDS[name]);
export const KEYED_NAMES = FIELD_NAMES.filter((name): name is KeyedName => 'keys' in FIELDS[name]);

/** The `answer` functions of FILE_NAMES, in the same order. */
export const FILE_ANSWERS = FILE_NAMES.map((name) => FIELDS[name].answer);

/** The fields that lists filter by, as numbers. */
export const INDEXED_FIELDS = FIELD_NAMES.flatMap((name): readonly IndexedField[] => {
  const { ofPlace, inLists } = FIELDS[name];
  return inLists ? [{ name, ofPlace, toNumber: inLists }] : [];
});

/** The columns of a suggestion that match FILE_NAMES: `null` for those that suggestions do not have. */
export const PENDING_COLUMNS = FILE_NAMES.map((name) => (FIELDS[name].ofPlace ? name : 'null'));

/** These fields, in this order. Throws a TypeError if one is not valid, which is a bug of ours. */
export function fieldsOf<Wanted extends Name>(
  values: Readonly<Record<string, unknown>>,
  names: readonly Wanted[],
): Pick<NewRestaurant, Wanted> {
  const fields = pick(values, names);
  if (!hasFields(fields, names))
    throw new TypeError(`not the fields of a restaurant: ${JSON.stringify(fields)}`);
  return fields;
}

function hasFields<Wanted extends Name>(
  fields: Readonly<Record<string, unknown>>,
  names: readonly Wanted[],
): fields is Pick<NewRestaurant, Wanted> & Readonly<Record<string, unknown>> {
  return names.every((name) => FIELDS[name].is(fields[name]));
}

/** Those of the fields that are present. Throws like `fieldsOf`. */
export function changeOf(values: Readonly<Record<string, unknown>>): RestaurantChange {
  return fieldsOf(
    values,
    FIELD_NAMES.filter((name) => name in values),
  );
}

/** Reads fields of a body; absent ones get their defaults. One coordinate without the other is a fault. */
export function parseFields<Wanted extends Name>(
  fields: Fields,
  names: readonly Wanted[],
): Pick<NewRestaurant, Wanted> {
  const values = parseEach(fields, names);
  const isGiven = (name: string): boolean => (fields.values.get(name) ?? null) !== null;
  if (isGiven('latitude') !== isGiven('longitude'))
    fields.faults.push('latitude and longitude must be given together');
  return values;
}

/** Reads the fields that a body has. */
export function parseSent(fields: Fields): RestaurantChange {
  return parseEach(
    fields,
    FIELD_NAMES.filter((name) => fields.values.has(name)),
  );
}

function parseEach<Wanted extends Name>(
  fields: Fields,
  names: readonly Wanted[],
): Pick<NewRestaurant, Wanted> {
  return fieldsOf(Object.fromEntries(names.map((name) => [name, FIELDS[name].parse(fields, name)])), names);
}

/** The fields of a restaurant in the change log, whose entry may be older than some fields. */
export function storedFieldsOf(entity: Readonly<Record<string, unknown>>): NewRestaurant {
  const values = FIELD_NAMES.map(
    (name) => [name, entity[name] ?? ('keys' in FIELDS[name] ? {} : null)] as const,
  );
  return changed(fieldsOf(Object.fromEntries(values), FIELD_NAMES), {});
}

/** Applies a change to a restaurant. Fields with several keys are merged key by key; the result has all keys. */
export function changed(before: NewRestaurant, change: RestaurantChange): NewRestaurant {
  return { ...before, ...change, ...keyedFields((name, { merge }) => merge(before[name], change[name])) };
}

/** A restaurant whose empty fields are filled from another one; it has the food types of both, as far as they fit. */
export function filledFrom(place: NewRestaurant, other: NewRestaurant): NewRestaurant {
  const known = (values: object): object =>
    Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
  const keyed = keyedFields((name, { merge }) => merge(other[name], known(place[name])));
  const food_type_ids = [...new Set([...place.food_type_ids, ...other.food_type_ids])].slice(
    0,
    MAX_FOOD_TYPES,
  );
  return storedFieldsOf({ ...other, ...known(place), ...keyed, food_type_ids });
}

/** The values of the columns of a restaurant. */
export function columnsOf(restaurant: NewRestaurant): Readonly<Record<string, ColumnValue>> {
  return Object.fromEntries(COLUMN_NAMES.map((name) => [name, FIELDS[name].toColumn(restaurant[name])]));
}

/** The fields of a restaurant that its columns store as JSON. */
export function fieldsOfColumns(row: Readonly<Record<KeyedName, ColumnValue>>): KeyedFields {
  return keyedFields((name, { fromColumn }) => fromColumn(row[name]));
}

function keyedFields(
  make: (name: KeyedName, kind: Pick<FactsKind, 'merge' | 'fromColumn'>) => Facts,
): KeyedFields {
  return fieldsOf(
    Object.fromEntries(KEYED_NAMES.map((name) => [name, make(name, FIELDS[name])])),
    KEYED_NAMES,
  );
}
