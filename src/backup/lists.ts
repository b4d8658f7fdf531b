import { type Dirent, readdirSync } from 'node:fs';
import { codeOf } from '../storage/failures.ts';

const NAMED = 20;

/** What is in a folder; nothing when there is no such folder. Throws the system's error when it cannot be read. */
export function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** The first twenty of a list, and how many more there are. */
export function shorten(list: readonly string[]): string[] {
  const rest = list.length - NAMED;
  return rest > 0 ? [...list.slice(0, NAMED), `and ${rest} more`] : [...list];
}
