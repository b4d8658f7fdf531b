import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { PHOTO_FOLDER, PREFIXES, isPhotoName, photoPlace } from '../../catalogue/photos/files.ts';
import { PhotoLedger } from '../../catalogue/photos/store.ts';
import { type Connection, databasePath, refuseHalfRestored } from '../../storage/database.ts';
import { openForReading } from '../../storage/reading.ts';
import { requireCurrent } from '../../storage/migrations.ts';
import { findDamage } from '../../storage/snapshot.ts';
import { type Prepared, type QueryFile, loadQueries } from '../../storage/statements.ts';
import { entriesIn } from '../backup/dated.ts';
import { counted, shorten } from './findings.ts';

/** The result of one check. */
export interface Inspection {
  readonly subject: string;
  /** How much there is, or a remark on it. */
  readonly note: string;
  /** Empty when all is well. */
  readonly faults: readonly string[];
}

type Inspections = Generator<Inspection, void, undefined>;

interface RuleGroup {
  /** How many records of what noun its rules are about. */
  readonly count: string;
  readonly noun: string;
  /** Subject, statement that finds what breaks it, and the sentence for each of that by its id. */
  readonly rules: readonly (readonly [string, string, string])[];
}

const RULES: readonly RuleGroup[] = [
  {
    count: 'countRestaurants',
    noun: 'restaurant',
    rules: [['rating sums', 'findWrongRatings', 'the sums of restaurant ID are not those of its ratings']],
  },
  {
    count: 'countSearched',
    noun: 'searched place',
    rules: [['search', 'findWrongSearch', 'place ID and its entry in the index do not go together']],
  },
  {
    count: 'countChanges',
    noun: 'change',
    rules: [
      ['changes', 'findWrongExistence', 'ID is there or gone, unlike after its newest change'],
      ['times of changes', 'findWrongTimes', 'the updated_at of ID is not that of its newest change'],
      ['trash', 'findWrongTrash', 'the ID and the deletion that it belongs to do not go together'],
    ],
  },
  {
    count: 'countLists',
    noun: 'list',
    rules: [['lists', 'findWrongLists', 'the ID and the restaurants that are there do not go together']],
  },
  {
    count: 'countVisits',
    noun: 'visit',
    rules: [['visits', 'findWrongVisits', 'visit ID and its restaurant do not go together']],
  },
];

/**
 * Checks a data folder, also while it is served: nothing is written. Each result comes when it is known. Throws a
 * StorageError when there is no database of this version to check.
 */
export function* inspectData(dataFolder: string): Inspections {
  refuseHalfRestored(dataFolder);
  const connection = openForReading(databasePath(dataFolder));
  try {
    const damage = findDamage(connection);
    yield { subject: 'database', note: 'integrity and references', faults: damage };
    // Its counts are worth nothing then.
    if (damage.length > 0) return;
    requireCurrent(connection, dataFolder);
    const queries = loadQueries(connection);
    const sql = queries.file('check');
    yield* checkRules(connection, sql);
    yield checkFiles('photos', dataFolder, sql.prepare<PhotoFile>('listPhotoSizes'));
    yield checkFiles('photos in the trash', dataFolder, sql.prepare<PhotoFile>('listTrashSizes'));
    yield checkStrangers(dataFolder, queries.file('photos'));
  } finally {
    connection.close();
  }
}

/** All at one moment, so that a write in between does not look like a fault. */
function* checkRules(connection: Connection, sql: QueryFile): Inspections {
  connection.exec('BEGIN');
  try {
    const count = (statement: string): number => sql.prepare<{ count: number }>(statement).get()?.count ?? 0;
    for (const group of RULES) {
      const note = counted(count(group.count), group.noun);
      for (const [subject, statement, sentence] of group.rules) {
        const ids = sql.prepare<{ id: number | string }>(statement).all();
        const faults = ids.map(({ id }) => sentence.replace('ID', String(id)));
        yield { subject, note, faults: shorten(faults) };
      }
    }
  } finally {
    connection.exec('COMMIT');
  }
}

interface PhotoFile {
  /** Absent where the photo is deleted. */
  readonly id?: number;
  readonly filename: string;
  readonly file_size: number;
}

function checkFiles(subject: string, dataFolder: string, list: Prepared<PhotoFile>): Inspection {
  const faults: string[] = [];
  let count = 0;
  for (let after: string | undefined = ''; after !== undefined;) {
    const rows = list.all({ after });
    for (const { id, filename, file_size: size } of rows) {
      const fault = faultOf(join(dataFolder, photoPlace(filename)), size);
      const noun = id === undefined ? 'a deleted photo' : `photo ${id}`;
      if (fault !== undefined) faults.push(`${noun}: the file ${filename} ${fault}`);
    }
    count += rows.length;
    after = rows.at(-1)?.filename;
  }
  return { subject, note: counted(count, 'photo file'), faults: shorten(faults) };
}

function faultOf(path: string, size: number): string | undefined {
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (!status) return 'is missing';
  if (!status.isFile()) return 'is not a regular file';
  return status.size === size ? undefined : `has ${counted(status.size, 'byte')} instead of ${size}`;
}

function checkStrangers(dataFolder: string, photoSql: QueryFile): Inspection {
  const ledger = new PhotoLedger(photoSql);
  const strangers = PREFIXES.flatMap((prefix) => {
    const entries = entriesIn(join(dataFolder, PHOTO_FOLDER, prefix));
    return ledger.unreferenced(entries.map(({ name }) => name).filter(isPhotoName));
  });
  const names = shorten(strangers).join(', ');
  const note = strangers.length === 0 ? 'none' : `${strangers.length}, which the service removes: ${names}`;
  return { subject: 'files of no photo', note, faults: [] };
}
