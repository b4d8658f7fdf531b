import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Connection, openDatabase } from '../../src/storage/database.ts';
import { prepareFolder } from '../../src/storage/folder.ts';
import { MIGRATIONS_TABLE, addMigrationFunctions } from '../../src/storage/shipped-migrations.ts';
import { sqlFolder } from '../../src/storage/statements.ts';

const NOW = '2026-01-01T00:00:00.000Z';

/**
 * Makes a database as the version left it that lacked the migration of this name (without its number), and fills it
 * with `fill`. Throws when there is no such migration.
 */
export function makeDatabaseBefore(
  folder: string,
  migration: string,
  fill: (connection: Connection) => void,
): void {
  const files = readdirSync(new URL('migrations/', sqlFolder)).sort();
  const end = files.findIndex((file) => file.slice('0000_'.length) === `${migration}.sql`);
  if (end === -1) throw new Error(`there is no migration ${migration}`);
  prepareFolder(folder);
  const connection = openDatabase(folder);
  addMigrationFunctions(connection);
  connection.exec(MIGRATIONS_TABLE);
  for (const [index, file] of files.slice(0, end).entries()) {
    const sql = readFileSync(new URL(`migrations/${file}`, sqlFolder), 'utf8');
    connection.exec(sql);
    connection
      .prepare('INSERT INTO schema_migrations VALUES (?, ?, ?, ?)')
      .run(index + 1, file.replace('.sql', ''), createHash('sha256').update(sql).digest('hex'), NOW);
  }
  fill(connection);
  connection.close();
}

/** A database as the version left it that lacked a migration, with a restaurant that has a photo. */
export function makeDatabaseWithPhoto(folder: string, content: Buffer, migration = 'places'): void {
  const filename = `ab${'0'.repeat(30)}.jpg`;
  makeDatabaseBefore(folder, migration, (connection) => {
    addRestaurant(connection);
    connection
      .prepare(
        `INSERT INTO photos (restaurant_id, filename, caption, file_size, mime_type, width, height, created_at, updated_at)
         VALUES (1, ?, '', ?, 'image/jpeg', 1, 1, ?, ?)`,
      )
      .run(filename, content.length, NOW, NOW);
  });
  mkdirSync(join(folder, 'photos', 'ab'), { recursive: true });
  writeFileSync(join(folder, 'photos', 'ab', filename), content);
}

/** The same as the version left it that had no change log yet; the photo was deleted at that moment. */
export function makeDatabaseWithDeletedPhoto(folder: string, content: Buffer, deletedAt: string): void {
  const filename = `cd${'0'.repeat(30)}.jpg`;
  makeDatabaseBefore(folder, 'changes', (connection) => {
    addRestaurant(connection);
    connection
      .prepare('INSERT INTO photo_trash (filename, deleted_at) VALUES (?, ?)')
      .run(filename, deletedAt);
  });
  mkdirSync(join(folder, 'photos', 'cd'), { recursive: true });
  writeFileSync(join(folder, 'photos', 'cd', filename), content);
}

function addRestaurant(connection: Connection): void {
  connection
    .prepare(
      `INSERT INTO restaurants (id, name, address, status, identity_key, search_name, search_text, created_at, updated_at)
       VALUES (1, 'Old', '築地寿司大', 'active', 'old', 'old', '築地寿司大', ?, ?)`,
    )
    .run(NOW, NOW);
}

/** A database as the first version left it, with a restaurant that was rated twice. */
export function makeOldDatabase(folder: string): void {
  makeDatabaseBefore(folder, 'accounts', (connection) => {
    addRestaurant(connection);
    for (const value of [5, 2])
      connection
        .prepare(
          `INSERT INTO ratings (restaurant_id, food_rating, service_rating, ambiance_rating, created_at)
           VALUES (1, ?, ?, ?, ?)`,
        )
        .run(value, value, value, NOW);
  });
}
