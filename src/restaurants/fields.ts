import {
  type Fields,
  choiceField,
  idField,
  idsField,
  integerField,
  numberField,
  requiredNameField,
  textField,
  urlField,
} from '../input/fields.ts';

/** The statuses of a restaurant. */
export const STATUSES = ['active', 'temporarily_closed', 'closed'] as const;
export type RestaurantStatus = (typeof STATUSES)[number];

/** A field of a restaurant, under its name in the API. */
interface Field<Value> {
  /** Reads the field of a body; its default where it is absent. Adds what is wrong with it to the faults. */
  readonly parse: (fields: Fields, name: string) => Value;
  /** Whether a stored value is one of this field. */
  readonly is: (value: unknown) => value is Value;
  /** Whether suggestions have it, too. */
  readonly ofPlace: boolean;
  /** Whether it is in a column of its own name. */
  readonly hasColumn: boolean;
  /** Whether import and export files have it, under its name. */
  readonly inFiles: boolean;
  /** Whether its column in CSV stands behind all that the first version had. */
  readonly isLateColumn: boolean;
  /** Whether it is a number that lists need in memory. */
  readonly inLists: boolean;
}

const reference = {
  ...{ ofPlace: false, hasColumn: false, inFiles: false, isLateColumn: false, inLists: false },
} as const;
const column = { ...reference, hasColumn: true, inFiles: true } as const;
const place = { ...column, ofPlace: true } as const;

/** All that a client says of a restaurant (SPEC, "Restaurants"), in the order of answers and files. */
export const FIELDS = {
  name: { ...place, ...requiredName(255) },
  description: { ...column, ...text(5000) },
  address: { ...place, ...text(500) },
  phone: { ...place, ...text(50) },
  website: { ...place, ...url(500) },
  latitude: { ...place, ...number(-90, 90), inLists: true },
  longitude: { ...place, ...number(-180, 180), inLists: true },
  google_place_id: { ...place, ...text(255) },
  category_id: { ...reference, parse: idField, is: isNumberOrNull },
  food_type_ids: { ...reference, ...ids(50) },
  status: { ...column, inFiles: false, ...choice(STATUSES, 'active') },
  price_level: { ...column, ...integer(1, 4), isLateColumn: true, inLists: true },
} satisfies Readonly<Record<string, Field<unknown>>>;

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

const rows: ReadonlyMap<string, Field<unknown>> = new Map<string, Field<unknown>>(Object.entries(FIELDS));

function namesOf(is: (row: Field<unknown>) => boolean): readonly string[] {
  return [...rows].filter(([, row]) => is(row)).map(([name]) => name);
}

/** The names of all fields. */
export const FIELD_NAMES = namesOf(() => true);
/** The names of those in columns of the same name. */
export const COLUMN_NAMES = namesOf(({ hasColumn }) => hasColumn);
/** The names of the fields that identify a place. */
export const PLACE_NAMES = namesOf(({ ofPlace }) => ofPlace);
/** The names of those that stand in a file as they do in the API. */
export const FILE_NAMES = namesOf(({ inFiles }) => inFiles);

/** The names of those whose columns in CSV stand behind all others. */
export const LATE_COLUMN_NAMES = namesOf(({ isLateColumn }) => isLateColumn);
/** The names of the numbers that lists need in memory. */
export const LISTED_NAMES = namesOf(({ inLists }) => inLists);

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
  return required(
    Object.fromEntries(FIELD_NAMES.map((name) => [name, entity[name] ?? null])),
    isNewRestaurant,
  );
}

type Kind<Value> = Pick<Field<Value>, 'parse' | 'is'>;

function requiredName(max: number): Kind<string> {
  return { parse: (fields, name) => requiredNameField(fields, name, max), is: isText };
}

function text(max: number): Kind<string | null> {
  return { parse: (fields, name) => textField(fields, name, max), is: isTextOrNull };
}

function url(max: number): Kind<string | null> {
  return { parse: (fields, name) => urlField(fields, name, max), is: isTextOrNull };
}

function number(min: number, max: number): Kind<number | null> {
  return { parse: (fields, name) => numberField(fields, name, min, max), is: isNumberOrNull };
}

function integer(min: number, max: number): Kind<number | null> {
  return { parse: (fields, name) => integerField(fields, name, min, max), is: isNumberOrNull };
}

function ids(max: number): Kind<readonly number[]> {
  return { parse: (fields, name) => idsField(fields, name, max), is: isNumbers };
}

function choice<Choice extends string>(choices: readonly Choice[], otherwise: Choice): Kind<Choice> {
  return {
    parse: (fields, name) => choiceField(fields, name, choices) ?? otherwise,
    is: (value): value is Choice => choices.some((one) => one === value),
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

function isNumberOrNull(value: unknown): value is number | null {
  return value === null || typeof value === 'number';
}

function isNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'number');
}
