import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PHOTO_FOLDER, isPhotoName, photoPlace } from '../../catalogue/photos/files.ts';
import { together } from '../../kit/files.ts';
import { reasonOf } from '../../kit/system-error.ts';
import { readVersion } from '../../kit/version.ts';
import { StorageError, openForReading } from '../../storage/database.ts';
import { storageFailure } from '../../storage/failures.ts';
import { syncPath } from '../../storage/folder.ts';
import { takeSnapshot } from '../../storage/snapshot.ts';
import { type Contents, readContents } from './contents.ts';
import { TAR_ENDING, partialPrefix } from './dated.ts';
import { NEW_SYNCED_FILE, linkOrCopy, readFile } from './files.ts';
import { BACKUP_FILES, type Manifest, formatManifest, formatSum } from './manifest.ts';
import { TAR_END, tarHeader, tarPadding } from './tar.ts';
import { photoFilesIn, verifyDatabase } from './verify.ts';

/**
 * Backs up a data folder, which a server may be using: the database as it is at one moment, and its photos. The target is
 * a path that does not exist, in a folder that does; if it ends in `.tar`, the backup becomes one file. Assembles the
 * backup next to the target, reads it back and verifies it before renaming it to the target. Rejects with a StorageError,
 * or with the reason of `signal`, which cancels the backup; nothing of it remains then.
 */
export async function makeBackup(dataFolder: string, target: string, signal: AbortSignal): Promise<Manifest> {
  refuseExisting(target);
  let partial: string | undefined;
  try {
    partial = mkdtempSync(partialPrefix(target));
    const contents = await assemble(dataFolder, partial, signal);
    const made = target.endsWith(TAR_ENDING) ? await pack(partial, contents, signal) : partial;
    signal.throwIfAborted();
    refuseExisting(target);
    chmodSync(made, made === partial ? 0o700 : 0o600);
    renameSync(made, target);
    syncPath(dirname(target));
    return contents.manifest;
  } catch (error) {
    const folder = dirname(target);
    if (storageFailure(error) === 'full')
      throw new StorageError(`there is no space left for a backup in ${folder}`);
    if (partial === undefined)
      throw new StorageError(`cannot write a backup in ${folder}: ${reasonOf(error)}`);
    throw error;
  } finally {
    if (partial !== undefined) rmSync(partial, { recursive: true, force: true });
  }
}

function refuseExisting(target: string): void {
  if (lstatSync(target, { throwIfNoEntry: false }) !== undefined)
    throw new StorageError(`${target} already exists; a backup never overwrites anything`);
}

/** Makes a verified backup in an empty folder. */
async function assemble(dataFolder: string, folder: string, signal: AbortSignal): Promise<Contents> {
  const createdAt = new Date().toISOString();
  const database = join(folder, BACKUP_FILES.database);
  await takeSnapshot(dataFolder, database);
  // Right after the snapshot, because the file of a photo outlives its deletion by only a quarter of an hour.
  const { copied, missing } = await copyPhotos(dataFolder, folder, signal);
  const manifest: Manifest = { version: readVersion(), createdAt, photos: copied.length, missing };
  await writeFile(join(folder, BACKUP_FILES.manifest), formatManifest(manifest), NEW_SYNCED_FILE);
  const paths = [BACKUP_FILES.manifest, BACKUP_FILES.database, ...copied];
  const lines = sumLines(folder, paths, signal);
  await writeFile(join(folder, BACKUP_FILES.sums), together(lines), NEW_SYNCED_FILE);
  syncPath(folder);
  const contents = await readContents(folder, signal);
  verifyDatabase(database, contents);
  return contents;
}

/** Copies the photos in the database of a backup. Resolves to their paths, and to the names of missing files. */
async function copyPhotos(dataFolder: string, folder: string, signal: AbortSignal) {
  const copied: string[] = [];
  const missing: string[] = [];
  const connection = openForReading(join(folder, BACKUP_FILES.database));
  try {
    for (const filename of photoFilesIn(connection)) {
      if (!isPhotoName(filename))
        throw new StorageError(`the database has a photo with an impossible name: ${filename}`);
      const path = photoPlace(filename);
      if (await linkOrCopy(join(dataFolder, path), join(folder, path), signal)) copied.push(path);
      else missing.push(filename);
    }
  } finally {
    connection.close();
  }
  const folders = new Set(copied.map((path) => dirname(path)));
  if (copied.length > 0) folders.add(PHOTO_FOLDER);
  for (const one of folders) syncPath(join(folder, one));
  return { copied, missing };
}

async function* sumLines(folder: string, paths: readonly string[], signal: AbortSignal) {
  for (const path of paths) {
    const hash = createHash('sha256');
    for await (const chunk of readFile(join(folder, path), signal)) hash.update(chunk);
    yield Buffer.from(formatSum(hash.digest('hex'), path));
  }
}

/** Makes one file of the folder of a verified backup, and reads it back. Resolves to its path. */
async function pack(folder: string, { sums, manifest }: Contents, signal: AbortSignal): Promise<string> {
  const archive = join(folder, 'archive');
  const paths = [BACKUP_FILES.sums, ...sums.keys()];
  const pieces = archiveOf(folder, paths, new Date(manifest.createdAt), signal);
  await writeFile(archive, together(pieces), NEW_SYNCED_FILE);
  await readContents(archive, signal);
  return archive;
}

async function* archiveOf(folder: string, paths: readonly string[], modifiedAt: Date, signal: AbortSignal) {
  for (const path of paths) {
    const { size } = lstatSync(join(folder, path));
    yield tarHeader(path, size, modifiedAt);
    yield* readFile(join(folder, path), signal);
    yield tarPadding(size);
  }
  yield TAR_END;
}
