import type { Subject } from '../storage/change-log.ts';
import type { QueryFile } from '../storage/statements.ts';
import { type Lookups, createLookupReader } from './lookups-in-memory.ts';
import { type Order, createOrder } from './orders.ts';
import { type RowReader, createRowReader } from './row-reader.ts';
import { ORDER_NAMES, type OrderName, type Rows, createRows } from './rows.ts';

/** The rows of all restaurants and pending suggestions in memory, and their orders. */
export interface Resident {
  /** Takes over what was committed since; answers may then be made of it. Pauses where that is much. */
  readonly catchUp: (pause: () => Promise<void>) => Promise<void>;
  readonly rows: () => Rows;
  readonly lookups: () => Lookups;
  readonly order: (name: OrderName) => Uint32Array;
  /** Another number after every change. */
  readonly version: () => number;
  /** Notes that a write of this process changes an entity; to be called within its transaction. */
  readonly note: (change: LoggedChange) => void;
}

export interface ResidentOptions {
  /** resident.sql */
  readonly sql: QueryFile;
  /** How often other processes were seen to write. */
  readonly foreignWrites: () => number;
}

const SLICE = 500;
// More changes than this of other processes take longer to follow than to read all rows again.
const MOST_FOLLOWED = 50_000;

/** Reads all rows, and follows what changes them from then on. */
export function createResident({ sql, foreignWrites }: ResidentOptions): Resident {
  const log = createLogReader(sql);
  let known = foreignWrites();
  let followed = log.last();
  const held = createHeld(sql);
  const own: LoggedChange[] = [];
  let following: Promise<void> | undefined;

  function applyOwn(): void {
    if (own.length > 0) held.refresh(own.splice(0));
  }

  async function follow(pause: () => Promise<void>): Promise<void> {
    for (let steps = 0; ; steps += SLICE) {
      const changes = log.after(followed, SLICE);
      const [first] = changes;
      const isGap = first !== undefined && first.id > followed + 1;
      if (isGap || steps > MOST_FOLLOWED) {
        followed = log.last();
        held.reload();
        return;
      }
      held.refresh(changes);
      followed = changes.at(-1)?.id ?? followed;
      if (changes.length < SLICE) return;
      await pause();
    }
  }

  return {
    ...held,
    note: (change) => {
      own.push(change);
      // Reads may be rare; the transaction is over then.
      if (own.length === SLICE) setImmediate(applyOwn);
    },
    catchUp: async (pause) => {
      applyOwn();
      const now = foreignWrites();
      if (now === known && !following) return;
      known = now;
      following ??= follow(pause).finally(() => {
        following = undefined;
      });
      await following;
      applyOwn();
    },
  };
}

interface Held extends Pick<Resident, 'rows' | 'lookups' | 'order' | 'version'> {
  /** Reads again what these changes may have changed. */
  readonly refresh: (changes: readonly LoggedChange[]) => void;
  readonly reload: () => void;
}

function createHeld(sql: QueryFile): Held {
  const read = createRowReader(sql);
  const readLookups = createLookupReader(sql);
  let { rows, orders } = load(read);
  let lookups: Lookups | undefined;
  let version = 0;
  return {
    rows: () => rows,
    lookups: () => (lookups ??= readLookups()),
    order: (name) => orders[name].slots(),
    version: () => version,
    refresh: (changes) => {
      const ids = [...new Set(changes.flatMap((change) => idsOf(change)))];
      const found = new Map(read.some(ids).map((row) => [row.id, row]));
      for (const id of ids) {
        const row = found.get(id);
        const { slot, moved } = row ? rows.put(row) : { slot: rows.remove(id), moved: ORDER_NAMES };
        if (slot !== undefined) for (const name of moved) orders[name].moved(slot);
      }
      if (changes.some(({ kind }) => kind === 'category' || kind === 'food_type')) lookups = undefined;
      version += 1;
    },
    reload: () => {
      ({ rows, orders } = load(read));
      lookups = undefined;
      version += 1;
    },
  };
}

function load(read: RowReader): { readonly rows: Rows; readonly orders: Readonly<Record<OrderName, Order>> } {
  const rows = createRows();
  for (const row of read.all()) rows.put(row);
  const orders = {
    newest: createOrder(rows, 'newest'),
    name: createOrder(rows, 'name'),
    rating: createOrder(rows, 'rating'),
    latitude: createOrder(rows, 'latitude'),
  };
  return { rows, orders };
}

/** What tells which rows a change may have changed. */
export interface LoggedChange {
  readonly kind: Subject['kind'];
  readonly entity_id: number;
  readonly restaurant_id: number | null;
  readonly after: unknown;
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

/** The rows that a change may have changed. */
function idsOf({ kind, entity_id, restaurant_id, after }: LoggedChange): readonly number[] {
  if (kind === 'suggestion') return [entity_id];
  if (kind === 'photo') return [];
  if (restaurant_id !== null) return [restaurant_id];
  return [...idsIn(after, 'restaurant_ids'), ...idsIn(after, 'suggestion_ids')];
}

function idsIn(entity: unknown, name: string): readonly number[] {
  const ids: unknown = typeof entity === 'object' && entity !== null ? Reflect.get(entity, name) : undefined;
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'number') : [];
}
