import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listPhotoFiles } from '../operations/backup/verify.ts';
import { PHOTO_FOLDER, PREFIXES, isPhotoName, photoPlace } from '../catalogue/photos/files.ts';
import { ifThere } from '../catalogue/photos/disk.ts';
import { createPhotoLedger } from '../catalogue/photos/store.ts';
import type { Connection } from '../storage/database.ts';
import { syncPath } from '../storage/folder.ts';
import { loadQueries } from '../storage/statements.ts';
import type { Primary } from './primary.ts';

/** The files of photos of a replica. */
export interface CopiedPhotos {
  /** Fetches those of these that are missing, within a time; the others come later. */
  readonly fetchNow: (names: readonly string[]) => Promise<void>;
  /** Removes those of these that no row names any more. */
  readonly removeUnnamed: (names: readonly string[]) => void;
  /** Removes what no row names, and fetches what is missing, again and again until the signal fires. Never rejects. */
  readonly keep: () => Promise<void>;
}

// So long a row may wait for its file.
const NOW_MS = 1_000;
const RETRY_MS = 3_000;

/** Opens the folder of photos beside the database that the connection is open on. */
export function openCopiedPhotos(
  dataFolder: string,
  connection: Connection,
  primary: Primary,
  signal: AbortSignal,
): CopiedPhotos {
  const queries = loadQueries(connection);
  const ledger = createPhotoLedger(queries.file('photos'));
  const backup = queries.file('backup');
  const { pathOf, arrivals, isMissing, fetchOne } = createFetcher(dataFolder, primary);
  const missing = new Set<string>();

  function removeUnnamed(names: readonly string[]): void {
    for (const name of ledger.strangersAmong(names.filter(isPhotoName)))
      rmSync(pathOf(name), { force: true });
  }

  async function sweep(): Promise<void> {
    for (const name of await readdir(arrivals)) rmSync(join(arrivals, name), { force: true });
    for (const prefix of PREFIXES) {
      const names = await ifThere(readdir(join(dataFolder, PHOTO_FOLDER, prefix)));
      if (names) removeUnnamed(names);
    }
    for (const name of listPhotoFiles(backup)) if (isMissing(name)) missing.add(name);
  }

  async function fetchMissing(): Promise<void> {
    for (const name of [...missing]) {
      if (signal.aborted) return;
      const isWanted = isMissing(name) && ledger.strangersAmong([name]).length === 0;
      // What cannot be had now is tried again, after the others.
      if (!isWanted || (await fetchOne(name).catch(() => false))) missing.delete(name);
    }
  }

  return {
    removeUnnamed,
    fetchNow: async (names) => {
      const wanted = names.filter(isMissing);
      for (const name of wanted) missing.add(name);
      if (wanted.length > 0) await Promise.race([fetchMissing(), sleep(NOW_MS, undefined, { ref: false })]);
    },
    keep: async () => {
      await sweep().catch(() => undefined);
      while (!signal.aborted) {
        await fetchMissing().catch(() => undefined);
        await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    },
  };
}

/** Fetches files into their places. */
function createFetcher(dataFolder: string, primary: Primary) {
  const pathOf = (name: string): string => join(dataFolder, photoPlace(name));
  const arrivals = join(dataFolder, PHOTO_FOLDER, 'arriving');
  mkdirSync(arrivals, { recursive: true, mode: 0o700 });
  const underWay = new Map<string, Promise<boolean>>();

  async function fetchAnew(name: string): Promise<boolean> {
    const content = await primary.photo(name);
    // The primary has lost it, or is about to say that the photo is gone.
    if (!content) return false;
    const arriving = join(arrivals, `${name}.copy`);
    await writeFile(arriving, content, { mode: 0o600, flush: true });
    mkdirSync(dirname(pathOf(name)), { recursive: true, mode: 0o700 });
    renameSync(arriving, pathOf(name));
    syncPath(dirname(pathOf(name)));
    return true;
  }

  return {
    pathOf,
    arrivals,
    isMissing: (name: string): boolean => isPhotoName(name) && !existsSync(pathOf(name)),
    /** Resolves to whether it is there. */
    fetchOne: (name: string): Promise<boolean> => {
      const known = underWay.get(name);
      if (known) return known;
      const fetching = fetchAnew(name).finally(() => underWay.delete(name));
      underWay.set(name, fetching);
      return fetching;
    },
  };
}
