export const CLOSED = 0;
export const OPEN = 1;
export const UNKNOWN = 2;
/** One of these. */
export type StateCode = typeof CLOSED | typeof OPEN | typeof UNKNOWN;

const LEAST_CAPACITY = 1_024;
const MINUTE = 60_000;
// The last zone whose clocks showed other seconds than UTC gave that up in 1972.
const FIRST_WITH_MINUTES = Date.UTC(1973, 0);
const LAST_WITH_MINUTES = Date.UTC(4000, 0);

/** The states of places, as they were in the minute in which they were asked for last. */
export interface Judged {
  readonly forget: (slot: number) => void;
  /** The same function, which remembers its results for the minute of the instant. */
  readonly within: (instant: number, stateOf: (slot: number) => StateCode) => (slot: number) => StateCode;
}

/** Makes it empty. States do not change within a minute. */
export function createJudged(): Judged {
  // Minutes since 1970 and states, four to a minute; 0 for none.
  let states = new Uint32Array(LEAST_CAPACITY);
  return {
    forget: (slot) => {
      if (slot < states.length) states[slot] = 0;
    },
    within: (instant, stateOf) => {
      if (!(instant >= FIRST_WITH_MINUTES && instant < LAST_WITH_MINUTES)) return stateOf;
      const minute = 4 * Math.floor(instant / MINUTE);
      return (slot) => {
        const known = (states[slot] ?? 0) - minute;
        if (known === OPEN || known === CLOSED || known === UNKNOWN) return known;
        const state = stateOf(slot);
        if (slot >= states.length) states = enlarged(states, 2 * slot);
        states[slot] = minute + state;
        return state;
      };
    },
  };
}

function enlarged(numbers: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  const next = new Uint32Array(length);
  next.set(numbers);
  return next;
}
