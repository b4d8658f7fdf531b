import { copied } from '../kit/objects.ts';
import { type Point, finestCell, unitVector } from './geo.ts';
import { type IndexedField, STATUSES, type Status } from './request.ts';

/** A restaurant, or a pending suggestion. */
export interface Row {
  readonly id: number;
  readonly created_at: string;
  readonly search_name: string;
  readonly category_id: number | null;
  readonly status: Status;
  readonly food_type_ids: readonly number[];
  /** The opening hours, and the name of their time zone. */
  readonly hours: string | null;
  readonly zone: string | null;
  /** The overall average, then the indexed fields in order. */
  readonly numbers: readonly (number | null)[];
}

/** The orders of rows. `latitude` is for circles, with places without coordinates last; `grid` is for maps. */
export const ORDER_NAMES = ['newest', 'name', 'rating', 'latitude', 'grid'] as const;
export type OrderName = (typeof ORDER_NAMES)[number];

/**
 * The values of all rows, column by column: a row has the same slot in each of them. Slot 0 is never used, and a slot
 * without a row has the id 0. Growth replaces the arrays, so none may be held across a write.
 */
export class Columns {
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
  /** 1 for each slot with a row. */
  isRow = new Uint8Array(0);
  /** How often the texts of a slot have been written. */
  edits = new Uint32Array(0);
  /** The overall averages, and the indexed fields; NaN for null. */
  readonly #numbers: Map<string, Float64Array<ArrayBuffer>>;

  constructor(fields: readonly IndexedField[], capacity: number) {
    const names = ['overall', ...fields.map(({ name }) => name)];
    this.#numbers = new Map(names.map((name) => [name, new Float64Array(0)]));
    this.grow(capacity);
  }

  get capacity(): number {
    return this.id.length;
  }

  /** The column of `overall` or of an indexed field. Throws for any other name. */
  numbers(name: string): Float64Array {
    const column = this.#numbers.get(name);
    if (!column) throw new Error(`"${name}" is not indexed`);
    return column;
  }

  /** Writes a row, and returns the orders in which its position may differ from the slot's previous row. */
  write(slot: number, row: Row): readonly OrderName[] {
    const moved: OrderName[] = [];
    const created = Date.parse(row.created_at);
    if (this.created[slot] !== created) moved.push('newest');
    if (this.name[slot] !== row.search_name) moved.push('name');
    this.id[slot] = row.id;
    this.created[slot] = created;
    this.name[slot] = row.search_name;
    this.category[slot] = row.category_id ?? 0;
    this.status[slot] = STATUSES.indexOf(row.status);
    this.isRow[slot] = 1;
    const before = this.#placeOf(slot);
    const overall = this.numbers('overall')[slot];
    let index = 0;
    for (const column of this.#numbers.values()) {
      column[slot] = row.numbers[index] ?? NaN;
      index += 1;
    }
    if (overall !== this.numbers('overall')[slot]) moved.push('rating');
    const place = this.#placeOf(slot);
    const isSameLatitude = Object.is(before.latitude, place.latitude);
    if (!isSameLatitude) moved.push('latitude');
    if (!isSameLatitude || !Object.is(before.longitude, place.longitude)) moved.push('grid');
    this.vectors.set(unitVector(place), 3 * slot);
    [this.cellX[slot], this.cellY[slot]] = finestCell(place);
    return moved;
  }

  #placeOf(slot: number): Point {
    return {
      latitude: this.numbers('latitude')[slot] ?? NaN,
      longitude: this.numbers('longitude')[slot] ?? NaN,
    };
  }

  clear(slot: number): void {
    this.id[slot] = 0;
    this.isRow[slot] = 0;
    this.name[slot] = '';
  }

  grow(capacity: number): void {
    this.id = copied(this.id, new Float64Array(capacity));
    this.created = copied(this.created, new Float64Array(capacity));
    this.vectors = copied(this.vectors, new Float64Array(3 * capacity));
    this.cellX = copied(this.cellX, new Uint32Array(capacity));
    this.cellY = copied(this.cellY, new Uint32Array(capacity));
    this.category = copied(this.category, new Int32Array(capacity));
    this.foodTypes = copied(this.foodTypes, new Int32Array(capacity));
    this.status = copied(this.status, new Uint8Array(capacity));
    this.isRow = copied(this.isRow, new Uint8Array(capacity));
    this.edits = copied(this.edits, new Uint32Array(capacity));
    for (const [name, column] of this.#numbers)
      this.#numbers.set(name, copied(column, new Float64Array(capacity)));
  }
}
