import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { restoredFolder } from './database.ts';
import { stampOf } from '../kit/time.ts';
import { syncPath } from './folder.ts';

// A database moves together with its log files, so that a log never meets another database.
const DATABASE = ['catalogue.db-wal', 'catalogue.db-shm', 'catalogue.db'];
const PHOTOS = ['photos'];
const STAGE = 'restore.partial-';

/** The outcome of completing a restore. */
export interface Swap {
  /** True if there was a restore to complete. */
  readonly finished: boolean;
  /**
   * The folder with the old data; undefined if there was none, or an interrupted run had already renamed it.
   */
  readonly aside: string | undefined;
}

/** Creates a folder for assembling new data in its subfolder `new`, and removes leftovers of earlier ones. */
export function makeStage(folder: string): string {
  for (const name of readdirSync(folder))
    if (name.startsWith(STAGE)) rmSync(join(folder, name), { recursive: true, force: true });
  const stage = mkdtempSync(join(folder, STAGE));
  for (const name of ['new', 'old']) mkdirSync(join(stage, name), { mode: 0o700 });
  return stage;
}

/**
 * Replaces the data in `folder`, whose lock the caller must hold, by the data in `<stage>/new`. The data folder
 * may be a mount point, so it is not renamed itself. The steps:
 *
 * 1. Rename the stage, complete and flushed, to `restore.ready`. Until then the old data is untouched; from
 *    then on the next holder of the lock completes the restore, and other processes refuse to open the data.
 * 2. Move old photos to `restore.ready/old`, new ones into place.
 * 3. Move the old database to `restore.ready/old`, the new one into place.
 * 4. Rename `restore.ready/old` to its final name and delete `restore.ready`.
 */
export function swapIn(folder: string, stage: string): Swap {
  syncPath(stage);
  renameSync(stage, restoredFolder(folder));
  syncPath(folder);
  return finishSwap(folder);
}

/** Completes an interrupted restore, if there is one. The caller must hold the folder's lock. */
export function finishSwap(folder: string): Swap {
  const ready = restoredFolder(folder);
  if (!existsSync(ready)) return { finished: false, aside: undefined };
  moveIn(folder, PHOTOS);
  moveIn(folder, DATABASE);
  const old = join(ready, 'old');
  let aside: string | undefined;
  if (existsSync(old)) {
    if (readdirSync(old).length === 0) rmdirSync(old);
    else {
      aside = freeName(folder);
      renameSync(old, aside);
    }
  }
  syncPath(folder);
  rmSync(ready, { recursive: true });
  syncPath(folder);
  return { finished: true, aside };
}

/** The last name moves last. If it has already moved, the data in place is the new one. */
function moveIn(folder: string, names: readonly string[]): void {
  const ready = restoredFolder(folder);
  const main = names.at(-1) ?? '';
  if (!existsSync(join(ready, 'new', main))) return;
  for (const name of names)
    if (existsSync(join(folder, name))) renameSync(join(folder, name), join(ready, 'old', name));
  syncPath(join(ready, 'old'));
  renameSync(join(ready, 'new', main), join(folder, main));
  syncPath(folder);
}

function freeName(folder: string): string {
  const base = join(folder, `before-restore-${stampOf(new Date())}`);
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (!existsSync(name)) return name;
  }
}
