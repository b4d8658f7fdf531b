import type { Connection } from '../storage/database.ts';
import type { FollowedPlace } from '../storage/copy.ts';
import { followedTables } from '../storage/row-log.ts';
import { type QueryFile, loadQueries } from '../storage/statements.ts';
import { type Value, encodeValue } from './values.ts';

/** The rows that were changed, read on a connection of its own. */
export interface ChangedRows {
  /** Why a replica whose database is of this version cannot use this one; undefined where it can. */
  readonly schemaObstacle: (version: number) => string | undefined;
  /** Why a replica cannot go on from a place; undefined where it can. */
  readonly obstacle: (place: FollowedPlace) => string | undefined;
  /** Another number after each commit of any process. */
  readonly version: () => number;
  /** The lines of the next rows behind a change, and the last one of them. */
  readonly read: (seq: number) => Slice;
}

/** A part of what was changed, as it is at one moment. */
interface Slice {
  readonly lines: string;
  readonly seq: number;
  /** Whether it reaches the end of the log: with it a replica is what the primary was at that moment. */
  readonly isCut: boolean;
}

interface Entry {
  readonly seq: number;
  readonly name: string;
  readonly key: string;
}

// Some milliseconds.
const MOST_ROWS = 200;
const MOST_CHARACTERS = 1_000_000;

/**
 * Opens replication.sql on a connection that reads alone. A slice is read in one transaction and the next in another, so
 * that no slow replica holds the write-ahead log up. A row that is changed in between moves to the end of the log; so what was
 * sent before the end is reached is, once that is reached, a consistent whole.
 */
export function openChangedRows(connection: Connection): ChangedRows {
  const sql = loadQueries(connection).file('replication');
  const getEpoch = sql.prepare<FollowedPlace>('getEpoch');
  const list = sql.prepare<Entry>('listChangedRows');
  const readRow = createRowReader(connection);
  const version = loadQueries(connection).file('storage').prepare<number>('dataVersion').pluck();
  const sequences = sql.prepare('listSequences');

  function readSlice(after: number): Slice {
    const entries = list.all({ seq: after, limit: MOST_ROWS });
    const lines: string[] = [];
    let seq = after;
    for (let size = 0; size < MOST_CHARACTERS && lines.length < entries.length;) {
      const entry = entries[lines.length];
      if (!entry) break;
      const line = JSON.stringify([entry.name, entry.key, readRow(entry)]);
      lines.push(line);
      size += line.length;
      seq = entry.seq;
    }
    const isCut = lines.length === entries.length && entries.length < MOST_ROWS;
    if (isCut) lines.push(JSON.stringify({ ...getEpoch.get(), seq, sequences: sequences.all() }));
    return { lines: `${lines.join('\n')}\n`, seq, isCut };
  }

  return {
    version: () => version.get() ?? 0,
    read: connection.transaction(readSlice),
    ...createObstacleFinders(sql),
  };
}

function createObstacleFinders(sql: QueryFile): Pick<ChangedRows, 'obstacle' | 'schemaObstacle'> {
  const getEnd = sql.prepare<{ seq: number }>('getEndOfEpoch');
  const getSchema = sql.prepare<{ version: number }>('getSchemaVersion');
  return {
    schemaObstacle: (version) => {
      const own = getSchema.get()?.version ?? 0;
      if (version === own) return undefined;
      return `the database of the primary has version ${own}, not ${version}; bring both to the same version of the service`;
    },
    obstacle: ({ epoch, seq }) => {
      const end = getEnd.get({ epoch });
      if (!end) return 'the primary has begun another log';
      return seq > end.seq ? 'the primary has gone back behind this place' : undefined;
    },
  };
}

/** Makes a function that reads a row as it is now; null where it is gone. */
function createRowReader(connection: Connection): (entry: Entry) => readonly Value[] | null {
  const statements = new Map(
    followedTables(connection).map(({ name, select }) => [
      name,
      connection.prepare<[{ key: string }], unknown[]>(select).raw().safeIntegers(),
    ]),
  );
  return ({ name, key }) => statements.get(name)?.get({ key })?.map(encodeValue) ?? null;
}
