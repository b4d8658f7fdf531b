import { randomBytes } from 'node:crypto';
import type { Queries } from './statements.ts';

/** A secret of 32 bytes that the database keeps under `name`; made at the first call and the same ever after. */
export type KeyStore = (name: string) => Buffer;

/** Opens the store of generated keys. Two processes that make the same key at once end up with one. */
export function createKeyStore(queries: Queries): KeyStore {
  const sql = queries.file('storage');
  const insert = sql.prepare('insertKey');
  const select = sql.prepare<{ value: Buffer }>('getKey');
  return (name) => {
    insert.run({ name, value: randomBytes(32) });
    const row = select.get({ name });
    if (row === undefined) throw new Error(`generated key ${name} is gone`);
    return row.value;
  };
}
