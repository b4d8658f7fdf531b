import type { Connection } from '../storage/database.ts';
import type { FollowedPlace } from '../storage/copy.ts';
import { followedTables } from '../storage/row-log.ts';
import { type QueryFile, loadQueries } from '../storage/statements.ts';
import { type PhotoNames, createPhotoNames } from './photo-names.ts';
import { decodeValue } from './values.ts';

/** Applies lines of changed rows to the database of a replica. */
export interface Applier {
  readonly place: () => FollowedPlace;
  /** Applies a line of a row, within a transaction that begins with it. Throws for what is no such line. */
  readonly apply: (line: string) => Cut | undefined;
  /** Undoes what was applied since the last cut. */
  readonly undo: () => void;
}

/** The end of what was changed up to a moment: now the replica may be what the primary was then. */
export interface Cut {
  /** Whether any row was changed since the last one. */
  readonly hasRows: boolean;
  /** The files of photos that the rows name, and those that they no longer do. */
  readonly photos: PhotoNames;
  /** Makes it so: all of it is on the disk when this returns. */
  readonly commit: () => void;
}

// The tables whose rows are searched, or are part of what is; the first column of their keys is the id of the document.
const SEARCHED = new Set(['restaurants', 'restaurant_food_types', 'suggestions', 'suggestion_food_types']);

/** Opens replication.sql on the writing connection of a replica, whose database has no triggers. */
export function createApplier(connection: Connection): Applier {
  // Rows come in the order in which they were changed, not in that of their references.
  connection.pragma('foreign_keys = OFF');
  const sql = loadQueries(connection).file('replication');
  const getPlace = sql.prepare<FollowedPlace>('getPlace');
  const finish = createFinish(sql);
  const write = createWriter(connection);
  const documents = new Set<number>();
  const photos = createPhotoNames();

  function applyRow(name: string, key: string, values: unknown): void {
    if (!connection.inTransaction) connection.exec('BEGIN IMMEDIATE');
    const row = Array.isArray(values) ? values.map(decodeValue) : undefined;
    const columns = write(name, key, row);
    if (SEARCHED.has(name)) documents.add(firstOf(key));
    photos.note(name, key, columns, row);
  }

  function endOf(line: unknown): Cut {
    const hasRows = connection.inTransaction;
    return {
      hasRows,
      photos: photos.take(),
      commit: () => {
        if (!hasRows && !isNewPlace(getPlace.get(), line)) return;
        if (!hasRows) connection.exec('BEGIN IMMEDIATE');
        finish(documents, line);
        documents.clear();
        connection.exec('COMMIT');
      },
    };
  }

  return {
    place: () => {
      const place = getPlace.get();
      if (!place) throw new Error('the replica has no place in the log of its primary');
      return place;
    },
    apply: (text) => {
      const line: unknown = JSON.parse(text);
      if (!Array.isArray(line)) return endOf(line);
      const row: readonly unknown[] = line;
      applyRow(String(row[0]), String(row[1]), row[2]);
      return undefined;
    },
    undo: () => {
      documents.clear();
      photos.take();
      if (connection.inTransaction) connection.exec('ROLLBACK');
    },
  };
}

/** The number that a key begins with. */
function firstOf(key: string): number {
  const parts: unknown = JSON.parse(key);
  return Array.isArray(parts) ? Number(parts[0]) : NaN;
}

type Row = readonly (null | string | number | bigint | Buffer)[] | undefined;

/** Makes a function that stores a row, or removes it, and returns the names of its columns. */
function createWriter(connection: Connection): (name: string, key: string, row: Row) => readonly string[] {
  const tables = new Map(
    followedTables(connection).map(({ name, columns, put, remove }) => [
      name,
      { columns, put: connection.prepare(put), remove: connection.prepare(remove) },
    ]),
  );
  return (name, key, row) => {
    const table = tables.get(name);
    if (!table) throw new Error(`the primary has sent a row of ${name}, which is unknown here`);
    if (row) table.put.run(...row);
    else table.remove.run({ key });
    return table.columns;
  };
}

function isNewPlace(place: FollowedPlace | undefined, line: unknown): boolean {
  const { epoch, seq } = endLine(line);
  return place?.epoch !== epoch || place.seq !== seq;
}

/** Makes the function that does the rest of a transaction. */
function createFinish(sql: QueryFile): (documents: ReadonlySet<number>, line: unknown) => void {
  const [remove, insert] = [sql.prepare('removeDocument'), sql.prepare('insertDocument')];
  const [setSequence, insertSequence] = [sql.prepare('setSequence'), sql.prepare('insertSequence')];
  const setPlace = sql.prepare('setPlace');
  return (documents, line) => {
    for (const id of documents) {
      remove.run({ id });
      insert.run({ id });
    }
    const { epoch, seq, sequences } = endLine(line);
    // Ids of rows that came and went in between must not be given again after a promotion.
    for (const sequence of sequences)
      if (setSequence.run(sequence).changes === 0) insertSequence.run(sequence);
    setPlace.run({ epoch, seq });
  };
}

interface EndLine extends FollowedPlace {
  readonly sequences: readonly { readonly name: string; readonly seq: number }[];
}

function endLine(line: unknown): EndLine {
  if (typeof line !== 'object' || line === null || !('epoch' in line && 'seq' in line && 'sequences' in line))
    throw new TypeError('the primary has sent a line that is none');
  const { epoch, seq, sequences } = line;
  const named = Array.isArray(sequences) ? sequences : [];
  return {
    epoch: String(epoch),
    seq: Number(seq),
    sequences: named.map((one: { name?: unknown; seq?: unknown }) => ({
      name: String(one.name),
      seq: Number(one.seq),
    })),
  };
}
