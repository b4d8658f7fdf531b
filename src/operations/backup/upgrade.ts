import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { StorageError } from '../../storage/database.ts';
import { type ClaimedFolder, type Storage, claimFolder } from '../../storage/storage.ts';
import { stampOf, syncPath } from '../../storage/folder.ts';
import { reasonOf } from '../../kit/system-error.ts';
import { makeBackup } from './backup.ts';

type Log = (message: string, fields: Readonly<Record<string, string>>) => void;

export interface UpgradeOptions {
  readonly dataFolder: string;
  /** Whether an older database is upgraded; else it is refused. */
  readonly isWanted: boolean;
  /** Of the service. */
  readonly version: string;
  /** Calls the backup off. */
  readonly signal: AbortSignal;
  readonly info: Log;
}

// The name of the backup until the database has reached the disk in its new form. So a start after a crash knows
// whether the upgrade took place.
const UNFINISHED = 'upgrading-';
const FINISHED = 'before-upgrade-';
const COMPLETE = /^upgrading-(\d{8}T\d{6}Z)$/;

/** Opens the data of a server, which has its folder to itself until it closes, upgraded where that is wanted. */
export async function openUpgraded(options: UpgradeOptions): Promise<Storage> {
  const claim = claimFolder(options.dataFolder);
  try {
    if (options.isWanted) await upgrade(claim, options);
    return claim.open();
  } catch (error) {
    claim.release();
    throw error;
  }
}

/**
 * Upgrades a database after a verified backup of the data folder within itself, `before-upgrade-<time>`, which nothing
 * ever removes. A crash at any point leaves the old database or the new one, and never the new one without the backup.
 * Rejects with a StorageError when the backup or the migration fails, or with the reason of `signal`; the data is as it
 * was then, and the backup is gone, since a supervisor may try again and again.
 */
async function upgrade(claim: ClaimedFolder, options: UpgradeOptions): Promise<void> {
  const { dataFolder, version, signal, info } = options;
  const pending = claim.pending();
  settleEarlier(dataFolder, pending.length === 0);
  if (pending.length === 0) return;
  const stamp = stampOf(new Date());
  const unfinished = join(dataFolder, UNFINISHED + stamp);
  info('backing up before an upgrade', { migrations: pending.join(', '), folder: dataFolder });
  try {
    await makeBackup({ dataFolder, target: unfinished, version, signal });
    const applied = claim.migrate();
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

/** Backups of upgrades that a crash cut short: those of upgrades that took place get their name, others go. */
function settleEarlier(dataFolder: string, isUpgraded: boolean): void {
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
