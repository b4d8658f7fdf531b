import { existsSync, lstatSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PHOTO_FOLDER } from '../../catalogue/photos/files.ts';
import { StorageError, databasePath, openDatabase, openExistingDatabase } from '../../storage/database.ts';
import { storageFailure } from '../../storage/failures.ts';
import { syncPath } from '../../storage/folder.ts';
import { Queries } from '../../storage/statements.ts';
import { withOwnFolder } from '../../storage/storage.ts';
import { makeStage, swapIn } from '../../storage/swap.ts';
import { readContents } from './contents.ts';
import { BACKUP_FILES, type Manifest } from './manifest.ts';
import { verifyDatabase } from './verify.ts';

/** A backup that was read completely and is valid. */
export interface Verified {
  readonly manifest: Manifest;
  /** The names of the migrations that its database lacks. */
  readonly pending: readonly string[];
}

export interface RestoreOptions {
  readonly backup: string;
  readonly dataFolder: string;
  /** Moves an existing catalogue aside instead of refusing. */
  readonly replace: boolean;
  readonly signal: AbortSignal;
}

export interface Restored extends Verified {
  /** The folder that now holds the old data; undefined if there was none. */
  readonly aside: string | undefined;
}

/**
 * Replaces the data in a data folder that is not in use by a backup, which it first unpacks next to the data and verifies.
 * Rejects with a StorageError, and the data stays as it was.
 */
export async function restoreBackup({
  backup,
  dataFolder,
  replace,
  signal,
}: RestoreOptions): Promise<Restored> {
  try {
    return await withOwnFolder(dataFolder, async () => {
      if (!replace && existsSync(databasePath(dataFolder)))
        throw new StorageError(
          `${dataFolder} already contains a catalogue; --force moves it aside, and nothing is lost`,
        );
      requireMovable(dataFolder);
      const stage = makeStage(dataFolder);
      try {
        const verified = await unpack(backup, join(stage, 'new'), signal);
        requireUnused(dataFolder);
        signal.throwIfAborted();
        return { ...verified, aside: swapIn(dataFolder, stage).aside };
      } finally {
        rmSync(stage, { recursive: true, force: true });
      }
    });
  } catch (error) {
    if (storageFailure(error) === 'full')
      throw new StorageError(`there is no space left in ${dataFolder} to unpack the backup`);
    throw error;
  }
}

/** Completes an interrupted restore. Resolves to whether there was one. Rejects with a StorageError while a server runs. */
export async function finishRestore(dataFolder: string): Promise<boolean> {
  // Locking the folder would create it.
  return existsSync(dataFolder) && withOwnFolder(dataFolder, ({ finished }) => finished);
}

/** Reads a whole backup and checks its database against it. Rejects with a StorageError unless it is valid. */
export async function verifyBackup(backup: string, signal: AbortSignal): Promise<Verified> {
  // The backup may be read-only, and opening a database may create files next to it.
  const scratch = mkdtempSync(join(tmpdir(), 'catalogue-check-'));
  const database = join(scratch, BACKUP_FILES.database);
  try {
    const contents = await readContents(backup, signal, (path) =>
      path === BACKUP_FILES.database ? database : undefined,
    );
    return { manifest: contents.manifest, pending: verifyDatabase(database, contents) };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Unpacks a backup into an empty folder, verifies it, and syncs all files and then their folders. */
async function unpack(backup: string, folder: string, signal: AbortSignal): Promise<Verified> {
  const contents = await readContents(backup, signal, (path) =>
    path === BACKUP_FILES.manifest ? undefined : join(folder, path),
  );
  const pending = verifyDatabase(join(folder, BACKUP_FILES.database), contents);
  endOpenLinks(folder);
  mkdirSync(join(folder, PHOTO_FOLDER), { recursive: true, mode: 0o700 });
  const paths = [...contents.sums.keys()].filter((path) => path !== BACKUP_FILES.manifest);
  for (const path of new Set([...paths, ...paths.map((one) => dirname(one)), PHOTO_FOLDER]))
    syncPath(join(folder, path));
  return { manifest: contents.manifest, pending };
}

/**
 * Invalidates the links of a restored database for registering and for setting a password: they may have been used since
 * it was backed up.
 */
function endOpenLinks(folder: string): void {
  const connection = openExistingDatabase(folder);
  try {
    const sql = new Queries(connection).file('backup');
    if (sql.prepare('findInvitationTable').get() === undefined) return;
    sql.prepare('deleteOpenInvitations').run();
    sql.prepare('deleteResetLinks').run();
  } finally {
    connection.close();
  }
}

/** Moving the photos must not fail halfway. */
function requireMovable(dataFolder: string): void {
  const photos = lstatSync(join(dataFolder, PHOTO_FOLDER), { throwIfNoEntry: false });
  if (photos && photos.dev !== statSync(dataFolder).dev)
    throw new StorageError(`${join(dataFolder, PHOTO_FOLDER)} is a mount point and cannot be put aside`);
}

/** A command that still uses the old database would write its log next to the new one. */
function requireUnused(dataFolder: string): void {
  const path = databasePath(dataFolder);
  if (!existsSync(path)) return;
  try {
    openDatabase(dataFolder).close();
  } catch (error) {
    // It is damaged, which may be why this backup is restored.
    if (error instanceof StorageError) return;
    throw error;
  }
  if (existsSync(`${path}-wal`))
    throw new StorageError(`another command is using ${path}; wait until it has ended`);
}
