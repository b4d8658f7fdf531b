import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../kit/system-error.ts';

/**
 * Makes a folder and those above it that are missing, for their owner alone; a folder that exists stays as it is.
 * Throws an error whose message is a reason in words, or the system's error. Not `mkdirSync` with `recursive`, which
 * never returns on file systems such as /proc, where no folder can be made.
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
    // Another process may have made it since.
    const isThere = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
    if (codeOf(error) === 'EEXIST' && isThere) return;
    if (codeOf(error) === 'ENOENT')
      throw new Error(`${dirname(folder)} takes no new folders`, { cause: error });
    throw error;
  }
}

/** Flushes a file or a folder to the disk; a name in a folder survives a power cut only once the folder is flushed. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** A moment to the second, for names of files and folders, such as 20261121T033000Z. */
export function stampOf(moment: Date): string {
  return moment.toISOString().replace(/[-:]|\.\d+/g, '');
}
