import { Columns, ORDER_NAMES, type OrderName, type Row } from './columns.ts';
import { Order } from './orders.ts';
import { type IndexedField, STATUSES } from './request.ts';
import { Signatures } from './signatures.ts';

/** Opening hours by slot. */
export interface Timetables {
  readonly set: (slot: number, hours: string | null, zone: string | null) => void;
  /** Parses stored hours for a few milliseconds. Returns true if some are left. */
  readonly readSome: () => boolean;
  /** Returns a function from slot to state at an instant: 0 closed, 1 open, 2 unknown. */
  readonly at: (instant: number) => (slot: number) => 0 | 1 | 2;
}

/** By slot: 1 for each row that passes. */
export type Marks = Uint8Array;

const LEAST_CAPACITY = 1_024;
const PENDING = STATUSES.indexOf('pending');

/** All rows, by id and in each order. */
export class Rows {
  readonly columns: Columns;
  readonly timetables: Timetables;
  readonly signatures = new Signatures();
  readonly foodTypeSets = new FoodTypeSets();
  readonly #slots = new Map<number, number>();
  readonly #free: number[] = [];
  readonly #pending = new Set<number>();
  readonly #orders: ReadonlyMap<OrderName, Order>;
  #marks: Marks = new Uint8Array(0);

  /** Allocates memory for the expected number of rows. */
  constructor(fields: readonly IndexedField[], timetables: Timetables, expected = 0) {
    // A power of two, so that one bit per slot fills whole 32-bit numbers.
    this.columns = new Columns(fields, Math.max(LEAST_CAPACITY, 2 ** Math.ceil(Math.log2(expected + 1))));
    this.timetables = timetables;
    this.signatures.grow(this.columns.capacity);
    this.#orders = new Map(ORDER_NAMES.map((name) => [name, new Order(name, this.columns)]));
  }

  /** 0 for an unknown id. */
  slotOf(id: number): number {
    return this.#slots.get(id) ?? 0;
  }

  /** The slots of all rows in an order. The array never changes. */
  order(name: OrderName): Uint32Array {
    const order = this.#orders.get(name);
    if (!order) throw new Error(`there is no order "${name}"`);
    return order.slots();
  }

  isPending(slot: number): boolean {
    return this.columns.status[slot] === PENDING;
  }

  hasPending(): boolean {
    return this.#pending.size > 0;
  }

  /**
   * Marks all rows, or all except pending suggestions. The next call overwrites the array: allocating one per list would be
   * slow.
   */
  mark(withPending: boolean): Marks {
    const { isRow } = this.columns;
    if (this.#marks.length < isRow.length) this.#marks = new Uint8Array(isRow.length);
    this.#marks.set(isRow);
    if (!withPending) for (const slot of this.#pending) this.#marks[slot] = 0;
    return this.#marks;
  }

  /** Inserts or replaces a row. `isEdited`: its texts may have changed. */
  put(row: Row, isEdited: boolean): void {
    const { columns } = this;
    const known = this.#slots.get(row.id);
    const slot = known ?? this.#free.pop() ?? this.#slots.size + 1;
    if (slot === columns.capacity) {
      columns.grow(2 * slot);
      this.signatures.grow(2 * slot);
    }
    if (known === undefined) this.#slots.set(row.id, slot);
    else this.#forget(slot);
    const moved = columns.write(slot, row);
    if (known === undefined) for (const order of this.#orders.values()) order.added(slot);
    else for (const name of moved) this.#orders.get(name)?.moved(slot);
    if (isEdited || known === undefined) {
      columns.edits[slot] = (columns.edits[slot] ?? 0) + 1;
      this.signatures.forget(slot);
      this.timetables.set(slot, row.hours, row.zone);
    }
    columns.foodTypes[slot] = this.foodTypeSets.hold(row.food_type_ids);
    if (row.status === 'pending') this.#pending.add(slot);
  }

  remove(id: number): void {
    const slot = this.#slots.get(id);
    if (slot === undefined) return;
    this.#slots.delete(id);
    this.#free.push(slot);
    this.#forget(slot);
    this.columns.clear(slot);
    this.signatures.drop(slot);
    for (const order of this.#orders.values()) order.moved(slot);
  }

  #forget(slot: number): void {
    this.#pending.delete(slot);
    this.foodTypeSets.release(this.columns.foodTypes[slot] ?? 0);
  }
}

interface CountedSet {
  readonly ids: readonly number[];
  holders: number;
}

/** Numbers the sets of food types, which rows share, and counts references to drop unused ones. */
class FoodTypeSets {
  readonly #sets: (CountedSet | undefined)[] = [];
  readonly #numbers = new Map<string | number, number>();
  readonly #numbersById = new Map<number, Set<number>>();
  readonly #free: number[] = [];

  /** By number: 1 for each set that contains any of these. */
  withAny(ids: Iterable<number>): Uint8Array {
    const marks = new Uint8Array(this.#sets.length);
    for (const id of ids) for (const number of this.#numbersById.get(id) ?? []) marks[number] = 1;
    return marks;
  }

  /** Adds a reference to a set, and returns its number. */
  hold(ids: readonly number[]): number {
    const number = this.#numbers.get(keyOf(ids)) ?? this.#add(ids);
    const set = this.#sets[number];
    if (set) set.holders += 1;
    return number;
  }

  /** Removes a reference. */
  release(number: number): void {
    const set = this.#sets[number];
    if (!set) return;
    set.holders -= 1;
    if (set.holders > 0) return;
    this.#sets[number] = undefined;
    this.#free.push(number);
    this.#numbers.delete(keyOf(set.ids));
    for (const id of set.ids) this.#numbersById.get(id)?.delete(number);
  }

  #add(ids: readonly number[]): number {
    const number = this.#free.pop() ?? this.#sets.length;
    this.#sets[number] = { ids, holders: 0 };
    this.#numbers.set(keyOf(ids), number);
    for (const id of ids) {
      const having = this.#numbersById.get(id) ?? new Set();
      this.#numbersById.set(id, having.add(number));
    }
    return number;
  }
}

/** Most sets have one food type, and building a string would take longer than everything else here. */
function keyOf(ids: readonly number[]): string | number {
  return ids.length === 1 ? (ids[0] ?? '') : ids.join();
}
