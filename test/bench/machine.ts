import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// The unit in which the kernel counts the time of processes, wherever Linux runs.
const TICK_MS = 10;

/** Milliseconds of processor time that a process has used so far, in user and system mode; NaN where /proc is not. */
export function cpuMs(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return NaN;
  }
}

/** Megabytes of memory of a process: resident now (VmRSS) or at its most (VmHWM); NaN where /proc is not. */
export function memoryMb(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1_024;
  } catch {
    return NaN;
  }
}

/** Has the kernel count the most memory of a process (VmHWM) from now on. */
export function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // Without /proc there is no peak to read either.
  }
}

/** Whether servers and the load generator can have a core each. */
export function canPin(): boolean {
  return availableParallelism() > 1 && spawnSync('taskset', ['-c', '0,1', 'true']).status === 0;
}

/** A command with its arguments that is held on one core, or left as it is when `core` is undefined. */
export function onCore(core: number | undefined, command: readonly string[]): readonly string[] {
  return core === undefined ? command : ['taskset', '-c', String(core), ...command];
}

/**
 * The variables of the environment with which each flush of a process to the disk takes so many milliseconds more, or
 * why that cannot be had here. The library that does it is compiled into `folder`.
 */
export function slowFlush(ms: number, folder: string): Readonly<Record<string, string>> | string {
  if (ms === 0) return {};
  const source = fileURLToPath(new URL('./slow-flush.c', import.meta.url));
  const library = join(folder, 'slow-flush.so');
  const { status } = spawnSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl']);
  if (status !== 0) return 'no C compiler (cc) to make flushes slow with';
  return { LD_PRELOAD: library, FLUSH_MS: String(ms) };
}
