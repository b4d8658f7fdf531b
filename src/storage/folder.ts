import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../kit/system-error.ts';

/**
 * Creates a folder and its missing parents with access for their owner only; an existing folder is left alone.
 * Throws the system's error, or an error whose message is readable. `mkdirSync` with `recursive` would never
 * return on file systems such as /proc, where folders cannot be created.
 */
export function makeFolder(folder: string): void {
  const missing: string[] = [];
  let path = folder;
  let status = statSync(path, { throwIfNoEntry: false });
  while (status === undefined && path !== dirname(path)) {
    missing.unshift(path);
    path = dirname(path);
    status = statSync(path, { throwIfNoEntry: false });
  }
  if (status?.isDirectory() !== true) throw new Error(`${path} is a file, not a folder`);
  for (const one of missing) makeOne(one);
}

function makeOne(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may just have created it.
    const isThere = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
    if (codeOf(error) === 'EEXIST' && isThere) return;
    if (codeOf(error) === 'ENOENT')
      throw new Error(`${dirname(folder)} takes no new folders`, { cause: error });
    throw error;
  }
}

/** Flushes a file or folder to disk. A new name survives a power cut only once its folder is flushed. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Formats a time to the second for file names, such as 20261121T033000Z. */
export function stampOf(moment: Date): string {
  return moment.toISOString().replace(/[-:]|\.\d+/g, '');
}
