import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '../../kit/system-error.ts';
import { StorageError } from '../../storage/database.ts';
import { stampOf } from '../../kit/time.ts';
import { syncPath } from '../../storage/folder.ts';
import {
  type Storage,
  claimFolder,
  migrateFolder,
  openClaimed,
  pendingMigrations,
} from '../../storage/storage.ts';
import { makeBackup } from './backup.ts';

export interface UpgradeOptions {
  readonly dataFolder: string;
  /** Upgrades an older database instead of refusing it. */
  readonly isWanted: boolean;
  /** Cancels the backup. */
  readonly signal: AbortSignal;
  readonly info: (message: string, fields: Readonly<Record<string, string>>) => void;
}

// The backup has this prefix until the upgraded database is on the disk, so that a start after a crash knows whether
// the upgrade took place.
const UNFINISHED = 'upgrading-';
const FINISHED = 'before-upgrade-';
const COMPLETE = /^upgrading-(\d{8}T\d{6}Z)$/;

/** Opens the data of a server, upgraded if wanted. The server has the folder to itself until it closes the storage. */
export async function openUpgraded(options: UpgradeOptions): Promise<Storage> {
  const { release } = claimFolder(options.dataFolder);
  try {
    if (options.isWanted) await upgrade(options);
    return openClaimed(options.dataFolder, release);
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * Makes a verified backup of the data folder inside it, `before-upgrade-<time>`, and upgrades the database. Nothing ever
 * removes that backup. A crash at any point leaves the old database, or the new one with the backup. If the backup or the
 * migration fails, rejects with a StorageError or the reason of `signal`, leaves the data as it was, and removes the
 * backup, since a supervisor may try again and again.
 */
async function upgrade(options: UpgradeOptions): Promise<void> {
  const { dataFolder, signal, info } = options;
  const pending = pendingMigrations(dataFolder);
  settleInterrupted(dataFolder, pending.length === 0);
  if (pending.length === 0) return;
  const stamp = stampOf(new Date());
  const unfinished = join(dataFolder, UNFINISHED + stamp);
  info('backing up before an upgrade', { migrations: pending.join(', '), folder: dataFolder });
  try {
    await makeBackup(dataFolder, unfinished, signal);
    const applied = migrateFolder(dataFolder);
    const backup = finish(dataFolder, stamp);
    const restore = `catalogue restore ${backup} --force`;
    info('upgraded the database', { migrations: applied.join(', '), backup, restore });
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (signal.aborted) throw error;
    throw new StorageError(
      `cannot upgrade the database in ${dataFolder}: ${reasonOf(error)}; nothing was changed`,
      { cause: error },
    );
  }
}

/** Renames the backups of interrupted upgrades that took place, and removes those of the others. */
function settleInterrupted(dataFolder: string, isUpgraded: boolean): void {
  for (const name of readdirSync(dataFolder).filter((entry) => entry.startsWith(UNFINISHED))) {
    const [, stamp] = COMPLETE.exec(name) ?? [];
    if (isUpgraded && stamp !== undefined) finish(dataFolder, stamp);
    else rmSync(join(dataFolder, name), { recursive: true, force: true });
  }
}

function finish(dataFolder: string, stamp: string): string {
  const base = join(dataFolder, FINISHED + stamp);
  let backup = base;
  for (let number = 2; existsSync(backup); number += 1) backup = `${base}-${number}`;
  renameSync(join(dataFolder, UNFINISHED + stamp), backup);
  syncPath(dataFolder);
  return backup;
}
