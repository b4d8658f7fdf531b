import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { restoredFolder } from './database.ts';
import { stampOf, syncPath } from './folder.ts';

// A database and what belongs to it are moved together, so that no log ever meets a database that is not its own.
const DATABASE = ['catalogue.db-wal', 'catalogue.db-shm', 'catalogue.db'];
const PHOTOS = ['photos'];
const STAGE = 'restore.partial-';

/** The outcome of completing a restore. */
export interface Swap {
  /** Whether there was one to complete. */
  readonly finished: boolean;
  /** The folder of the old data; undefined when there was none, or when it had its name already. */
  readonly aside: string | undefined;
}

/** Makes a folder in which new data is put together, in its subfolder `new`. The remains of earlier ones are removed. */
export function makeStage(folder: string): string {
  for (const name of readdirSync(folder))
    if (name.startsWith(STAGE)) rmSync(join(folder, name), { recursive: true, force: true });
  const stage = mkdtempSync(join(folder, STAGE));
  for (const name of ['new', 'old']) mkdirSync(join(stage, name), { mode: 0o700 });
  return stage;
}

/**
 * Puts the data in `<stage>/new` into the place of the data in `folder`, whose lock must be held. The data folder may
 * be a mount point, so it is not renamed itself. In this order:
 *
 * 1. the stage, complete and on the disk, is renamed to `restore.ready`: before that the old data is as it was,
 *    from here on the restore is completed, now or by the next holder of the lock, and no other process opens the data;
 * 2. old photos to `restore.ready/old`, new photos into their place;
 * 3. the old database to `restore.ready/old`, the new one into its place;
 * 4. `restore.ready/old` gets a name of its own, and `restore.ready` goes.
 *
 * The stage is gone then.
 */
export function swapIn(folder: string, stage: string): Swap {
  syncPath(stage);
  renameSync(stage, restoredFolder(folder));
  syncPath(folder);
  return finishSwap(folder);
}

/** Completes a restore that was cut short, if there is one. The lock of the folder must be held. */
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

/** When the last of the names has been moved in before, the data in place is the new one and stays. */
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
