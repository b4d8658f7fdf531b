import fc from 'fast-check';
import { type Description, type Fields, elementsOf, isFields, typesOf } from './description.ts';
import { inDays, inHours } from './outings.ts';

/** Stands for a value that the service returned, which is only known when the request is sent. */
export class Reference {
  /** The kind of thing that it is. */
  readonly pool: string;
  /** Which of them, counted around. */
  readonly turn: number;

  constructor(pool: string, turn: number) {
    this.pool = pool;
    this.turn = turn;
  }
}

/** The meaning of the schemas of a description, as values and as bounds. */
export interface Values {
  /** Values that the schema allows; the name says what a value refers to. */
  readonly of: (name: string, schema: unknown) => fc.Arbitrary<unknown>;
  /** Objects of some of these properties, the required ones always among them. */
  readonly object: (
    properties: ReadonlyMap<string, unknown>,
    required: readonly string[],
  ) => fc.Arbitrary<Fields>;
  /** The schema without `$ref` and `allOf`. */
  readonly flat: (schema: unknown) => Fields;
}

// Each a single character, as lengths count them. None is a blank or a `<`: those are taken out of a text.
const letter = fc.constantFrom(...Array.from('abcdefghijklmnopqrstuvwxyz'));
const character = fc.oneof(
  letter,
  fc.constantFrom(...Array.from('AZ019-.,;:&%+\'"#?/\\_>éßøИ漢语نع🍜🥖\u0301')),
);
const plainCharacter = fc.oneof(letter, fc.constantFrom(...Array.from('AZ019-.,;:&%+\'"#?/\\_>éß🍜🥖')));
const LONGEST_INTEGER = Number.MAX_SAFE_INTEGER;

/** The pools that properties and parameters refer to. */
const POOLS: Readonly<Record<string, string>> = {
  restaurant_id: 'restaurants',
  a: 'restaurants',
  b: 'restaurants',
  category_id: 'categories',
  suggested_category_id: 'categories',
  food_type_ids: 'food-types',
  refresh_token: 'refresh tokens',
  filename: 'menu_photos',
  file: 'assets',
  version: 'versions',
};

const host = fc.string({ unit: letter, minLength: 1, maxLength: 20 });
/** Values that no schema can describe in full. */
const NAMED: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  email: fc.tuple(fc.maxSafeNat(), host).map(([number, name]) => `${name}${number}@${name}.example`),
  username: usernames(100),
  website: fc
    .tuple(fc.constantFrom('http://', 'https://', 'HTTPS://', '//', ''), host, fc.webPath(), fc.boolean())
    .map(([start, name, path, hasQuery]) => `${start}${name}.example${path}${hasQuery ? '?a=1#b' : ''}`),
  // A link that is read without a request.
  url: fc.maxSafeNat().map((id) => `https://www.openstreetmap.org/node/${id}`),
  at: fc.constantFrom(inDays(1)),
  closes_at: fc.constantFrom(inHours(1)),
  expires_at: fc.constantFrom('2999-01-31T19:30:00Z', '2999-07-31T19:30:00.5+02:00'),
  time_zone: fc.constantFrom('Europe/Paris', 'Asia/Kolkata', 'America/Argentina/Buenos_Aires', 'UTC'),
  fsq: opaqueId(),
  overture: opaqueId(),
  'If-None-Match': fc.oneof(reference('tags'), fc.constantFrom('*', '"other"', '"a", W/"b"')),
  'If-Range': fc.oneof(reference('tags'), fc.constantFrom('"other"', 'W/"b"')),
  // Valid only at the operation that returned them, with the query that they came from, which is stored with them.
  cursor: reference('pages'),
  since: reference('pages'),
  'Last-Event-ID': reference('event ids'),
  Range: fc.constantFrom('bytes=0-9', 'bytes=-5', 'bytes=5-', 'bytes=0-0', 'lines=1', 'bytes=0-1,3-4'),
};

/** Letters of one script, and characters that go with any. */
function usernames(maxLength: number): fc.Arbitrary<string> {
  return fc.string({ unit: plainCharacter, minLength: 1, maxLength });
}

/** An id of another catalogue. */
function opaqueId(): fc.Arbitrary<string> {
  return text(1, 255).map((id) => id.replace(/[,=]/g, '-'));
}

/** References to anything of a pool. */
export function reference(pool: string): fc.Arbitrary<Reference> {
  return fc.nat(10_000).map((turn) => new Reference(pool, turn));
}

/** Reads the schemas of `description`. */
export function createValues(description: Description): Values {
  function flat(schema: unknown): Fields {
    const own = description.resolve(schema);
    const parts = [...elementsOf(own['allOf']).map(flat), own];
    const properties = Object.fromEntries(parts.flatMap((part) => [...propertiesOf(part)]));
    const required = parts.flatMap((part) => elementsOf(part['required']));
    return { ...Object.fromEntries(parts.flatMap((part) => Object.entries(part))), properties, required };
  }

  function of(name: string, schema: unknown): fc.Arbitrary<unknown> {
    const fields = flat(schema);
    const types = typesOf(fields);
    const value = NAMED[name] ?? plain(name, fields, types);
    return types.includes('null') ? fc.option(value, { freq: 5 }) : value;
  }

  function plain(name: string, fields: Fields, types: readonly string[]): fc.Arbitrary<unknown> {
    const pool = POOLS[name];
    if (types.includes('array')) {
      const element = pool === undefined ? of(name, fields['items']) : reference(pool);
      const maxLength = Math.min(numberOf(fields, 'maxItems', 5), 5);
      return fc.array(element, { minLength: numberOf(fields, 'minItems', 0), maxLength });
    }
    if (pool !== undefined) return reference(pool);
    if (Array.isArray(fields['enum'])) return fc.constantFrom(...elementsOf(fields['enum']));
    if (types.includes('boolean')) return fc.boolean();
    if (types.includes('integer')) return integers(fields);
    if (types.includes('number')) return numbers(fields);
    if (types.includes('object')) return object(propertiesOf(fields), requiredOf(fields));
    if (typeof fields['pattern'] === 'string') return fc.stringMatching(new RegExp(fields['pattern']));
    const most = numberOf(fields, 'maxLength', 40);
    if (/\brules are those of usernames\b/.test(String(fields['description']))) return usernames(most);
    return texts(numberOf(fields, 'minLength', 0), most);
  }

  function object(
    properties: ReadonlyMap<string, unknown>,
    required: readonly string[],
  ): fc.Arbitrary<Fields> {
    const entries = [...properties].map(([name, schema]) => [name, of(name, schema)] as const);
    return fc.record(Object.fromEntries(entries), { requiredKeys: [...required] });
  }

  return { of, object, flat };
}

/** Text of so many characters, mostly short and seldom as long as it may be. */
export function texts(min: number, max: number): fc.Arbitrary<string> {
  const short = Math.min(max, Math.max(min, 40));
  return fc.oneof(
    { weight: 16, arbitrary: text(Math.min(max, Math.max(min, 8)), short) },
    { weight: 1, arbitrary: text(min, short) },
    { weight: 1, arbitrary: text(max, max) },
  );
}

function text(minLength: number, maxLength: number): fc.Arbitrary<string> {
  return fc.string({ unit: character, minLength, maxLength, size: 'max' });
}

function integers(fields: Fields): fc.Arbitrary<number> {
  const min = numberOf(fields, 'minimum', -LONGEST_INTEGER);
  const max = numberOf(fields, 'maximum', LONGEST_INTEGER);
  // Most of a wide range is far from anything that the service has.
  return fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min, max: Math.min(max, min + 30) }) },
    fc.integer({ min, max }),
    fc.constantFrom(min, max),
  );
}

function numbers(fields: Fields): fc.Arbitrary<number> {
  const above = fields['exclusiveMinimum'];
  const min = typeof above === 'number' ? above : numberOf(fields, 'minimum', -1e9);
  const max = numberOf(fields, 'maximum', 1e9);
  return fc.double({ min, max, minExcluded: typeof above === 'number', noNaN: true });
}

/** A bound of a schema. */
export function numberOf(fields: Fields, name: string, otherwise: number): number {
  const value = fields[name];
  return typeof value === 'number' ? value : otherwise;
}

/** The properties of the flat schema of an object. */
export function propertiesOf(fields: Fields): ReadonlyMap<string, unknown> {
  const properties = fields['properties'];
  return new Map(Object.entries(isFields(properties) ? properties : {}));
}

/** The names of those that are required. */
export function requiredOf(fields: Fields): readonly string[] {
  return elementsOf(fields['required']).map(String);
}
