import { copied } from '../../kit/objects.ts';
import { MINUTE_MS } from '../../kit/time.ts';

export const CLOSED = 0;
export const OPEN = 1;
export const UNKNOWN = 2;
export type StateCode = typeof CLOSED | typeof OPEN | typeof UNKNOWN;

const LEAST_CAPACITY = 1_024;
// Until 1972 some zones were off UTC by a fraction of a minute.
const FIRST_WITH_MINUTES = Date.UTC(1973, 0);
const LAST_WITH_MINUTES = Date.UTC(4000, 0);

/** Caches whether each place is open, for one minute. */
export interface Judged {
  readonly forget: (slot: number) => void;
  /** Wraps `stateOf` in a cache of its results for the minute of the instant. */
  readonly within: (instant: number, stateOf: (slot: number) => StateCode) => (slot: number) => StateCode;
}

/** States do not change within a minute. */
export function createJudged(): Judged {
  // 4 * (minutes since 1970) + state; 0 if not cached.
  let states = new Uint32Array(LEAST_CAPACITY);
  return {
    forget: (slot) => {
      if (slot < states.length) states[slot] = 0;
    },
    within: (instant, stateOf) => {
      if (!(instant >= FIRST_WITH_MINUTES && instant < LAST_WITH_MINUTES)) return stateOf;
      const minute = 4 * Math.floor(instant / MINUTE_MS);
      return (slot) => {
        const known = (states[slot] ?? 0) - minute;
        if (known === OPEN || known === CLOSED || known === UNKNOWN) return known;
        const state = stateOf(slot);
        if (slot >= states.length) states = copied(states, new Uint32Array(2 * slot));
        states[slot] = minute + state;
        return state;
      };
    },
  };
}
