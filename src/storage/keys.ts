import { randomBytes } from 'node:crypto';
import type { Queries } from './statements.ts';

/** A secret of 32 bytes that the database keeps under `name`; made at the first call and the same ever after. */
export type KeyStore = (name: string) => Buffer;

interface KeyStatements {
  readonly get: (name: string) => Buffer | undefined;
  readonly insert: (name: string, value: Buffer) => void;
}

/** Opens the store of generated keys. Two processes that make the same key at once end up with one. */
export function createKeyStore(queries: Queries): KeyStore {
  const { get, insert } = prepareKeys(queries);
  return (name) => {
    const known = get(name);
    if (known !== undefined) return known;
    insert(name, randomBytes(32));
    const key = get(name);
    if (key === undefined) throw new Error(`generated key ${name} is gone`);
    return key;
  };
}

/** The same for a replica: a key that the primary has not made yet is good for this process alone. */
export function createKeyReader(queries: Queries): KeyStore {
  const { get } = prepareKeys(queries);
  return (name) => get(name) ?? randomBytes(32);
}

function prepareKeys(queries: Queries): KeyStatements {
  const sql = queries.file('storage');
  const insert = sql.prepare('insertKey');
  const select = sql.prepare<{ value: Buffer }>('getKey');
  return {
    get: (name) => select.get({ name })?.value,
    insert: (name, value) => {
      insert.run({ name, value });
    },
  };
}
