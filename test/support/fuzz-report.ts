import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Plan } from './fuzz-plans.ts';
import { type Sendable, asCurl } from './fuzz-sender.ts';

/** The findings of a fuzzer. */
export interface Report {
  /** How many requests were sent. */
  readonly sent: () => number;
  /** The faults: each kind once, with its number and its first request. */
  readonly problems: () => readonly string[];
  /** The share of good requests that got what they asked for. */
  readonly goodShare: () => number;
  /** The statuses of good requests by operation. */
  readonly table: () => string;
  /** The memory of the process in MB, as often as it was measured. */
  readonly memory: () => readonly number[];
}

/** A report that is being written. */
export interface Draft extends Report {
  /** Takes note of a request that is about to be sent. */
  readonly noteRequest: () => void;
  /** Takes note of the status of a good request. */
  readonly noteStatus: (operationId: string, status: number) => void;
  readonly noteProblem: (plan: Plan, sendable: Sendable, fault: string) => void;
  /** Measures the memory of the process. */
  readonly noteMemory: () => void;
}

const MB = 1024 * 1024;
// Memory that is only not free yet says nothing.
setFlagsFromString('--expose-gc');
const collectGarbage: unknown = runInNewContext('gc');

/** A report with nothing in it. */
export function createReport(): Draft {
  const problems = new Map<string, { readonly first: string; readonly times: number }>();
  const statuses = new Map<string, Map<number, number>>();
  const memory: number[] = [];
  let sent = 0;

  function noteProblem({ operation, broken = 'good' }: Plan, sendable: Sendable, fault: string): void {
    const key = `${operation.operationId}: ${fault}`;
    const first = `${key}, first in request ${sent} (${broken}): ${asCurl(sendable)}`;
    const known = problems.get(key) ?? { first, times: 0 };
    problems.set(key, { ...known, times: known.times + 1 });
  }

  function noteStatus(operationId: string, status: number): void {
    const own = statuses.get(operationId) ?? new Map<number, number>();
    statuses.set(operationId, own.set(status, (own.get(status) ?? 0) + 1));
  }

  function goodShare(): number {
    const all = [...statuses.values()].flatMap((own) => [...own]);
    return timesOf(all.filter(([status]) => status < 400)) / timesOf(all);
  }

  return {
    noteRequest: () => {
      sent += 1;
    },
    noteStatus,
    noteProblem,
    noteMemory: () => {
      if (typeof collectGarbage === 'function') Reflect.apply(collectGarbage, undefined, []);
      memory.push(Math.round(process.memoryUsage().rss / MB));
    },
    sent: () => sent,
    problems: () => [...problems.values()].map(({ first, times }) => `${times} x ${first}`),
    goodShare,
    table: () =>
      [...statuses].map(([name, own]) => `${name}: ${[...own].map(entryOf).join(', ')}`).join('\n'),
    memory: () => memory,
  };
}

function entryOf([status, times]: readonly [number, number]): string {
  return `${times} x ${status}`;
}

function timesOf(counts: readonly (readonly [number, number])[]): number {
  return counts.reduce((sum, [, times]) => sum + times, 0);
}
