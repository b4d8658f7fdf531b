import Database from 'better-sqlite3';
import { type Connection, StorageError } from './database.ts';
import { migrate } from './migrations.ts';
import { dropRowLog } from './row-log.ts';
import { loadQueries } from './statements.ts';

/** How far a replica has come: a change of its primary's log of rows. */
export interface FollowedPlace {
  readonly epoch: string;
  readonly seq: number;
}

interface Trigger {
  readonly name: string;
  readonly sql: string;
}

/**
 * Makes a snapshot of a primary the database of a replica: it has a place in the log of its primary, and no triggers, since
 * rows arrive as they are there. Throws a StorageError when the snapshot was taken of no primary.
 */
export function makeCopy(connection: Connection): void {
  const sql = loadQueries(connection).file('replication');
  const make = connection.transaction(() => {
    if (sql.prepare('findRowLog').get() === undefined)
      throw new StorageError('the snapshot is of no primary that can be followed');
    const place = sql.prepare<FollowedPlace>('getEpoch').get();
    if (!place) throw new StorageError('the snapshot has no place in the log of its primary');
    dropRowLog(connection);
    for (const { name } of sql.prepare<Trigger>('listTriggers').all())
      connection.exec(`DROP TRIGGER ${name}`);
    connection.exec(sql.fragment('createPlace'));
    sql.prepare('insertPlace').run({ ...place });
  });
  make.immediate();
}

/** Makes the database of a replica that of a primary: with the triggers that a new database has, and without a place. */
export function makeOriginal(connection: Connection): void {
  const fresh = new Database(':memory:');
  try {
    migrate(fresh);
    const triggers = loadQueries(fresh).file('replication').prepare<Trigger>('listTriggers').all();
    const make = connection.transaction(() => {
      for (const { sql } of triggers) connection.exec(sql);
      connection.exec(loadQueries(connection).file('replication').fragment('dropPlace'));
    });
    make.immediate();
  } finally {
    fresh.close();
  }
}
