import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Brings a file or a folder to the disk; a name in a folder outlives a power cut only once the folder is there. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
