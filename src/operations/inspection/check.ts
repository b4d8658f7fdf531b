import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { PHOTO_FOLDER, PREFIXES, isPhotoName, photoPlace } from '../../catalogue/photos/files.ts';
import { PhotoLedger } from '../../catalogue/photos/store.ts';
import { type Connection, databasePath, openForReading, refuseHalfRestored } from '../../storage/database.ts';
import { requireCurrent } from '../../storage/migrations.ts';
import { findDamage } from '../../storage/snapshot.ts';
import { type Prepared, type QueryFile, Queries } from '../../storage/statements.ts';
import { entriesIn } from '../backup/dated.ts';
import { counted } from '../../kit/sentences.ts';
import { shorten } from './findings.ts';

/** The result of one check. */
export interface Inspection {
  readonly subject: string;
  /** A number of records, or a remark. */
  readonly note: string;
  /** Empty if nothing is wrong. */
  readonly faults: readonly string[];
}

type Inspections = Generator<Inspection, void, undefined>;

// Subject, noun of what `countRecords` counts, statement that finds the ids that break the rule, fault of an ID in words.
const RULES: readonly (readonly [string, string, string, string])[] = [
  ['rating sums', 'restaurant', 'findWrongRatings', 'the sums of restaurant ID are not those of its ratings'],
  ['search', 'searched place', 'findWrongSearch', 'place ID and its entry in the index do not go together'],
  ['changes', 'change', 'findWrongExistence', 'ID is there or gone, unlike after its newest change'],
  ['times of changes', 'change', 'findWrongTimes', 'the updated_at of ID is not that of its newest change'],
  ['trash', 'change', 'findWrongTrash', 'the ID and the deletion that it belongs to do not go together'],
  ['lists', 'list', 'findWrongLists', 'the ID and the restaurants that are there do not go together'],
  ['merges', 'merged restaurant', 'findWrongMerges', 'merged restaurant ID still has something, or is there'],
  ['visits', 'visit', 'findWrongVisits', 'visit ID and its restaurant do not go together'],
];

/**
 * Checks a data folder, which a server may be using, without writing to it. Yields each result as soon as it is known.
 * Throws a StorageError if there is no database of this version.
 */
export function* inspectData(dataFolder: string): Inspections {
  refuseHalfRestored(dataFolder);
  const connection = openForReading(databasePath(dataFolder));
  try {
    const damage = findDamage(connection);
    yield { subject: 'database', note: 'integrity and references', faults: damage };
    // The other checks mean nothing for a damaged database.
    if (damage.length > 0) return;
    requireCurrent(connection, dataFolder);
    const queries = new Queries(connection);
    const sql = queries.file('check');
    yield* checkRules(connection, sql);
    yield checkFiles('photos', dataFolder, sql.prepare<PhotoFile>('listPhotoSizes'));
    yield checkFiles('photos in the trash', dataFolder, sql.prepare<PhotoFile>('listTrashSizes'));
    const ledger = new PhotoLedger(queries.file('photos'));
    const strangers = PREFIXES.flatMap((prefix) => {
      const entries = entriesIn(join(dataFolder, PHOTO_FOLDER, prefix));
      return ledger.unreferenced(entries.map(({ name }) => name).filter(isPhotoName));
    });
    const removed = `${strangers.length}, which the service removes: ${shorten(strangers).join(', ')}`;
    yield { subject: 'files of no photo', note: strangers.length === 0 ? 'none' : removed, faults: [] };
  } finally {
    connection.close();
  }
}

/** Reads one snapshot, so that a write in between does not look like a fault. */
function* checkRules(connection: Connection, sql: QueryFile): Inspections {
  connection.exec('BEGIN');
  try {
    const counts = new Map(sql.prepare<[string, number]>('countRecords').raw().all());
    for (const [subject, noun, statement, sentence] of RULES) {
      const ids = sql.prepare<number | string>(statement).pluck().all();
      const faults = shorten(ids.map((id) => sentence.replace('ID', String(id))));
      yield { subject, note: counted(counts.get(noun) ?? 0, noun), faults };
    }
  } finally {
    connection.exec('COMMIT');
  }
}

interface PhotoFile {
  /** Absent if the photo is deleted. */
  readonly id?: number;
  readonly filename: string;
  readonly file_size: number;
}

function checkFiles(subject: string, dataFolder: string, list: Prepared<PhotoFile>): Inspection {
  const faults: string[] = [];
  let count = 0;
  for (const { id, filename, file_size: size } of list.iterate()) {
    count += 1;
    const fault = faultOf(join(dataFolder, photoPlace(filename)), size);
    const noun = id === undefined ? 'a deleted photo' : `photo ${id}`;
    if (fault !== undefined) faults.push(`${noun}: the file ${filename} ${fault}`);
  }
  return { subject, note: counted(count, 'photo file'), faults: shorten(faults) };
}

function faultOf(path: string, size: number): string | undefined {
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (!status) return 'is missing';
  if (!status.isFile()) return 'is not a regular file';
  return status.size === size ? undefined : `has ${counted(status.size, 'byte')} instead of ${size}`;
}
