import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { escapeControls } from '../http/log.ts';
import { codeOf } from '../kit/system-error.ts';
import type { Patience } from '../storage/transaction.ts';

const REDRAW_MS = 200;
const PATIENCE_MS = 60_000;
const NOTICE_MS = 1_000;
const WAIT_MS = 10;
const MOST_WAITING = 64 * 1024;

/** Lets a command finish quietly when the reader of its output is gone. */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error) => {
      if (codeOf(error) !== 'EPIPE') throw error;
    });
}

/** Prints text on standard output as fast as it is read. Ends quietly when the reader is gone, or `signal` fires. */
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

/** Prints a line on standard error with control characters escaped. */
export function complain(line: string): void {
  process.stderr.write(`${escapeControls(line)}\n`);
}

/** The part of a terminal that a progress line needs. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly write: (text: string) => unknown;
}

/** A line that is redrawn as work goes on; invisible when the screen is not a terminal. */
export class Progress {
  readonly #screen: Screen | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(screen: Screen = process.stderr) {
    this.#screen = screen.isTTY === true ? screen : undefined;
  }

  /** Shows a line at once, and redraws it five times a second. */
  follow(line: () => string): void {
    const screen = this.#screen;
    if (!screen) return;
    const draw = (): void => {
      screen.write(`\r\u001b[K${escapeControls(line())}`);
    };
    draw();
    clearInterval(this.#timer);
    this.#timer = setInterval(draw, REDRAW_MS).unref();
  }

  /** Removes the line until it is redrawn, so that another one can be printed. */
  clear(): void {
    this.#screen?.write('\r\u001b[K');
  }

  /** Prints a line on standard error in place of the progress. */
  complain(line: string): void {
    this.clear();
    complain(line);
  }

  /** Removes the line for good. */
  close(): void {
    clearInterval(this.#timer);
    this.clear();
  }
}

/** A bar of twenty characters for a share from 0 to 1. */
export function bar(share: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * 20);
  return `[${'#'.repeat(full)}${'.'.repeat(20 - full)}] ${String(Math.floor(share * 100)).padStart(3)}%`;
}

/** Prints rows under a heading in columns on standard output, with control characters escaped. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): void {
  const lines = [heading, ...rows].map((row) => row.map(escapeControls));
  const widths = heading.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  for (const line of lines) {
    const cells = line.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    print(cells.join('  ').trimEnd());
  }
}

/** Makes writes wait a minute while other processes write, and says so once after a second. */
export function commandPatience(progress = new Progress()): Patience {
  let isSaid = false;
  return {
    limitMs: PATIENCE_MS,
    waiting: (waitedMs) => {
      if (isSaid || waitedMs < NOTICE_MS) return;
      isSaid = true;
      progress.complain('The database is busy: another process is writing. Waiting for up to a minute …');
    },
  };
}

/** Writes lines together, 10 ms after the first: a write for each line would take a tenth of a request's time. */
export class LineWriter {
  readonly #write: (text: string) => void;
  #waiting = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  write(line: string): void {
    this.#waiting += line;
    if (this.#waiting.length > MOST_WAITING) this.flush();
    else
      this.#timer ??= setTimeout(() => {
        this.flush();
      }, WAIT_MS);
  }

  /** Writes the waiting lines at once, before the process ends. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting !== '') this.#write(this.#waiting);
    this.#waiting = '';
  }
}
