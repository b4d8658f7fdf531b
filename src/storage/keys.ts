import { randomBytes } from 'node:crypto';
import type { Queries } from './statements.ts';

/** A secret of 32 bytes that the database stores under `name`; made at the first call and the same ever after. */
export type KeyStore = (name: string) => Buffer;

/** Opens the store of generated keys. Two processes that make the same key at once end up with one. */
export function createKeyStore(queries: Queries): KeyStore {
  const sql = queries.file('storage');
  const insert = sql.prepare('insertKey');
  const select = sql.prepare<Buffer>('getKey').pluck();
  return (name) => {
    const known = select.get({ name });
    if (!known) insert.run({ name, value: randomBytes(32) });
    const key = known ?? select.get({ name });
    if (!key) throw new Error(`generated key ${name} is gone`);
    return key;
  };
}

/** The same for a replica: a key that the primary has not made yet is valid for this process alone. */
export function createKeyReader(queries: Queries): KeyStore {
  const sql = queries.file('storage');
  const select = sql.prepare<Buffer>('getKey').pluck();
  sql.fragment('insertKey');
  return (name) => select.get({ name }) ?? randomBytes(32);
}
