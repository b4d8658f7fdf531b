import { chmodSync, lstatSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PHOTO_FOLDER, isPhotoName, photoPlace } from '../../catalogue/photos/files.ts';
import { StorageError } from '../../storage/database.ts';
import { openForReading } from '../../storage/reading.ts';
import { storageFailure } from '../../storage/failures.ts';
import { takeSnapshot } from '../../storage/snapshot.ts';
import { loadQueries } from '../../storage/statements.ts';
import { syncPath } from '../../storage/folder.ts';
import { reasonOf } from '../../kit/system-error.ts';
import { type Contents, hashChunks, readContents } from './contents.ts';
import { TAR_ENDING, partialPrefix } from './dated.ts';
import { type Pace, createPace, linkOrCopy, readFile, writeFile } from './files.ts';
import { BACKUP_FILES, type Manifest, formatManifest, formatSum } from './manifest.ts';
import { TAR_END, tarHeader, tarPadding } from './tar.ts';
import { listPhotoFiles, verifyDatabase } from './verify.ts';

export interface BackupOptions {
  readonly dataFolder: string;
  /** A path that does not exist, in a folder that does. One that ends in `.tar` becomes one file. */
  readonly target: string;
  readonly version: string;
  /** Calls the backup off; nothing of it is left then. */
  readonly signal: AbortSignal;
}

/**
 * Backs a data folder up, also while it is served: the database as it is at one moment, and the photos of that moment.
 * It is put together next to the target, read back, verified and only then given its name. Rejects with a StorageError
 * when something is in the way, and with the reason of `signal`; resolves to what the backup says of itself.
 */
export async function makeBackup(options: BackupOptions): Promise<Manifest> {
  const { target, signal } = options;
  const partial = makePartial(target);
  const pace = createPace(signal);
  try {
    const contents = await assemble(options, partial, pace);
    const made = target.endsWith(TAR_ENDING) ? await pack(partial, contents, pace) : partial;
    signal.throwIfAborted();
    publish(made, target);
    return contents.manifest;
  } catch (error) {
    throw storageFailure(error) === 'full' ? noRoom(target) : error;
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

function makePartial(target: string): string {
  refuseExisting(target);
  try {
    return mkdtempSync(partialPrefix(target));
  } catch (error) {
    if (storageFailure(error) === 'full') throw noRoom(target);
    throw new StorageError(`cannot write a backup in ${dirname(target)}: ${reasonOf(error)}`);
  }
}

function noRoom(target: string): StorageError {
  return new StorageError(`there is no space left for a backup in ${dirname(target)}`);
}

async function assemble({ dataFolder, version }: BackupOptions, partial: string, pace: Pace) {
  const createdAt = new Date().toISOString();
  const database = join(partial, BACKUP_FILES.database);
  await takeSnapshot(dataFolder, database);
  const { names, missing } = await copyPhotos(dataFolder, partial, database, pace);
  const manifest: Manifest = { version, createdAt, photos: names.length, missing };
  const text = Buffer.from(formatManifest(manifest));
  await writeFile(join(partial, BACKUP_FILES.manifest), [text]);
  const files = [BACKUP_FILES.manifest, BACKUP_FILES.database, ...names.map(photoPlace)];
  await writeFile(join(partial, BACKUP_FILES.sums), sumLines(partial, files, pace));
  syncPath(partial);
  const contents = await readContents(partial, pace);
  verifyDatabase(database, contents);
  return contents;
}

/** Right after the snapshot: the files of photos that are deleted from now on stay for a quarter of an hour. */
async function copyPhotos(dataFolder: string, partial: string, database: string, pace: Pace) {
  const names: string[] = [];
  const missing: string[] = [];
  const connection = openForReading(database);
  try {
    for (const filename of listPhotoFiles(loadQueries(connection).file('backup'))) {
      if (!isPhotoName(filename))
        throw new StorageError(`the database knows a photo by a name that no photo has: ${filename}`);
      const place = photoPlace(filename);
      const isThere = await linkOrCopy(join(dataFolder, place), join(partial, place), pace);
      (isThere ? names : missing).push(filename);
    }
  } finally {
    connection.close();
  }
  const folders = new Set(names.map((name) => dirname(photoPlace(name))));
  if (names.length > 0) folders.add(PHOTO_FOLDER);
  for (const folder of folders) syncPath(join(partial, folder));
  return { names, missing };
}

async function* sumLines(folder: string, names: readonly string[], pace: Pace) {
  for (const name of names)
    yield Buffer.from(formatSum(await hashChunks(readFile(join(folder, name), pace)), name));
}

/** Makes one file of a folder that was verified, and reads it back. */
async function pack(folder: string, { sums, manifest }: Contents, pace: Pace): Promise<string> {
  const archive = join(folder, 'archive');
  const names = [BACKUP_FILES.sums, ...sums.keys()];
  await writeFile(archive, archiveOf(folder, names, new Date(manifest.createdAt), pace));
  await readContents(archive, pace);
  return archive;
}

async function* archiveOf(folder: string, names: readonly string[], modifiedAt: Date, pace: Pace) {
  for (const name of names) {
    const path = join(folder, name);
    const { size } = lstatSync(path);
    yield tarHeader(name, size, modifiedAt);
    yield* readFile(path, pace);
    yield tarPadding(size);
  }
  yield TAR_END;
}

function refuseExisting(target: string): void {
  if (lstatSync(target, { throwIfNoEntry: false }) !== undefined)
    throw new StorageError(`${target} is there already; a backup never writes over anything`);
}

function publish(partial: string, target: string): void {
  refuseExisting(target);
  chmodSync(partial, lstatSync(partial).isDirectory() ? 0o700 : 0o600);
  renameSync(partial, target);
  syncPath(dirname(target));
}
