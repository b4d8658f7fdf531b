import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { PHOTO_FOLDER, PREFIXES, isPhotoName, photoPlace } from '../photos/files.ts';
import { createPhotoLedger } from '../photos/store.ts';
import { type Connection, databasePath, refuseHalfRestored } from '../storage/database.ts';
import { openForReading } from '../storage/reading.ts';
import { requireCurrent } from '../storage/migrations.ts';
import { findDamage } from '../storage/snapshot.ts';
import { type QueryFile, loadQueries } from '../storage/statements.ts';
import { counted } from './findings.ts';
import { entriesIn, shorten } from './lists.ts';

/** What was looked at and how it is. */
export interface Inspection {
  readonly subject: string;
  /** How much there is, or what there is to say about it. */
  readonly note: string;
  /** What is wrong; nothing when it is well. */
  readonly faults: readonly string[];
}

const RULES: readonly (readonly [string, string, string])[] = [
  ['rating sums', 'findWrongRatings', 'the sums of restaurant ID are not those of its ratings'],
  ['totals', 'findWrongTotals', 'the total of ID is not the number of its restaurants'],
  ['search by name', 'findWrongSearchNames', 'restaurant ID and its entry in the index do not go together'],
  ['search by text', 'findWrongSearchTexts', 'restaurant ID and its entry in the index do not go together'],
  ['search by place', 'findWrongLocations', 'restaurant ID and its entry in the index do not go together'],
  ['pending by name', 'findWrongPendingNames', 'suggestion ID and its entry in the index do not go together'],
  ['pending by text', 'findWrongPendingTexts', 'suggestion ID and its entry in the index do not go together'],
  [
    'pending by place',
    'findWrongPendingLocations',
    'suggestion ID and its entry in the index do not go together',
  ],
];

/**
 * Looks a data folder over, also while it is served: nothing is written. Each inspection comes when it is known. Throws a
 * StorageError when there is no database of this version to look at.
 */
export function* inspectData(dataFolder: string): Generator<Inspection, void, undefined> {
  refuseHalfRestored(dataFolder);
  const connection = openForReading(databasePath(dataFolder));
  try {
    const damage = findDamage(connection);
    yield { subject: 'database', note: 'integrity and references', faults: damage };
    // What it counts is worth nothing then.
    if (damage.length > 0) return;
    requireCurrent(connection, dataFolder);
    const queries = loadQueries(connection);
    const sql = queries.file('check');
    yield* checkRules(connection, sql);
    yield* checkPhotos(dataFolder, sql, queries.file('photos'));
  } finally {
    connection.close();
  }
}

/** All at one moment, so that a write in between does not look like a fault. */
function* checkRules(connection: Connection, sql: QueryFile): Generator<Inspection, void, undefined> {
  connection.exec('BEGIN');
  try {
    const count = (statement: string): number => sql.prepare<{ count: number }>(statement).get()?.count ?? 0;
    const restaurants = counted(count('countRestaurants'), 'restaurant');
    const pending = counted(count('countPending'), 'pending suggestion');
    for (const [subject, statement, sentence] of RULES) {
      const ids = sql.prepare<{ id: number | string }>(statement).all();
      const faults = ids.map(({ id }) => sentence.replace('ID', String(id)));
      const note = subject.startsWith('pending') ? pending : restaurants;
      yield { subject, note, faults: shorten(faults) };
    }
  } finally {
    connection.exec('COMMIT');
  }
}

function* checkPhotos(
  dataFolder: string,
  sql: QueryFile,
  photoSql: QueryFile,
): Generator<Inspection, void, undefined> {
  const list = sql.prepare<{ id: number; filename: string; file_size: number }>('listPhotoSizes');
  const faults: string[] = [];
  let count = 0;
  for (let after: string | undefined = ''; after !== undefined;) {
    const rows = list.all({ after });
    for (const { id, filename, file_size: size } of rows) {
      const fault = faultOf(join(dataFolder, photoPlace(filename)), size);
      if (fault !== undefined) faults.push(`photo ${id}: the file ${filename} ${fault}`);
    }
    count += rows.length;
    after = rows.at(-1)?.filename;
  }
  yield { subject: 'photos', note: counted(count, 'photo'), faults: shorten(faults) };
  const strangers = findStrangers(dataFolder, photoSql);
  const names = shorten(strangers).join(', ');
  const note = strangers.length === 0 ? 'none' : `${strangers.length}, which the service removes: ${names}`;
  yield { subject: 'files of no photo', note, faults: [] };
}

function faultOf(path: string, size: number): string | undefined {
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (!status) return 'is missing';
  if (!status.isFile()) return 'is not a regular file';
  return status.size === size ? undefined : `has ${counted(status.size, 'byte')} instead of ${size}`;
}

function findStrangers(dataFolder: string, photoSql: QueryFile): string[] {
  const ledger = createPhotoLedger(photoSql);
  return PREFIXES.flatMap((prefix) => {
    const entries = entriesIn(join(dataFolder, PHOTO_FOLDER, prefix));
    return ledger.strangersAmong(entries.map(({ name }) => name).filter(isPhotoName));
  });
}
