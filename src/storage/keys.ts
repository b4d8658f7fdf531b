import { randomBytes } from 'node:crypto';
import type { Queries } from './statements.ts';

/** Returns the 32-byte secret stored under `name`, generating it on first use. */
export type KeyStore = (name: string) => Buffer;

/** If two processes generate the same key at once, both get the one that was stored first. */
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

/** For a replica: a key that the primary has not generated yet is random, and valid only in this process. */
export function createKeyReader(queries: Queries): KeyStore {
  const sql = queries.file('storage');
  const select = sql.prepare<Buffer>('getKey').pluck();
  sql.fragment('insertKey');
  return (name) => select.get({ name }) ?? randomBytes(32);
}
