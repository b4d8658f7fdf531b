import { type Connection, StorageError } from './database.ts';
import {
  MIGRATIONS_TABLE,
  type Migration,
  addMigrationFunctions,
  shippedMigrations,
} from './shipped-migrations.ts';

/**
 * The version of an open database, whose recorded migrations are those of this service, and the names of the ones not yet
 * applied to it, in order.
 */
export function migrationState(connection: Connection): {
  readonly version: number;
  readonly pending: readonly string[];
} {
  const isNew =
    connection.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'`).get() === undefined;
  const version = isNew
    ? 0
    : (connection.prepare<[], number | null>('SELECT max(version) FROM schema_migrations').pluck().get() ??
      0);
  return {
    version,
    pending: shippedMigrations()
      .slice(version)
      .map(({ name }) => name),
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
  connection.exec(MIGRATIONS_TABLE);
  addMigrationFunctions(connection);
  const record = connection.prepare(
    `INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (version) DO NOTHING`,
  );
  const apply = ({ version, name, checksum, sql }: Migration): boolean => {
    // Another process may have applied it meanwhile, such as a second import into a new folder.
    if (record.run(version, name, checksum, new Date().toISOString()).changes === 0) return false;
    connection.exec(sql);
    return true;
  };
  const applyAll = connection.transaction(() => shippedMigrations().filter(apply));
  return applyAll.immediate().map(({ name }) => name);
}
