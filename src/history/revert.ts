import {
  type Batch,
  type ChangeLog,
  type Entity,
  type Kind,
  type Write,
  type Writer,
  isSame,
} from '../storage/change-log.ts';
import { storedEntity } from '../storage/stored.ts';
import { type Entities, type EntityAccess, FORGOTTEN } from './entities.ts';
import { type ChangeRow, isPrivate } from './record.ts';
import type { ChangeStore } from './store.ts';

/** A revert was refused because of obstacles. */
export class RevertRefused extends Error {
  override readonly name = 'RevertRefused';
  readonly obstacles: readonly string[];

  constructor(obstacles: readonly string[]) {
    super(obstacles.join('; '));
    this.obstacles = obstacles;
  }
}

/** A batch that has reverted something. */
export type MadeBatch = Batch & { readonly id: number };

const SLICE = 500;
const NAMED_OBSTACLES = 20;

/** The sentence for a change that was not undone. */
export function changeRefusal(id: number, obstacles: readonly string[]): string {
  return `Change ${id} cannot be reverted: ${obstacles.join('; ')}`;
}

/** The sentence for a batch that was not undone, with the first obstacles. */
export function batchRefusal(id: number, obstacles: readonly string[]): string {
  const count = `${obstacles.length} obstacle${obstacles.length === 1 ? '' : 's'}`;
  return `Batch ${id} cannot be reverted: ${count}: ${obstacles.slice(0, NAMED_OBSTACLES).join('; ')}`;
}

/**
 * Undoes writes with a new one. Must run in a transaction; roll it back on a RevertRefused.
 */
export class Reverter {
  readonly #store: ChangeStore;
  readonly #entities: Entities;
  readonly #begin: ChangeLog['begin'];

  constructor(store: ChangeStore, entities: Entities, begin: ChangeLog['begin']) {
    this.#store = store;
    this.#entities = entities;
    this.#begin = begin;
  }

  /** Undoes the write that a change belongs to. */
  revertWrite(row: ChangeRow, write: Write): void {
    const rows = this.#store.ofWrite(row.write_id).reverse();
    const undone = rows.find(({ reverted_by }) => reverted_by !== null);
    if (undone) throw new RevertRefused([`it was reverted by change ${undone.reverted_by ?? ''}`]);
    if (rows.every(isEmpty)) throw new RevertRefused(['it changed nothing']);
    const undo = new Undo(this.#store, this.#entities);
    const obstacles = rows.flatMap((one) => undo.change(one, write));
    if (obstacles.length > 0) throw new RevertRefused(obstacles);
  }

  /** Undoes the changes of a batch that are not undone yet, newest first, as a new batch. */
  revertBatch(batchId: number, writer: Writer): MadeBatch {
    const batch: Batch = { file: null, reverts: batchId, id: undefined };
    const undo = new Undo(this.#store, this.#entities);
    const obstacles: string[] = [];
    let write: { readonly id: number; readonly is: Write } | undefined;
    for (const row of this.#rowsOf(batchId)) {
      if (row.reverted_by !== null || isEmpty(row)) continue;
      if (write?.id !== row.write_id) write = { id: row.write_id, is: this.#begin({ ...writer, batch }) };
      obstacles.push(...undo.change(row, write.is));
    }
    if (obstacles.length > 0) throw new RevertRefused(obstacles);
    const { id } = batch;
    if (id !== undefined) return { ...batch, id };
    const by = this.#store.batch(batchId)?.reverted_by ?? null;
    throw new RevertRefused([
      by === null ? 'all of it was reverted before' : `it was reverted by batch ${by}`,
    ]);
  }

  *#rowsOf(batchId: number): Generator<ChangeRow> {
    let before: number | undefined = Number.MAX_SAFE_INTEGER;
    while (before !== undefined) {
      const rows: readonly ChangeRow[] = this.#store.ofBatch(batchId, before, SLICE);
      yield* rows;
      before = rows.at(-1)?.id;
    }
  }
}

/** Whether there is nothing to undo: nothing changed, or the list or visit was erased with the account of its owner. */
function isEmpty({ kind, owner_id, action, fields }: ChangeRow): boolean {
  if (isPrivate(kind) && owner_id === null) return true;
  return action === 'update' && (fields === null || fields === '[]');
}

/** Undoes changes one after the other, the newest first. */
class Undo {
  readonly #store: ChangeStore;
  readonly #entities: Entities;
  // Restaurants that could not be restored; do not report their ratings and photos as well.
  readonly #missing = new Set<number>();

  constructor(store: ChangeStore, entities: Entities) {
    this.#store = store;
    this.#entities = entities;
  }

  /** Returns the obstacles. */
  change(row: ChangeRow, write: Write): readonly string[] {
    if (isEmpty(row)) return [];
    write.reverting(row.id);
    if (row.action === 'delete') return this.#restore(row, write);
    const { kind, entity_id: id, restaurant_id } = row;
    const current = this.#entities[kind].get(id);
    if (!current) return [this.#whyGone(kind, id, restaurant_id)];
    return row.action === 'update' ? this.#update(row, current, write) : this.#remove(row, current, write);
  }

  #restore(row: ChangeRow, write: Write): readonly string[] {
    const { kind, entity_id: id, restaurant_id, before, kept_until } = row;
    const { [kind]: access, restaurant } = this.#entities;
    if (access.get(id)) return [`${nounOf(kind)} ${id} is there`];
    if (kind === 'restaurant') this.#missing.add(id);
    if (before === null || kept_until === null || kept_until <= write.now) return [FORGOTTEN];
    if (restaurant_id !== null && kind !== 'restaurant' && !restaurant.get(restaurant_id))
      return this.#missing.has(restaurant_id)
        ? []
        : [this.#whyGone('restaurant', restaurant_id, restaurant_id)];
    const obstacles = access.restore(storedEntity(before), write);
    if (obstacles.length === 0 && kind === 'restaurant') this.#missing.delete(id);
    return obstacles;
  }

  #remove({ kind, entity_id: id, after, at }: ChangeRow, current: Entity, write: Write): readonly string[] {
    if (after === null) return [FORGOTTEN];
    const access: EntityAccess = this.#entities[kind];
    const made = storedEntity(after);
    const others = access.others?.(id, made, at);
    const obstacles = [
      ...(differs(current, made) ? [`${nounOf(kind)} ${id} was changed later`] : []),
      ...(others === undefined ? [] : [`${nounOf(kind)} ${id} has ${others} by now`]),
    ];
    if (obstacles.length === 0) access.remove(id, write);
    return obstacles;
  }

  #update(row: ChangeRow, current: Entity, write: Write): readonly string[] {
    const { kind, entity_id: id, before, after } = row;
    if (before === null || after === null) return [FORGOTTEN];
    const access: EntityAccess = this.#entities[kind];
    const { updated_at: _stays, ...values } = storedEntity(before);
    const made = storedEntity(after);
    const now = access.narrowed?.(current, values, made) ?? current;
    const obstacles = Object.keys(values)
      .filter((name) => !isSame(now[name], made[name]))
      .map((name) => `${name} of ${nounOf(kind)} ${id} was changed later`);
    if (obstacles.length > 0) return obstacles;
    const { restaurant_id: became } = values;
    if (typeof became === 'number' && this.#missing.has(became)) return [];
    return access.update(id, values, write, made);
  }

  /** Why an entity is not there: it was deleted, or its restaurant was. */
  #whyGone(kind: Kind, id: number, restaurantId: number | null): string {
    const own = this.#store.deletionOf(kind, id);
    const isAlone = own !== undefined || restaurantId === null || kind === 'restaurant';
    const by = isAlone ? own : this.#store.deletionOf('restaurant', restaurantId);
    const what = isAlone ? `${nounOf(kind)} ${id}` : `restaurant ${restaurantId}`;
    return `${what} is deleted${by === undefined ? '' : ` (change ${by})`}`;
  }
}

function nounOf(kind: Kind): string {
  return kind.replace('_', ' ');
}

// The fields that the deletion of another entity changes without a new `updated_at`.
const REFERENCES = [
  'category_id',
  'suggested_category_id',
  'food_type_ids',
  'suggestion_id',
  'restaurant_id',
];

// An author changes only by losing the account.
const NEVER_COMPARED = ['updated_at', 'author_id'];

/** Compares values, since two changes in the same millisecond share one `updated_at`. */
function differs(current: Entity, after: Entity): boolean {
  const isTouched = !isSame(current['updated_at'], after['updated_at']);
  const names = Object.keys(current).filter((name) => isTouched || !REFERENCES.includes(name));
  // The log may be older than a field, which was null then.
  return names.some((name) => !NEVER_COMPARED.includes(name) && !isSame(current[name], after[name] ?? null));
}
