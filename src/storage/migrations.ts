import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { type Connection, StorageError } from './database.ts';
import { skeleton } from './skeleton.ts';
import { sqlFolder } from './statements.ts';
import { caseKey, identityKey, searchName, searchText } from './text.ts';

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/**
 * The version of a database, and the names of the shipped migrations not yet applied to it, in order. Throws a StorageError if the database is from a
 * newer version of the service, or a recorded migration differs from the shipped one.
 */
export function migrationState(connection: Connection): {
  readonly version: number;
  readonly pending: readonly string[];
} {
  // Such a database lacks the triggers that maintain consistency.
  if (hasTable(connection, 'following'))
    throw new StorageError(
      'this is the database of a replica that followed its primary, which this version no longer supports; replace it with a copy of the primary, or turn it into a primary with the version that created it (catalogue promote)',
    );
  const known = shippedMigrations();
  const applied = hasTable(connection, 'schema_migrations')
    ? connection
        .prepare<[], Omit<Migration, 'sql'>>(
          'SELECT version, name, checksum FROM schema_migrations ORDER BY version',
        )
        .all()
    : [];
  const newest = known.at(-1)?.version ?? 0;
  for (const { version, name, checksum } of applied) {
    if (version > newest)
      throw new StorageError(
        `the database is from a newer version of the service (migration ${name}, this version knows up to ${newest}); use that version`,
      );
    if (known.find((migration) => migration.version === version)?.checksum !== checksum)
      throw new StorageError(
        `migration ${name} in the database differs from the one shipped with this version; use that version, or restore a backup (catalogue restore)`,
      );
  }
  const version = applied.at(-1)?.version ?? 0;
  return {
    version,
    pending: known.filter((migration) => migration.version > version).map(({ name }) => name),
  };
}

/** Throws a StorageError if a database opened for reading is from an older version. */
export function requireCurrent(connection: Connection, dataFolder: string): void {
  if (migrationState(connection).pending.length > 0)
    throw new StorageError(
      `the database in ${dataFolder} is from an older version: run catalogue migrate first`,
    );
}

/**
 * Applies all pending migrations and records them in one transaction. If one fails, the previous version can
 * still use the database; other processes never see an intermediate state. Returns the names applied.
 */
export function migrate(connection: Connection): readonly string[] {
  migrationState(connection);
  connection.exec(
    `CREATE TABLE IF NOT EXISTS schema_migrations (
       version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at TEXT NOT NULL
     ) STRICT`,
  );
  addMigrationFunctions(connection);
  const record = connection.prepare(
    `INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (version) DO NOTHING`,
  );
  const apply = (migration: Migration): boolean => {
    const { version, name, checksum, sql } = migration;
    // Another process may have applied it meanwhile, such as a second import into a new folder.
    if (record.run(version, name, checksum, new Date().toISOString()).changes === 0) return false;
    connection.exec(sql);
    return true;
  };
  const applyAll = connection.transaction(() => shippedMigrations().filter(apply));
  return applyAll.immediate().map(({ name }) => name);
}

/** Adds the SQL functions with which migrations recompute columns. They must be deterministic. */
export function addMigrationFunctions(connection: Connection): void {
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

function hasTable(connection: Connection, name: string): boolean {
  return connection.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== undefined;
}

let shipped: readonly Migration[] | undefined;

/** The migrations of sql/migrations in order; cached, since startup asks several times. */
function shippedMigrations(): readonly Migration[] {
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
