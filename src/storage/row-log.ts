import { randomBytes } from 'node:crypto';
import type { Connection } from './database.ts';
import { type QueryFile, loadQueries } from './statements.ts';

// The statements here are put together, unlike those in sql/: there is one for each table, and a table that a later migration
// adds must be followed without anyone thinking of it.

/** A table whose rows a replica follows. */
export interface FollowedTable {
  readonly name: string;
  /** All that is stored of a row, in order. */
  readonly columns: readonly string[];
  /** Statements that read the row of a key, `:key`, remove it, and store one by the values of its columns. */
  readonly select: string;
  readonly remove: string;
  readonly put: string;
  /** The text by which the row `new` or `old` of a trigger is known. */
  readonly keyOf: (row: 'new' | 'old') => string;
}

interface Column {
  readonly name: string;
  readonly type: string;
  /** Its place in the primary key; 0 where it is no part of it. */
  readonly pk: number;
  /** More than 1 where it is generated. */
  readonly hidden: number;
}

const OWN = 'followed_';

/** The tables that hold what people and programs have stored, in order of their names. */
export function followedTables(connection: Connection): readonly FollowedTable[] {
  const tables = connection
    .prepare<[], { name: string; wr: number }>(
      `SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'
       AND name NOT IN ('schema_migrations', 'following') AND name NOT LIKE '${OWN}%' ORDER BY name`,
    )
    .all();
  const list = connection.prepare<[string], Column>(
    'SELECT name, type, pk, hidden FROM pragma_table_xinfo(?)',
  );
  return tables.map(({ name, wr }) => tableOf(name, wr === 1, list.all(name)));
}

function tableOf(name: string, isWithoutRowid: boolean, all: readonly Column[]): FollowedTable {
  const stored = all.filter(({ hidden }) => hidden < 2);
  const primary = stored.filter(({ pk }) => pk > 0).sort((left, right) => left.pk - right.pk);
  const isAlias = primary.length === 1 && primary[0]?.type === 'INTEGER';
  const rowid: Column = { name: 'rowid', type: 'INTEGER', pk: 1, hidden: 0 };
  const key = isWithoutRowid || isAlias ? primary : [rowid];
  const columns = (isWithoutRowid || isAlias ? stored : [rowid, ...stored]).map((column) => column.name);
  // JSON has no bytes.
  const parts = key.map(({ type }, index) =>
    type === 'BLOB' ? `unhex(:key ->> ${index})` : `:key ->> ${index}`,
  );
  const where = key.map((column, index) => `${column.name} = ${parts[index] ?? ''}`).join(' AND ');
  const fields = columns.join(', ');
  return {
    name,
    columns,
    select: `SELECT ${fields} FROM ${name} WHERE ${where}`,
    remove: `DELETE FROM ${name} WHERE ${where}`,
    // A row that still has a unique value of this one has another by now, and comes later in the same transaction.
    put: `INSERT OR REPLACE INTO ${name} (${fields}) VALUES (${columns.map(() => '?').join(', ')})`,
    keyOf: (row) => {
      const values = key.map((column) =>
        column.type === 'BLOB' ? `hex(${row}.${column.name})` : `${row}.${column.name}`,
      );
      return `json_array(${values.join(', ')})`;
    },
  };
}

/**
 * Has the database note from now on which rows are changed, whoever changes them, and begins an epoch of that: where the
 * log goes on from is noted, so that the place of a replica that comes from another past is known to be none of this one.
 */
export function startRowLog(connection: Connection): void {
  const sql = loadQueries(connection).file('replication');
  const start = connection.transaction(() => {
    dropTriggers(connection);
    connection.exec(sql.fragment('createRowLog'));
    for (const table of followedTables(connection))
      for (const text of triggersOf(table)) connection.exec(text);
    sql.prepare('beginEpoch').run({ epoch: randomBytes(12).toString('base64url') });
    sql.prepare('forgetEpochs').run();
  });
  start.immediate();
}

/** Ends that; no replica can go on from here. Nothing happens where there is none. */
export function dropRowLog(connection: Connection): void {
  const drop = connection.transaction(() => {
    if (!hasRowLog(connection)) return;
    dropTriggers(connection);
    connection.exec(replicationSql(connection).fragment('dropRowLog'));
  });
  drop.immediate();
}

function hasRowLog(connection: Connection): boolean {
  return replicationSql(connection).prepare('findRowLog').get() !== undefined;
}

function replicationSql(connection: Connection): QueryFile {
  return loadQueries(connection).file('replication');
}

function dropTriggers(connection: Connection): void {
  const list = replicationSql(connection).prepare<string>('listRowLogTriggers').pluck();
  for (const name of list.all()) connection.exec(`DROP TRIGGER ${name}`);
}

/** The entry is removed and made anew, so that the log has each row once, at its newest change. */
function* triggersOf({ name, keyOf }: FollowedTable): Generator<string> {
  const note = (row: 'new' | 'old', condition = ''): string => {
    const key = keyOf(row);
    // Not INSERT OR REPLACE: the conflict clause of the statement that fired the trigger would take its place.
    return `DELETE FROM followed_rows WHERE name = '${name}' AND key = ${key}${condition && ` AND ${condition}`};
      INSERT INTO followed_rows (name, key) SELECT '${name}', ${key}${condition && ` WHERE ${condition}`};`;
  };
  const [before, after] = [keyOf('old'), keyOf('new')];
  yield `CREATE TRIGGER ${OWN}insert_${name} AFTER INSERT ON ${name} BEGIN ${note('new')} END`;
  yield `CREATE TRIGGER ${OWN}delete_${name} AFTER DELETE ON ${name} BEGIN ${note('old')} END`;
  yield `CREATE TRIGGER ${OWN}update_${name} AFTER UPDATE ON ${name} BEGIN
    ${note('old', `${before} <> ${after}`)} ${note('new')} END`;
}
