import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { openDatabase, prepareFolder } from '../../src/storage/database.ts';
import { sqlFolder } from '../../src/storage/statements.ts';

/** A database as the first version left it, with a restaurant that was rated twice. */
export function makeOldDatabase(folder: string): void {
  const sql = readFileSync(new URL('migrations/0001_catalogue.sql', sqlFolder), 'utf8');
  const checksum = createHash('sha256').update(sql).digest('hex');
  prepareFolder(folder);
  const connection = openDatabase(folder);
  connection.exec(sql);
  connection.exec(
    'CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT',
  );
  connection
    .prepare('INSERT INTO schema_migrations VALUES (1, ?, ?, ?)')
    .run('0001_catalogue', checksum, '2026-01-01T00:00:00.000Z');
  const now = '2026-01-01T00:00:00.000Z';
  connection
    .prepare(
      `INSERT INTO restaurants (id, name, address, status, identity_key, search_name, search_text, created_at, updated_at)
       VALUES (1, 'Old', '築地寿司大', 'active', 'old', 'old', '築地寿司大', ?, ?)`,
    )
    .run(now, now);
  for (const value of [5, 2])
    connection
      .prepare(
        `INSERT INTO ratings (restaurant_id, food_rating, service_rating, ambiance_rating, created_at)
         VALUES (1, ?, ?, ?, ?)`,
      )
      .run(value, value, value, now);
  connection.close();
}
