import { setImmediate } from 'node:timers/promises';
import type { Hours } from '../hours/hours.ts';
import type { QueryFile } from '../../storage/statements.ts';
import type { Versions } from '../../storage/versions.ts';
import type { LoggedChange } from './logged-change.ts';
import { type Lookups, createLookupReader } from './lookups.ts';
import { type CurrentRows, type ResidentIndex, createResidentIndex } from './resident-index.ts';

/** All that lists need, as of now. */
export interface Current extends CurrentRows {
  readonly lookups: Lookups;
}

/** The resident index: rows of all restaurants and pending suggestions in memory, and their orders. */
export interface Resident {
  /**
   * The index with everything that is committed by now. Use it at once: a write may change it in any later callback. Waits
   * while it is loaded, and while many changes of another process are read.
   */
  readonly current: () => Promise<Current>;
  /** Waits until the opening hours of all rows were read, for lists of what is open: it takes longer than all else. */
  readonly withHours: () => Promise<Current>;
  /** All categories and food types, at once, within a transaction too: they are read when they may have changed. */
  readonly lookups: () => Lookups;
  /** Notes that a write of this process changes an entity. Call it within the transaction. */
  readonly note: (change: LoggedChange) => void;
}

export interface ResidentOptions {
  /** resident.sql */
  readonly sql: QueryFile;
  readonly versions: Versions;
  readonly hours: Hours;
}

const SLICE = 500;
// More changes than this of other processes take longer to follow than to read all rows again.
const MOST_FOLLOWED = 50_000;

/** Opens the index, loads it in slices of some milliseconds, and follows the change log from then on. */
export function createResident({ sql, versions, hours }: ResidentOptions): Resident {
  const index = createResidentIndex(sql, hours);
  const log = createLogReader(sql);
  const follower = createFollower(index, log);
  const lookups = createCurrentLookups(sql, versions);
  const readHours = createHoursReader(index);
  const own: LoggedChange[] = [];
  let known: number | undefined;
  let updating: Promise<void> | undefined;

  function applyOwn(): void {
    if (own.length === 0 || updating) return;
    const last = log.last();
    index.refresh(own.splice(0));
    // Then all changes up to there are this process's own, and need not be read from the log.
    if (versions.checkForeignWrites() === known) follower.skipTo(last);
  }

  async function update(): Promise<void> {
    try {
      await follower.follow();
    } catch (error) {
      // The next request tries again.
      known = undefined;
      throw error;
    } finally {
      updating = undefined;
    }
  }

  async function current(): Promise<Current> {
    const now = versions.foreignWrites();
    if (now !== known || updating) {
      known = now;
      updating ??= update();
      await updating;
    }
    applyOwn();
    return { ...index.current(), lookups: lookups.get() };
  }

  const withHours = (): Promise<Current> => current().then(readHours).then(current);

  // A failure is that of the next request.
  withHours().catch(() => undefined);
  return {
    ...{ current, withHours },
    lookups: lookups.get,
    note: (change) => {
      own.push(change);
      if (change.kind === 'category' || change.kind === 'food_type') lookups.drop();
      // Reads may be rare; the transaction is over then.
      if (own.length % SLICE === 0) globalThis.setImmediate(applyOwn);
    },
  };
}

/** Makes a function that reads the opening hours of all rows in slices, once for all that wait for it. */
function createHoursReader(index: ResidentIndex): () => Promise<void> {
  let reading: Promise<void> | undefined;
  const read = async (): Promise<void> => {
    try {
      while (index.current().rows.readHours()) await setImmediate();
    } finally {
      reading = undefined;
    }
  };
  return () => (reading ??= read());
}

function createCurrentLookups(
  sql: QueryFile,
  versions: Versions,
): { readonly get: () => Lookups; readonly drop: () => void } {
  const read = createLookupReader(sql);
  let known: { readonly lookups: Lookups; readonly foreignWrites: number } | undefined;
  let mayBeUndone = false;
  return {
    get: () => {
      const foreignWrites = versions.foreignWrites();
      if (known?.foreignWrites === foreignWrites) return known.lookups;
      const lookups = read();
      if (!mayBeUndone) known = { lookups, foreignWrites };
      return lookups;
    },
    drop: () => {
      known = undefined;
      mayBeUndone = true;
      // The transaction, which is synchronous, is over by then.
      process.nextTick(() => {
        mayBeUndone = false;
      });
    },
  };
}

interface Follower {
  /** Applies all changes of the log since the last one, or loads the index where there is no last one or a gap behind it. */
  readonly follow: () => Promise<void>;
  /** Makes a change the last one that was applied. */
  readonly skipTo: (changeId: number) => void;
}

function createFollower(index: ResidentIndex, log: LogReader): Follower {
  let last: number | undefined;

  /** Slices begin in callbacks of their own, so that no request waits for more than one of them. */
  async function load(): Promise<number> {
    const before = log.last();
    for (const step of index.load()) await setImmediate(step);
    return before;
  }

  async function follow(): Promise<void> {
    last ??= await load();
    for (let count = 0; count < MOST_FOLLOWED; count += SLICE) {
      const changes = log.after(last, SLICE);
      const [first] = changes;
      if (first !== undefined && first.id > last + 1) break;
      index.refresh(changes);
      last = changes.at(-1)?.id ?? last;
      if (changes.length < SLICE) return;
      await setImmediate();
    }
    last = undefined;
    await follow();
  }

  return {
    follow,
    skipTo: (changeId) => {
      last = changeId;
    },
  };
}

interface LogReader {
  readonly last: () => number;
  readonly after: (id: number, limit: number) => readonly (LoggedChange & { readonly id: number })[];
}

function createLogReader(sql: QueryFile): LogReader {
  const last = sql.prepare<{ id: number | null }>('lastChange');
  const list = sql.prepare<LoggedChange & { id: number; after: string | null }>('listChanges');
  return {
    last: () => last.get()?.id ?? 0,
    after: (after, limit) =>
      list.all({ after, limit }).map((change) => ({ ...change, after: parsedOrNull(change.after) })),
  };
}

function parsedOrNull(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}
