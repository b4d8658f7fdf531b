import { createHash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** Spoils a backup in one way of many, chosen by `random`, and says how. */
export type Spoiling = (backup: string, random: () => number) => string;

/** The files of a backup that is a folder. */
export function filesOf(backup: string): string[] {
  return readdirSync(backup, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(backup, name)).isFile())
    .sort();
}

function flip(path: string, random: () => number): string {
  const bytes = readFileSync(path);
  const at = Math.floor(random() * bytes.length);
  const bit = Math.floor(random() * 8);
  bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at);
  writeFileSync(path, bytes);
  return `bit ${bit} of byte ${at} of ${path}`;
}

function cut(path: string, random: () => number): string {
  const size = Math.floor(random() * statSync(path).size);
  truncateSync(path, size);
  return `${path} cut to ${size}`;
}

function lengthen(path: string, random: () => number): string {
  const bytes = Buffer.alloc(1 + Math.floor(random() * 2_000));
  appendFileSync(path, bytes);
  return `${path} longer by ${bytes.length}`;
}

/** Brings SHA256SUMS up to date, as an attacker would who tampers with care. */
export function sumAgain(backup: string): void {
  const names = filesOf(backup).filter((name) => name !== 'SHA256SUMS');
  const lines = names.map((name) => {
    const hash = createHash('sha256')
      .update(readFileSync(join(backup, name)))
      .digest('hex');
    return `${hash}  ${name}\n`;
  });
  writeFileSync(join(backup, 'SHA256SUMS'), lines.join(''));
}

/** Ways to spoil a file. */
export const FILE_SPOILINGS: readonly Spoiling[] = [flip, flip, flip, cut, lengthen];

function onOneFile(spoil: Spoiling): Spoiling {
  return (backup, random) => {
    const files = filesOf(backup);
    return spoil(join(backup, files[Math.floor(random() * files.length)] ?? ''), random);
  };
}

const remove: Spoiling = (path) => {
  rmSync(path);
  return `${path} removed`;
};

const rename: Spoiling = (path) => {
  renameSync(path, `${path}0`);
  return `${path} renamed`;
};

const replaceByLink: Spoiling = (path) => {
  const elsewhere = `${dirname(path)}.elsewhere`;
  cpSync(path, elsewhere);
  rmSync(path);
  symlinkSync(elsewhere, path);
  return `${path} made a link to the same content`;
};

const replaceByFolder: Spoiling = (path) => {
  rmSync(path);
  mkdirSync(path);
  return `${path} made a folder`;
};

const add: Spoiling = (backup, random) => {
  const names = ['notes', 'catalogue.db-wal', 'photos/x.jpg', `photos/00/${'0'.repeat(32)}.jpg`];
  const name = names[Math.floor(random() * names.length)] ?? '';
  mkdirSync(dirname(join(backup, name)), { recursive: true });
  writeFileSync(join(backup, name), 'mine');
  return `${name} added`;
};

/** Ways to spoil a folder. */
export const FOLDER_SPOILINGS: readonly Spoiling[] = [
  ...[...FILE_SPOILINGS, remove, rename, replaceByLink, replaceByFolder].map(onOneFile),
  add,
];

const inSchema = (change: string): string =>
  `PRAGMA writable_schema = ON; UPDATE sqlite_master SET ${change}`;
const changed = (name: string, from: string, to: string): string =>
  inSchema(`sql = replace(sql, '${from}', '${to}') WHERE name = '${name}'`);

/** What somebody may put into a database, as SQL, and the object that a refusal names. */
export const FOREIGN_OBJECTS: readonly (readonly [sql: string, named: string])[] = [
  // Who signs up is an administrator; password hashes are answered as categories; a write never ends.
  [
    'CREATE TRIGGER crown AFTER INSERT ON users BEGIN UPDATE users SET is_admin = 1 WHERE id = new.id; END',
    'trigger "crown" was added',
  ],
  [
    `ALTER TABLE categories RENAME TO real_categories;
     CREATE VIEW categories AS SELECT id, password_hash AS name, email_key AS name_key, created_at, updated_at FROM users`,
    'table "real_categories" was added',
  ],
  [
    `CREATE TRIGGER endless AFTER INSERT ON restaurants BEGIN
       SELECT count(*) FROM (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n); END`,
    'trigger "endless" was added',
  ],
  [
    `CREATE TABLE copy AS SELECT * FROM schema_migrations; DROP TABLE schema_migrations;
     CREATE VIEW schema_migrations AS
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS version, '' AS name, '' AS checksum FROM n`,
    'table "copy" was added',
  ],
  ['CREATE TRIGGER later INSTEAD OF INSERT ON photo_files BEGIN SELECT 1; END', 'trigger "later" was added'],
  ['CREATE VIEW secrets AS SELECT * FROM sessions', 'view "secrets" was added'],
  ['CREATE TABLE notes (text TEXT)', 'table "notes" was added'],
  [
    'CREATE TABLE sessions2 (id INTEGER PRIMARY KEY, twice AS (id * 2)) WITHOUT ROWID',
    'table "sessions2" was added',
  ],
  ['CREATE INDEX mine ON restaurants (name)', 'index "mine" was added'],
  [
    'CREATE UNIQUE INDEX mine ON restaurants (lower(phone)) WHERE phone IS NOT NULL',
    'index "mine" was added',
  ],
  ['CREATE VIRTUAL TABLE words USING fts5 (text)', 'table "words" was added'],
  ['CREATE VIRTUAL TABLE boxes USING rtree (id, low, high)', 'table "boxes" was added'],
  ['CREATE TABLE "it\'s ""\u001b[31m\nok" (id)', String.raw`table "it's \"\u001b[31m\nok" was added`],
  [`CREATE TABLE "${'x'.repeat(100_000)}" (id)`, `table "${'x'.repeat(50)}`],
  ['DROP TRIGGER ratings_insert', 'trigger "ratings_insert" is missing'],
  ['DROP VIEW photo_files', 'view "photo_files" is missing'],
  ['DROP INDEX restaurants_by_place', 'index "restaurants_by_place" is missing'],
  ['DROP TABLE visits', 'table "visits" is missing'],
  ['DROP TABLE search_texts', 'table "search_texts" is missing'],
  [
    `DROP TRIGGER ratings_insert; CREATE TRIGGER ratings_insert AFTER INSERT ON ratings BEGIN SELECT 1; END`,
    'trigger "ratings_insert" was changed',
  ],
  [
    `DROP VIEW photo_files; CREATE VIEW photo_files AS SELECT password_hash AS filename FROM users`,
    'view "photo_files" was changed',
  ],
  [
    `DROP INDEX restaurants_by_place; CREATE INDEX restaurants_by_place ON restaurants (google_place_id)`,
    'index "restaurants_by_place" was changed',
  ],
  ['ALTER TABLE users ADD COLUMN role TEXT', 'table "users" was changed'],
  ['ALTER TABLE users ADD COLUMN twice INTEGER AS (id * 2)', 'table "users" was changed'],
  ['ALTER TABLE visits DROP COLUMN companions', 'table "visits" was changed'],
  [
    changed('users', 'DEFAULT 0 CHECK (is_admin IN (0, 1))', 'DEFAULT 1 CHECK (is_admin IN (0, 1))'),
    'table "users" was changed',
  ],
  [changed('users', 'CHECK (is_admin IN (0, 1))', ''), 'table "users" was changed'],
  [changed('users', 'email_key TEXT', 'email_key TEXT COLLATE NOCASE'), 'table "users" was changed'],
  [changed('users', 'CREATE TABLE', 'CREATE  TABLE'), 'table "users" was changed'],
  [changed('users', 'username', 'USERNAME'), 'table "users" was changed'],
  [changed('ratings_insert', 'AFTER', 'after'), 'trigger "ratings_insert" was changed'],
  // A table with the rows of another one, and one with those of the schema.
  [
    inSchema(
      `rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'users') WHERE name = 'categories'`,
    ),
    'table "users" was changed',
  ],
  [
    inSchema(
      `rootpage = '0' || (SELECT rootpage FROM sqlite_master WHERE name = 'users') WHERE name = 'categories'`,
    ),
    'table "users" was changed',
  ],
  [inSchema(`rootpage = 0 WHERE name = 'categories'`), 'table "categories" was changed'],
  [inSchema(`rootpage = 1 WHERE name = 'categories'`), 'malformed database schema (categories)'],
  // A table that hides the real schema, and looks like it.
  [
    `CREATE TABLE fake AS SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master;
     CREATE TRIGGER crown AFTER INSERT ON users BEGIN UPDATE users SET is_admin = 1 WHERE id = new.id; END;
     ${inSchema(`name = 'sqlite_schema', tbl_name = 'sqlite_schema', sql = 'CREATE TABLE sqlite_schema(type TEXT, name TEXT, tbl_name TEXT, rootpage INT, sql TEXT)' WHERE name = 'fake'`)}`,
    'malformed database schema (sqlite_schema)',
  ],
  [`ANALYZE; ${changed('sqlite_stat1', 'stat)', 'stat, more)')}`, 'table "sqlite_stat1" was changed'],
  // A version that it is not of.
  ['DELETE FROM schema_migrations WHERE version > 20', 'table "changes" was changed'],
];
