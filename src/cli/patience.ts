import type { Patience } from '../storage/group-commit.ts';
import { type Progress, complain } from './terminal.ts';

const LIMIT_MS = 60_000;
const NOTICE_MS = 1_000;

/** How long a command waits while other processes write; it says so once, after a second, in place of its progress. */
export function commandPatience({ clear }: Pick<Progress, 'clear'>): Patience {
  let isSaid = false;
  return {
    limitMs: LIMIT_MS,
    waiting: (waitedMs) => {
      if (isSaid || waitedMs < NOTICE_MS) return;
      isSaid = true;
      clear();
      complain('The database is busy: another process is writing. Waiting for up to a minute …');
    },
  };
}
