import { type Stats, accessSync, constants, statSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { counted } from '../../kit/sentences.ts';
import { reasonOf } from '../../kit/system-error.ts';
import { type Connection, StorageError, databasePath, openForReading } from '../../storage/database.ts';
import { isServed } from '../../storage/folder.ts';
import { migrationState } from '../../storage/migrations.ts';
import { Queries } from '../../storage/statements.ts';
import { checkPrivate } from './files.ts';
import { type Finding, type Findings, fault, note, good, risk, sizeText } from './findings.ts';

const MB = 1_000_000;
const NEARLY_FULL = 0.05;
const LARGE_LOG = 256 * MB;

/** What the next start does with a database of an older version: it upgrades it, or refuses it as a server or a replica. */
export type OlderDatabase = 'upgraded' | 'refused' | 'refused by replica';

/** Checks a data folder, which a server may be using, and its database without changing anything. */
export function* checkData(folder: string, now: Date, older: OlderDatabase): Findings {
  let stats: Stats | undefined;
  try {
    stats = statSync(folder, { throwIfNoEntry: false });
  } catch (error) {
    yield fault(`DATA_DIR ${folder} cannot be used: ${reasonOf(error)}; set another one`);
    return;
  }
  if (!stats)
    yield note(`DATA_DIR ${folder} is not there yet: the first start makes it, unless it stands elsewhere`);
  else if (!stats.isDirectory()) yield fault(`DATA_DIR ${folder} is not a folder; set another one`);
  else {
    yield checkOwner(folder, stats.uid);
    yield* checkPrivate(folder, 'DATA_DIR');
    yield* checkPrivate(databasePath(folder), 'the database');
    yield* checkPrivate(join(folder, 'photos'), 'the folder of photos');
    yield checkDisk(folder);
    const served = isServed(folder);
    if (served === undefined) yield note(`it is unknown whether a server is running on ${folder}`);
    else yield good(served ? `a server is running on ${folder}` : `no server is running on ${folder}`);
    yield* checkDatabase(folder, now, older);
  }
}

function checkOwner(folder: string, owner: number): Finding {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return fault(`DATA_DIR ${folder} cannot be written by this user; make the user of the service its owner`);
  }
  const user = process.getuid?.();
  if (user === undefined || user === owner) return good(`DATA_DIR is ${folder}`);
  const why = 'files that it makes may be closed to the service';
  return note(`DATA_DIR ${folder} is of user ${owner}, and this command runs as user ${user}: ${why}`);
}

function checkDisk(folder: string): Finding {
  const { bavail, blocks, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const text = `${sizeText(free)} of ${sizeText(blocks * bsize)} are free on the disk of DATA_DIR`;
  if (free < 10 * MB) return fault(`${text}: writes are refused; free some space`);
  if (free < 1000 * MB || free < blocks * bsize * NEARLY_FULL) return risk(`${text}: make room`);
  return good(text);
}

function* checkDatabase(folder: string, now: Date, older: OlderDatabase): Findings {
  const path = databasePath(folder);
  const sizes = [path, `${path}-wal`].map((file) => statSync(file, { throwIfNoEntry: false })?.size);
  const [main, log = 0] = sizes;
  if (main === undefined) {
    yield note(`there is no database in ${folder} yet: the first start makes it`);
    return;
  }
  let connection: Connection | undefined;
  try {
    connection = openForReading(path);
    const size = `the database has ${sizeText(main)}, its log ${sizeText(log)}`;
    // All read before the first is reported: the size of an unreadable database does not matter.
    const records = [...checkRecords(connection, now, older)];
    yield log > LARGE_LOG ? note(`${size}; a restart of the service empties the log`) : good(size);
    yield* records;
  } catch (error) {
    const reason = reasonOf(error);
    yield fault(
      error instanceof StorageError ? reason : `the database in ${folder} cannot be read: ${reason}`,
    );
  } finally {
    connection?.close();
  }
}

function* checkRecords(connection: Connection, now: Date, older: OlderDatabase): Findings {
  const { version, pending } = migrationState(connection);
  if (pending.length > 0) {
    const text = `the database is from an older version (${pending.join(', ')})`;
    if (older === 'upgraded')
      yield note(`${text}; the next start makes a backup in DATA_DIR, verifies it and upgrades the database`);
    else if (older === 'refused')
      yield fault(`${text}, and MIGRATE is manual; back it up, then run: catalogue migrate`);
    else yield fault(`${text}; bring the primary up to this version first`);
    return;
  }
  const queries = new Queries(connection);
  const [doctor, metrics] = [queries.file('doctor'), queries.file('metrics')];
  yield good(`the database is up to date (migration ${version})`);
  const none = { photos: 0, bytes: 0, changes: 0, since: null };
  const photos = doctor.prepare<{ photos: number; bytes: number }>('sumPhotos').get() ?? none;
  yield good(`${counted(photos.photos, 'photo')}, ${sizeText(photos.bytes)}`);
  const trash = metrics.prepare<{ photos: number; bytes: number }>('sumTrash').get() ?? none;
  yield good(`${counted(trash.photos, 'photo file')} in the trash, ${sizeText(trash.bytes)}`);
  const { changes, since } =
    metrics.prepare<{ changes: number; since: string | null }>('describeChanges').get() ?? none;
  const bytes = doctor.prepare<number>('sizeOfChanges').pluck().get() ?? 0;
  yield good(`${counted(changes, 'change')}${since === null ? '' : ` since ${since}`}, ${sizeText(bytes)}`);
  const newest = doctor.prepare<string>('newestRecord').pluck().get() ?? '';
  if (newest > now.toISOString())
    yield risk(`the newest record is of ${newest}, which the clock has not reached; set the clock right`);
}
