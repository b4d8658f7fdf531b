import { existsSync, lstatSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PHOTO_FOLDER } from '../../catalogue/photos/files.ts';
import { StorageError, databasePath, openDatabase } from '../../storage/database.ts';
import { storageFailure } from '../../storage/failures.ts';
import { withOwnFolder } from '../../storage/storage.ts';
import { makeStage, swapIn } from '../../storage/swap.ts';
import { syncPath } from '../../storage/folder.ts';
import { readContents } from './contents.ts';
import { createPace } from './files.ts';
import { endOpenLinks } from './links.ts';
import { BACKUP_FILES, type Manifest } from './manifest.ts';
import { verifyDatabase } from './verify.ts';

/** A backup that was read as a whole and is valid. */
export interface Verified {
  readonly manifest: Manifest;
  /** The migrations that its database lacks. */
  readonly pending: readonly string[];
}

export interface RestoreOptions {
  readonly backup: string;
  readonly dataFolder: string;
  /** Whether a catalogue that is there is put aside; else it is a reason to refuse. */
  readonly replace: boolean;
  readonly signal: AbortSignal;
}

/** The outcome of a restore. */
export interface Restored extends Verified {
  /** The folder in which the old data is now; undefined when there was none. */
  readonly aside: string | undefined;
}

/**
 * Puts a backup into the place of the data in a data folder that is not in use. The backup is unpacked next to the data
 * and verified there first; the data itself is left alone until then. Rejects with a StorageError otherwise.
 */
export function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { dataFolder, replace } = options;
  return withOwnFolder(dataFolder, async () => {
    if (!replace && existsSync(databasePath(dataFolder)))
      throw new StorageError(
        `${dataFolder} holds a catalogue already; with --force it is put aside, and nothing of it is lost`,
      );
    requireMovable(dataFolder);
    return unpackAndSwap(options);
  }).catch((error: unknown) => {
    if (storageFailure(error) === 'full')
      throw new StorageError(`there is no space left in ${dataFolder} to unpack the backup`);
    throw error;
  });
}

/** Completes a restore that was cut short. Resolves to whether there was one. Rejects with a StorageError while a server runs. */
export function finishRestore(dataFolder: string): Promise<boolean> {
  // A folder that is not there must not be made by looking for a restore in it.
  if (!existsSync(dataFolder)) return Promise.resolve(false);
  return withOwnFolder(dataFolder, ({ finished }) => finished);
}

/** Reads a whole backup and checks its database against it. Rejects with a StorageError unless it is valid. */
export async function verifyBackup(backup: string, signal: AbortSignal): Promise<Verified> {
  // Not where it lies: that may be read-only, and opening a database may write next to it.
  const scratch = mkdtempSync(join(tmpdir(), 'catalogue-check-'));
  const database = join(scratch, BACKUP_FILES.database);
  try {
    const contents = await readContents(backup, createPace(signal), (name) =>
      name === BACKUP_FILES.database ? database : undefined,
    );
    return { manifest: contents.manifest, pending: verifyDatabase(database, contents) };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function unpackAndSwap({ backup, dataFolder, signal }: RestoreOptions): Promise<Restored> {
  const stage = makeStage(dataFolder);
  try {
    const fresh = join(stage, 'new');
    const contents = await readContents(backup, createPace(signal), (name) =>
      name === BACKUP_FILES.manifest ? undefined : join(fresh, name),
    );
    const pending = verifyDatabase(join(fresh, BACKUP_FILES.database), contents);
    endOpenLinks(fresh);
    mkdirSync(join(fresh, PHOTO_FOLDER), { recursive: true, mode: 0o700 });
    const names = [...contents.sums.keys()].filter((name) => name !== BACKUP_FILES.manifest);
    for (const path of placesOf(names, fresh)) syncPath(path);
    requireUnused(dataFolder);
    signal.throwIfAborted();
    return { manifest: contents.manifest, pending, aside: swapIn(dataFolder, stage).aside };
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** These files, and then their folders. */
function placesOf(names: readonly string[], root: string): Set<string> {
  const files = names.map((name) => join(root, name));
  return new Set([...files, ...files.map((file) => dirname(file)), join(root, PHOTO_FOLDER), root]);
}

/** Moving it must not fail halfway. */
function requireMovable(dataFolder: string): void {
  const photos = lstatSync(join(dataFolder, PHOTO_FOLDER), { throwIfNoEntry: false });
  if (photos && photos.dev !== statSync(dataFolder).dev)
    throw new StorageError(`${join(dataFolder, PHOTO_FOLDER)} is a mount point and cannot be put aside`);
}

/** A command that goes on with the old database would write its log next to the new one. */
function requireUnused(dataFolder: string): void {
  const path = databasePath(dataFolder);
  if (!existsSync(path)) return;
  try {
    openDatabase(dataFolder).close();
  } catch (error) {
    // It is damaged, which may be why there is a restore: it is put aside as it is.
    if (error instanceof StorageError) return;
    throw error;
  }
  if (existsSync(`${path}-wal`))
    throw new StorageError(`another command is using ${path}; wait until it has ended`);
}
