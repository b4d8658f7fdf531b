/** A value of a row in JSON: exactly what SQLite stores. */
export type Value =
  | null
  | string
  | number
  | { readonly integer: string }
  | { readonly real: string }
  | { readonly bytes: string };

/** Makes a value that better-sqlite3 has read with safe integers one that JSON holds. Throws a TypeError for any other. */
export function encodeValue(value: unknown): Value {
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : { integer: String(value) };
  }
  // JSON has no negative zero and no infinity.
  if (typeof value === 'number')
    return Number.isFinite(value) && !Object.is(value, -0)
      ? value
      : { real: Object.is(value, -0) ? '-0' : String(value) };
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('base64') };
  throw new TypeError(`SQLite stores no ${typeof value}`);
}

/**
 * The other way. A number is bound as a real, which a column of integers stores as an integer: all tables are strict. Throws
 * a TypeError for what is no value.
 */
export function decodeValue(value: unknown): null | string | number | bigint | Buffer {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  if (typeof value === 'object') {
    if ('integer' in value) return BigInt(String(value.integer));
    if ('real' in value) return Number(value.real);
    if ('bytes' in value) return Buffer.from(String(value.bytes), 'base64');
  }
  throw new TypeError('the primary has sent what is no value');
}
