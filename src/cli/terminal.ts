import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { escapeControls } from '../http/log.ts';
import { codeOf } from '../kit/system-error.ts';
import type { Patience } from '../storage/transaction.ts';

// Often enough to be seen to move.
const REDRAW_MS = 200;
const PATIENCE_MS = 60_000;
const NOTICE_MS = 1_000;
// Short for a person who watches, and many lines where there is much to do.
const WAIT_MS = 10;
const MOST_WAITING = 64 * 1024;

/** Lets a command complete its work quietly after the reader of what it prints has left. */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error) => {
      if (codeOf(error) !== 'EPIPE') throw error;
    });
}

/** Prints text on standard output as fast as it is read. Ends quietly when the reader leaves, or when it is stopped. */
export async function printAll(
  texts: Iterable<string> | AsyncIterable<string>,
  signal?: AbortSignal,
): Promise<void> {
  try {
    await pipeline(Readable.from(texts), process.stdout, { end: false, ...(signal && { signal }) });
  } catch (error) {
    if (signal?.aborted !== true && codeOf(error) !== 'EPIPE') throw error;
  }
}

/** Prints a line on standard output. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints a line on standard error, safe for a terminal whatever it quotes. */
export function complain(line: string): void {
  process.stderr.write(`${escapeControls(line)}\n`);
}

/** A line that is written over as work goes on; silent where standard error is no terminal. */
export interface Progress {
  /** Shows a line at once, and afresh five times a second. */
  readonly follow: (line: () => string) => void;
  /** Removes the line, for another one to be printed; it comes back. */
  readonly clear: () => void;
  /** Removes the line for good. */
  readonly close: () => void;
}

/** The part of a terminal that a progress line needs. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly write: (text: string) => unknown;
}

/** Opens a progress line, on standard error unless another screen is named. */
export function openProgress(screen: Screen = process.stderr): Progress {
  if (screen.isTTY !== true)
    return { follow: () => undefined, clear: () => undefined, close: () => undefined };
  let timer: NodeJS.Timeout | undefined;
  const clear = (): void => {
    screen.write('\r\u001b[K');
  };
  return {
    follow: (line) => {
      const draw = (): void => {
        screen.write(`\r\u001b[K${escapeControls(line())}`);
      };
      draw();
      clearInterval(timer);
      timer = setInterval(draw, REDRAW_MS);
      timer.unref();
    },
    clear,
    close: () => {
      clearInterval(timer);
      clear();
    },
  };
}

/** A bar of twenty places for a share from 0 to 1. */
export function bar(share: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * 20);
  return `[${'#'.repeat(full)}${'.'.repeat(20 - full)}] ${String(Math.floor(share * 100)).padStart(3)}%`;
}

/** Prints rows under a heading in columns on standard output, safe for a terminal whatever they hold. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): void {
  const lines = [heading, ...rows].map((row) => row.map(escapeControls));
  const widths = heading.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  for (const line of lines) {
    const cells = line.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    print(cells.join('  ').trimEnd());
  }
}

/** How long a command waits while other processes write; it says so once, after a second, in place of its progress. */
export function commandPatience(progress?: Progress): Patience {
  let isSaid = false;
  return {
    limitMs: PATIENCE_MS,
    waiting: (waitedMs) => {
      if (isSaid || waitedMs < NOTICE_MS) return;
      isSaid = true;
      progress?.clear();
      complain('The database is busy: another process is writing. Waiting for up to a minute …');
    },
  };
}

/** Writes lines together that come one by one. */
export interface LineWriter {
  readonly write: (line: string) => void;
  /** Writes at once what is waiting, for a process that is about to end. */
  readonly flush: () => void;
}

/** Writes lines 10 ms after the first of them: a write of its own for each takes a tenth of an answer's time. */
export function createLineWriter(write: (text: string) => void): LineWriter {
  let waiting = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting !== '') write(waiting);
    waiting = '';
  };
  return {
    write: (line) => {
      waiting += line;
      if (waiting.length > MOST_WAITING) flush();
      else timer ??= setTimeout(flush, WAIT_MS);
    },
    flush,
  };
}
