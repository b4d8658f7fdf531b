import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { record } from '../support/client.ts';
import { readStored } from '../support/people.ts';
import { storedFiles } from '../support/photos.ts';
import { until } from '../support/until.ts';
import { faultsOfLog } from './sound-log.ts';

// What holds after every write, so that a row here is half a write.
const WRONG_ROWS: Readonly<Record<string, string>> = {
  'rating sums': `SELECT id FROM restaurants WHERE (rating_count, food_sum, service_sum, ambiance_sum) <>
    (SELECT count(*), coalesce(sum(food_rating), 0), coalesce(sum(service_rating), 0), coalesce(sum(ambiance_rating), 0)
     FROM ratings WHERE restaurant_id = restaurants.id)`,
  conversions: `SELECT restaurants.id FROM restaurants JOIN suggestions ON suggestions.id = suggestion_id
    WHERE suggestions.status <> 'converted' OR suggestions.restaurant_id IS NOT restaurants.id`,
  'rows of the search index': `SELECT 1 WHERE (SELECT count(*) FROM restaurants) +
    (SELECT count(*) FROM suggestions WHERE status = 'pending') <> (SELECT count(*) FROM search_texts_docsize)`,
  accounts: `SELECT id FROM users WHERE id NOT IN (SELECT user_id FROM sessions)`,
};

// What a server removes by itself after a start, while there is any. A file goes before its row, so that no file is left to
// remove once the rows are gone.
const DUE = [
  `SELECT 1 FROM photo_trash WHERE due_at <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`,
  'SELECT 1 FROM deleted_restaurants WHERE due_at IS NOT NULL',
  'SELECT 1 FROM deleted_lists WHERE due_at IS NOT NULL',
  'SELECT 1 FROM purges',
  'SELECT 1 FROM erasures',
  'SELECT 1 FROM categories WHERE deleted_at IS NOT NULL AND change_id IS NULL',
  'SELECT 1 FROM food_types WHERE deleted_at IS NOT NULL AND change_id IS NULL',
].join(' UNION ALL ');

/**
 * Waits until a running server that receives no requests has removed everything that is due. Before that, something may go
 * between two looks at its data folder, so that rows and files, or two tables, seem to disagree.
 */
export async function untilAtRest(folder: string): Promise<void> {
  await until(() => readStored(folder, DUE).length === 0);
}

/** The faults of the database of a data folder, as SQLite sees it and as the rules of the catalogue do. */
export function faultsOfDatabase(folder: string): string[] {
  const database = new Database(join(folder, 'catalogue.db'), { readonly: true });
  try {
    const faults: string[] = [];
    const integrity: unknown = database.pragma('integrity_check', { simple: true });
    if (integrity !== 'ok') faults.push(`integrity: ${String(integrity)}`);
    if (database.prepare('PRAGMA foreign_key_check').all().length > 0) faults.push('foreign keys');
    for (const [name, sql] of Object.entries(WRONG_ROWS)) {
      const rows = database.prepare(sql).all();
      if (rows.length > 0) faults.push(`${name}: ${JSON.stringify(rows.slice(0, 3))}`);
    }
    return faults;
  } finally {
    database.close();
  }
}

/** The files of photos without a row, and the rows without a file. The server must be at rest. */
export function faultsOfPhotos(folder: string): string[] {
  const database = new Database(join(folder, 'catalogue.db'), { readonly: true });
  try {
    const stored = 'SELECT filename FROM photo_files UNION ALL SELECT filename FROM photo_trash';
    const names = database.prepare(stored).all();
    const places = names.map((row) => String(record(row)['filename']));
    const rows = new Set(places.map((name) => `${name.slice(0, 2)}/${name}`));
    const files = new Set(existsSync(join(folder, 'photos')) ? storedFiles(folder) : []);
    return [
      ...[...files].filter((file) => !rows.has(file)).map((file) => `file without row: ${file}`),
      ...[...rows].filter((row) => !files.has(row)).map((row) => `row without file: ${row}`),
    ];
  } finally {
    database.close();
  }
}

/** Whatever is wrong in a data folder: in its database, in its change log or with its photos. The server must be at rest. */
export function faultsOfFolder(folder: string): string[] {
  return [...faultsOfDatabase(folder), ...faultsOfLog(folder), ...faultsOfPhotos(folder)];
}
