import Database from 'better-sqlite3';
import { MIGRATIONS_TABLE, addMigrationFunctions, shippedMigrations } from './shipped-migrations.ts';

/** The objects of a schema as texts, by their labels: types and names. */
interface Schema {
  readonly own: ReadonlyMap<string, string>;
  /** Tables that ANALYZE and Litestream add, without triggers or views. */
  readonly harmless: ReadonlyMap<string, string>;
}

const NAMED = 3;
const LONGEST_LABEL = 80;
const HARMLESS = `ANALYZE;
  CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER);
  CREATE TABLE _litestream_lock (id INTEGER);`;

/**
 * Why the schema of a database is not exactly what the migrations of its version make; undefined if it is, or if the
 * database is empty. Triggers and views act on their own, so a file from elsewhere must pass before anything else is read
 * or written. Runs nothing that the file contains.
 */
export function schemaFault(connection: Database.Database): string | undefined {
  return connection.transaction(() => faultIn(connection))();
}

function faultIn(connection: Database.Database): string | undefined {
  const objects = objectsOf(connection);
  if (objects.length === 0) return undefined;
  const shipped = shippedMigrations();
  let version = shipped.length;
  // A view of the same name would make up its rows, and might never end.
  const table = schemaOf(shipped.length).own.get('table "schema_migrations"');
  if (objects.some(({ text }) => text === table)) {
    version = 0;
    for (const [number, name, checksum] of appliedMigrations(connection)) {
      const migration = String(name).slice(0, LONGEST_LABEL).replace(/\W/g, '?');
      if (number > shipped.length)
        return `the database is from a newer version of the service (migration ${migration}, this version knows up to ${shipped.length}); use that version`;
      if (shipped[number - 1]?.checksum !== checksum)
        return `migration ${migration} in the database differs from the one shipped with this version; use that version, or restore a backup (catalogue restore)`;
      version = number;
    }
  }
  const changes = changesIn(objects, schemaOf(version));
  if (changes.length === 0) return undefined;
  const more = changes.length > NAMED ? ` and ${changes.length - NAMED} more` : '';
  return `the schema of the database is not as this service made it: ${changes.slice(0, NAMED).join(', ')}${more}; undo that with the sqlite3 program, or restore another backup`;
}

function appliedMigrations(connection: Database.Database) {
  return connection
    .prepare<[], [number, unknown, unknown]>(
      'SELECT version, name, checksum FROM schema_migrations ORDER BY version',
    )
    .raw()
    .iterate();
}

function changesIn(objects: ReturnType<typeof objectsOf>, { own, harmless }: Schema): string[] {
  const changes: string[] = [];
  const missing = new Map(own);
  const pages = new Set<unknown>();
  for (const { label, text, page } of objects) {
    const expected = missing.get(label) ?? harmless.get(label);
    missing.delete(label);
    const isShared = page !== 0 && pages.has(page);
    pages.add(page);
    if (expected !== text || isShared)
      changes.push(`${label.slice(0, LONGEST_LABEL)} was ${expected === undefined ? 'added' : 'changed'}`);
  }
  for (const label of missing.keys()) changes.push(`${label} is missing`);
  return changes;
}

function objectsOf(connection: Database.Database) {
  return connection
    .prepare<[], unknown[]>(
      'SELECT type, name, tbl_name, sql, cast(rootpage AS INTEGER) AS page FROM sqlite_schema',
    )
    .raw()
    .all()
    .map(([type, name, table, sql, page]) => ({
      label: `${JSON.stringify(type).slice(1, -1)} ${JSON.stringify(name)}`,
      text: JSON.stringify([type, name, table, sql, page !== 0]),
      page,
    }));
}

const schemas = new Map<number, Schema>();

/** The schema of a version; cached, since it is always the same, and takes a tenth of a second to make. */
function schemaOf(version: number): Schema {
  const known = schemas.get(version);
  if (known) return known;
  const connection = new Database(':memory:');
  try {
    addMigrationFunctions(connection);
    const textsAfter = (sql: readonly string[]): ReadonlyMap<string, string> => {
      connection.transaction(() => {
        for (const text of sql) connection.exec(text);
      })();
      return new Map(objectsOf(connection).map(({ label, text }) => [label, text]));
    };
    const migrations = shippedMigrations().slice(0, version);
    const own = textsAfter([MIGRATIONS_TABLE, ...migrations.map(({ sql }) => sql)]);
    const schema = { own, harmless: textsAfter([HARMLESS]) };
    schemas.set(version, schema);
    return schema;
  } finally {
    connection.close();
  }
}
