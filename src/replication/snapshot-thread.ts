import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { takeSnapshot } from '../storage/snapshot.ts';
import { runInThread } from '../kit/threads.ts';

const SNAPSHOT = 'snapshot.partial-';

/** Removes the snapshots that were not streamed to their end before a crash. */
export function removeOldSnapshots(dataFolder: string): void {
  for (const name of readdirSync(dataFolder))
    if (name.startsWith(SNAPSHOT)) rmSync(join(dataFolder, name), { recursive: true, force: true });
}

/**
 * Copies the database of a data folder in a thread of its own. Resolves to the folder that holds the copy, within the data
 * folder and the caller's to remove, and to the file.
 */
export async function copyInThread(
  dataFolder: string,
): Promise<{ readonly folder: string; readonly file: string }> {
  const folder = mkdtempSync(join(dataFolder, SNAPSHOT));
  const file = join(folder, 'catalogue.db');
  try {
    await runInThread(import.meta.url, 'copy', { dataFolder, file }, 'copies the database');
    return { folder, file };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** The work of that thread. */
export async function copy({ dataFolder, file }: { dataFolder: string; file: string }): Promise<void> {
  await takeSnapshot(dataFolder, file);
}
