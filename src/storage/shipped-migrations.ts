import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { skeleton } from './skeleton.ts';
import { sqlFolder } from './statements.ts';
import { caseKey, identityKey, searchName, searchText } from './text.ts';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** Makes the table of applied migrations. Databases store this text, so not even its white space may ever change. */
export const MIGRATIONS_TABLE = `CREATE TABLE IF NOT EXISTS schema_migrations (
       version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at TEXT NOT NULL
     ) STRICT`;

/** Adds the SQL functions with which migrations recompute columns. They must be deterministic. */
export function addMigrationFunctions(connection: Database.Database): void {
  const ofText = {
    search_name_of: searchName,
    search_text_of: searchText,
    case_key_of: caseKey,
    username_skeleton_of: skeleton,
    sha256_of: (text: string) => createHash('sha256').update(text).digest(),
  };
  for (const [name, compute] of Object.entries(ofText))
    connection.function(name, { deterministic: true }, (text) => compute(String(text)));
  const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  const numberOrNull = (value: unknown): number | null => (typeof value === 'number' ? value : null);
  connection.function('identity_key_of', { deterministic: true }, (name, address, latitude, longitude) =>
    identityKey({
      name: String(name),
      address: textOrNull(address),
      latitude: numberOrNull(latitude),
      longitude: numberOrNull(longitude),
    }),
  );
}

let shipped: readonly Migration[] | undefined;

/** The migrations of sql/migrations in order; cached, since startup asks several times. */
export function shippedMigrations(): readonly Migration[] {
  if (shipped) return shipped;
  const folder = new URL('migrations/', sqlFolder);
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  shipped = files.sort().map((file, index) => {
    const version = Number(file.slice(0, 4));
    if (version !== index + 1) throw new Error(`migration ${file} is out of sequence`);
    const sql = readFileSync(new URL(file, folder), 'utf8');
    const checksum = createHash('sha256').update(sql).digest('hex');
    return { version, name: file.slice(0, -'.sql'.length), sql, checksum };
  });
  return shipped;
}
