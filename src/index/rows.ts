import { copied } from '../kit/objects.ts';
import { type Bits, TestedSlots, setBit } from './bits.ts';
import { type Point, compareCells, finestCell, unitVector } from './geo.ts';
import { type Compare, Order } from './orders.ts';
import { type ColumnValue, type IndexedField, type OpenState, ROW_STATUSES, type Status } from './request.ts';
import { NAME_BITS, Signatures, TEXT_BITS } from './signatures.ts';

/**
 * A restaurant or pending suggestion as SQLite returns it: an array, because objects take half as long again. The food types
 * are a JSON array, or are read separately.
 */
export type StoredRow = readonly [
  foodTypes: string | null,
  id: number,
  createdAt: string,
  searchName: string,
  overall: number,
  categoryId: number | null,
  status: Status,
  openingHours: string | null,
  timeZone: string | null,
  ...fields: ColumnValue[],
];

/** A row, and the ids of its food types. */
export type ReadRow = readonly [row: StoredRow, foodTypeIds: readonly number[]];

/** Returns the name of a place's time zone: the stored one, otherwise that of its coordinates. */
export type ZoneOf = (
  stored: ColumnValue,
  latitude: ColumnValue | undefined,
  longitude: ColumnValue | undefined,
) => string | null;

/** Opening hours by slot. */
export interface HoursBySlot {
  readonly set: (slot: number, hours: string | null, zone: string | null) => void;
  /** Parses stored hours for a few milliseconds. Returns true if some are left. */
  readonly readSome: () => boolean;
  /** Returns a function from slot to state at an instant. */
  readonly at: (instant: number) => (slot: number) => OpenState;
}

/** The orders of rows. `grid` is for circles, boxes and maps; places without coordinates are in its first cell. */
export const ORDER_NAMES = ['newest', 'name', 'rating', 'grid'] as const;
export type OrderName = (typeof ORDER_NAMES)[number];

const LEAST_CAPACITY = 1_024;
const PENDING = ROW_STATUSES.indexOf('pending');

/**
 * The values of all rows, column by column: a row has the same slot in each of them. Slot 0 is never used. Growth replaces
 * the arrays, so none may be held across a write.
 */
export class Rows {
  id = new Float64Array(0);
  /** Milliseconds since 1970. */
  created = new Float64Array(0);
  readonly name: string[] = [''];
  /** The coordinates as x, y and z on the unit sphere, three for each slot. */
  vectors = new Float64Array(0);
  /** The cell of the finest grid of maps. */
  cellX = new Uint32Array(0);
  cellY = new Uint32Array(0);
  /** 0 without one. */
  category = new Int32Array(0);
  /** The number of the set of food types. */
  foodTypes = new Int32Array(0);
  /** Index into STATUSES. */
  status = new Uint8Array(0);
  /** The slots with a row. */
  isRow: Bits = new Uint32Array(0);
  /** How often the texts of a slot have been written. */
  edits = new Uint32Array(0);
  readonly timetables: HoursBySlot;
  readonly signatures = new Signatures(TEXT_BITS);
  readonly nameSignatures = new Signatures(NAME_BITS);
  readonly foodTypeSets = new FoodTypeSets();
  readonly tested = new TestedSlots();
  readonly #fields: readonly IndexedField[];
  readonly #zoneOf: ZoneOf;
  /** The overall averages, and the indexed fields; NaN for null. */
  readonly #numbers: Map<string, Float64Array<ArrayBuffer>>;
  readonly #slots = new Map<number, number>();
  readonly #free: number[] = [];
  readonly #pending = new Set<number>();
  readonly #orders: Readonly<Record<OrderName, Order>> = {
    newest: new Order(),
    name: new Order(),
    rating: new Order(),
    grid: new Order(),
  };

  /** Allocates memory for the expected number of rows. */
  constructor(fields: readonly IndexedField[], timetables: HoursBySlot, zoneOf: ZoneOf, expected: number) {
    this.timetables = timetables;
    this.#fields = fields;
    this.#zoneOf = zoneOf;
    const names = ['overall', ...fields.map(({ name }) => name)];
    this.#numbers = new Map(names.map((name) => [name, new Float64Array(0)]));
    // A power of two, so that one bit per slot fills whole 32-bit numbers.
    this.#grow(Math.max(LEAST_CAPACITY, 2 ** Math.ceil(Math.log2(expected + 1))));
  }

  /** The number of slots, a power of two. */
  get capacity(): number {
    return this.id.length;
  }

  /** The number of rows. */
  get size(): number {
    return this.#slots.size;
  }

  /** The column of `overall` or of an indexed field. Throws for any other name. */
  numbers(name: string): Float64Array {
    const column = this.#numbers.get(name);
    if (!column) throw new Error(`"${name}" is not indexed`);
    return column;
  }

  /** 0 for an unknown id. */
  slotOf(id: number): number {
    return this.#slots.get(id) ?? 0;
  }

  idsAt(slots: Uint32Array): Float64Array {
    const ids = new Float64Array(slots.length);
    for (let at = 0; at < slots.length; at += 1) ids[at] = this.id[slots[at] ?? 0] ?? 0;
    return ids;
  }

  /** The slots of all rows in an order. The next write may change the array. */
  order(name: OrderName): Uint32Array {
    return this.#orders[name].slots();
  }

  /** Returns a comparison by the current columns, which is 0 only for equal slots. */
  compare(order: OrderName): Compare {
    const { id, created, name, cellX, cellY } = this;
    const overall = this.numbers('overall');
    const newerId = (left: number, right: number): number => (id[right] ?? 0) - (id[left] ?? 0);
    const newest = (left: number, right: number): number =>
      (created[right] ?? 0) - (created[left] ?? 0) || newerId(left, right);
    switch (order) {
      case 'newest':
        return newest;
      case 'rating':
        return (left, right) => (overall[right] ?? 0) - (overall[left] ?? 0) || newest(left, right);
      case 'name':
        return (left, right) => {
          const [mine, other] = [name[left] ?? '', name[right] ?? ''];
          return mine < other ? -1 : mine > other ? 1 : newerId(right, left);
        };
      case 'grid':
        return (left, right) =>
          compareCells(cellX[left] ?? 0, cellY[left] ?? 0, cellX[right] ?? 0, cellY[right] ?? 0) ||
          newerId(left, right);
    }
  }

  isPending(slot: number): boolean {
    return this.status[slot] === PENDING;
  }

  hasPending(): boolean {
    return this.#pending.size > 0;
  }

  /** True if most sets of food types are unused, so that reloading all rows frees memory. */
  hasUnusedSets(): boolean {
    return this.foodTypeSets.size > 2 * this.id.length;
  }

  /** All rows, or all except pending suggestions, as a set of their own. */
  all(withPending: boolean): Bits {
    const bits = this.isRow.slice();
    if (!withPending) for (const slot of this.#pending) setBit(bits, slot, false);
    return bits;
  }

  /**
   * Writes rows, new ones or not, and returns what `sortIn` must be called with before the next read. `isEdited`: the
   * restaurant or suggestion itself has changed, not only its ratings or the names of its category and food types.
   */
  put(rows: readonly ReadRow[], isEdited: (id: number) => boolean): ReadonlyMap<OrderName, Uint32Array> {
    const ids = [...new Set(rows.map(([[, id]]) => id))];
    const edited = ids.filter((id) => !this.#slots.has(id) || isEdited(id));
    const moved = new Map(ORDER_NAMES.map((name) => [name, name === 'rating' ? ids : edited]));
    for (const [name, some] of moved) this.#removeFrom(name, some);
    for (const read of rows) this.#put(read, isEdited);
    const slotsOf = (some: readonly number[]): Uint32Array => Uint32Array.from(some, (id) => this.slotOf(id));
    return new Map(Array.from(moved, ([name, some]) => [name, slotsOf(some)]));
  }

  sortIn(name: OrderName, slots: Uint32Array): void {
    this.#orders[name].insert(slots, this.compare(name));
  }

  remove(ids: ReadonlySet<number>): void {
    for (const name of ORDER_NAMES) this.#removeFrom(name, [...ids]);
    for (const id of ids) {
      const slot = this.slotOf(id);
      if (slot === 0) continue;
      this.#slots.delete(id);
      this.#free.push(slot);
      this.#pending.delete(slot);
      setBit(this.isRow, slot, false);
      this.name[slot] = '';
      this.signatures.drop(slot);
    }
  }

  /** Takes those of the rows that are there out of an order, before they change. */
  #removeFrom(name: OrderName, ids: readonly number[]): void {
    const slots = Uint32Array.from(ids, (id) => this.slotOf(id)).filter((slot) => slot !== 0);
    this.#orders[name].remove(slots, this.compare(name));
  }

  #put([row, foodTypeIds]: ReadRow, isEdited: (id: number) => boolean): void {
    const [, id, , , , , , hours, zone] = row;
    const known = this.#slots.get(id);
    const slot = known ?? this.#free.pop() ?? this.#slots.size + 1;
    if (slot === this.id.length) this.#grow(2 * slot);
    this.#slots.set(id, slot);
    const place = this.#write(slot, row, foodTypeIds);
    this.tested.update(slot);
    if (known !== undefined && !isEdited(id)) return;
    this.edits[slot] = (this.edits[slot] ?? 0) + 1;
    this.signatures.forget(slot);
    // Most places have no hours, and then need no zone.
    const { latitude, longitude } = place ?? {};
    this.timetables.set(slot, hours, hours === null ? null : this.#zoneOf(zone, latitude, longitude));
  }

  /** Returns the place of the row; undefined without coordinates. */
  #write(slot: number, row: StoredRow, foodTypeIds: readonly number[]): Point | undefined {
    const [, id, createdAt, searchName, overall, categoryId, status, , , ...values] = row;
    this.id[slot] = id;
    this.created[slot] = Date.parse(createdAt);
    this.name[slot] = searchName;
    this.category[slot] = categoryId ?? 0;
    this.foodTypes[slot] = this.foodTypeSets.numberOf(foodTypeIds);
    this.status[slot] = ROW_STATUSES.indexOf(status);
    setBit(this.isRow, slot, true);
    if (status === 'pending') this.#pending.add(slot);
    else this.#pending.delete(slot);
    this.numbers('overall')[slot] = overall;
    for (const [index, { name, toNumber }] of this.#fields.entries())
      this.numbers(name)[slot] = toNumber(values[index] ?? null) ?? NaN;
    const [latitude, longitude] = [this.numbers('latitude'), this.numbers('longitude')];
    const place = { latitude: latitude[slot] ?? NaN, longitude: longitude[slot] ?? NaN };
    this.vectors.set(unitVector(place), 3 * slot);
    [this.cellX[slot], this.cellY[slot]] = finestCell(place);
    return Number.isNaN(place.latitude) ? undefined : place;
  }

  #grow(capacity: number): void {
    this.id = copied(this.id, new Float64Array(capacity));
    this.created = copied(this.created, new Float64Array(capacity));
    this.vectors = copied(this.vectors, new Float64Array(3 * capacity));
    this.cellX = copied(this.cellX, new Uint32Array(capacity));
    this.cellY = copied(this.cellY, new Uint32Array(capacity));
    this.category = copied(this.category, new Int32Array(capacity));
    this.foodTypes = copied(this.foodTypes, new Int32Array(capacity));
    this.status = copied(this.status, new Uint8Array(capacity));
    this.isRow = copied(this.isRow, new Uint32Array(capacity >>> 5));
    this.edits = copied(this.edits, new Uint32Array(capacity));
    for (const [name, column] of this.#numbers)
      this.#numbers.set(name, copied(column, new Float64Array(capacity)));
    this.signatures.grow(capacity);
    this.nameSignatures.grow(capacity);
    this.tested.clear();
  }
}

/** Numbers the sets of food types, which rows share. */
class FoodTypeSets {
  readonly #numbers = new Map<string | number, number>();
  readonly #numbersById = new Map<number, number[]>();
  readonly #ids: (readonly number[])[] = [];

  get size(): number {
    return this.#numbers.size;
  }

  /** True if the set with this number contains an id. */
  has(number: number, id: number): boolean {
    return this.#ids[number]?.includes(id) === true;
  }

  /** By number: 1 for each set that contains any of these. */
  withAny(ids: Iterable<number>): Uint8Array {
    const marks = new Uint8Array(this.size);
    for (const id of ids) for (const number of this.#numbersById.get(id) ?? []) marks[number] = 1;
    return marks;
  }

  numberOf(ids: readonly number[]): number {
    // Most sets have one food type, and building a string would take longer than everything else here.
    const key = ids.length === 1 ? (ids[0] ?? '') : ids.join();
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.size;
    this.#numbers.set(key, number);
    this.#ids.push(ids);
    for (const id of ids) {
      const having = this.#numbersById.get(id);
      if (having) having.push(number);
      else this.#numbersById.set(id, [number]);
    }
    return number;
  }
}
