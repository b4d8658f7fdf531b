import { type Variables, choice, integer } from './config-variables.ts';

/** What is kept of the past. */
export interface HistoryConfig {
  /** Days in which a deletion can be undone; 0: nothing of it is kept. */
  readonly trashDays: number;
  /** Days for which changes are logged; no fewer than `trashDays`. */
  readonly changeLogDays: number;
  /** Whether people other than administrators see who made a change. */
  readonly showsAuthors: boolean;
}

/** Reads it; faults are left in `variables`. */
export function readHistoryConfig(variables: Variables): HistoryConfig {
  const trashDays = integer(variables, 'TRASH_DAYS', 0, 3_650, 30);
  const changeLogDays = integer(variables, 'CHANGE_LOG_DAYS', 1, 36_500, 365);
  if (changeLogDays < trashDays)
    variables.faults.push(
      `CHANGE_LOG_DAYS must not be less than TRASH_DAYS (${trashDays}): a deletion is undone by its change`,
    );
  const showsAuthors = choice(variables, 'AUTHORS', ['usernames', 'none'], 'usernames') === 'usernames';
  return { trashDays, changeLogDays, showsAuthors };
}
