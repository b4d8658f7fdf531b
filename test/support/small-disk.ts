import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cleanup, atEnd } from './cleanup.ts';

/** Why a file system cannot be mounted here; undefined when it can. */
export function whyNoMount(): string | undefined {
  if (process.getuid?.() !== 0) return 'needs root, to mount a file system';
  for (const tool of ['mount', 'umount']) if (!has(tool)) return `needs the program ${tool}`;
  const folder = mkdtempSync(join(tmpdir(), 'catalogue-mount-'));
  try {
    run('mount', '-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder);
    run('umount', folder);
    return undefined;
  } catch (error) {
    return `needs to mount a file system: ${error instanceof Error ? error.message.trim() : ''}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether a program is in PATH. */
export function has(tool: string): boolean {
  try {
    execFileSync('sh', ['-c', 'command -v "$1"', 'sh', tool], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Runs a program to its end. Throws with what it complained of when it fails. */
export function run(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'], timeout: 60_000 });
}

/** A small file system in memory that is unmounted after the test; returns its folder. */
export function mountMemory(t: Cleanup, size: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'catalogue-memory-'));
  run('mount', '-t', 'tmpfs', '-o', `size=${size},mode=700`, 'tmpfs', folder);
  atEnd(t, () => {
    // Lazily: a server that was just killed may hold it for another moment.
    run('umount', '-l', folder);
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}
