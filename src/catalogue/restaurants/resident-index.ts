import type { Hours } from '../hours/hours.ts';
import type { QueryFile } from '../../storage/statements.ts';
import { type LoggedChange, rowsOf } from './logged-change.ts';
import { type Order, createOrder } from './orders.ts';
import { createRowReader } from './row-reader.ts';
import { ORDER_NAMES, type OrderName, type Rows, createRows } from './rows.ts';

/** The rows as of now. */
export interface CurrentRows {
  readonly rows: Rows;
  readonly order: (name: OrderName) => Uint32Array;
}

/** The rows and orders in memory, as they were read last. */
export interface ResidentIndex {
  /** Reads everything anew, in steps of some milliseconds. */
  readonly load: () => Generator<undefined>;
  /** Reads again the rows that these changes may have changed. */
  readonly refresh: (changes: readonly LoggedChange[]) => void;
  readonly current: () => CurrentRows;
}

// The entities whose own texts are searched.
const TEXTS: ReadonlySet<LoggedChange['kind']> = new Set(['restaurant', 'suggestion']);

/** Opens an empty index on resident.sql. */
export function createResidentIndex(sql: QueryFile, hours: Hours): ResidentIndex {
  const read = createRowReader(sql);
  let rows = createRows(hours.timetables());
  let orders = ordersOf(rows);

  return {
    load: function* () {
      const next = createRows(hours.timetables(), read.count());
      for (const part of read.all()) {
        for (const row of part) next.put(row, true);
        yield;
      }
      const nextOrders = ordersOf(next);
      for (const name of ORDER_NAMES) yield* nextOrders[name].build();
      [rows, orders] = [next, nextOrders];
    },
    refresh: (changes) => {
      const ids = [...new Set(changes.flatMap(rowsOf))];
      const edited = new Set(changes.flatMap(({ kind, entity_id }) => (TEXTS.has(kind) ? entity_id : [])));
      const found = new Map(read.some(ids).map((row) => [row.id, row]));
      for (const id of ids) {
        const row = found.get(id);
        const { slot, moved } = row
          ? rows.put(row, edited.has(id))
          : { slot: rows.remove(id), moved: ORDER_NAMES };
        if (slot !== undefined) for (const name of moved) orders[name].moved(slot);
      }
    },
    current: () => ({ rows, order: (name) => orders[name].slots() }),
  };
}

function ordersOf(rows: Rows): Readonly<Record<OrderName, Order>> {
  return {
    newest: createOrder(rows, 'newest'),
    name: createOrder(rows, 'name'),
    rating: createOrder(rows, 'rating'),
    latitude: createOrder(rows, 'latitude'),
    grid: createOrder(rows, 'grid'),
  };
}
