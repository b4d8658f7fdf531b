import { setImmediate as nextTurn } from 'node:timers/promises';

/** Resolves when it is the caller's turn. */
export type Turn = () => Promise<void>;

/**
 * Lets one caller at a time go on, each in a turn of the event loop of its own. Were they all to go on in the same
 * turn, whoever else asks would wait for a slice of each of them: half a second with two hundred lists.
 */
export function createTurns(): Turn {
  let last = Promise.resolve();
  return () => (last = last.then(() => nextTurn()));
}
