import { counted } from '../kit/sentences.ts';
import {
  type Batch,
  type ChangeLog,
  type Entity,
  type EntityKind,
  type Write,
  type Writer,
  isSame,
} from '../storage/change-log.ts';
import { storedEntity } from '../storage/stored.ts';
import { type Entities, FORGOTTEN, mergedInto } from './entities.ts';
import { type BatchRow, type ChangeRow, isPrivate } from './record.ts';
import type { ChangeStore } from './store.ts';

/** A revert was refused; the message says what was to be reverted and why it cannot be. */
export class RevertRefused extends Error {
  override readonly name = 'RevertRefused';
}

const SLICE = 500;
const NAMED_OBSTACLES = 20;

/** Undoes writes with new ones. Must run in a transaction; roll it back on a RevertRefused. */
export class Reverter {
  readonly #store: ChangeStore;
  readonly #entities: Entities;
  readonly #log: ChangeLog;
  // Restaurants that the current revert could not restore; it does not report their ratings and photos as well.
  readonly #missing = new Set<number>();
  // Restaurants that it could not set back. What was merged into them is not reported as well.
  readonly #unchanged = new Set<number>();

  constructor(store: ChangeStore, entities: Entities, log: ChangeLog) {
    this.#store = store;
    this.#entities = entities;
    this.#log = log;
  }

  /** Undoes the write that a change belongs to. */
  revertWrite(row: ChangeRow, write: Write): void {
    const rows = this.#store.ofWrite(row.write_id).reverse();
    const undone = rows.find(({ reverted_by }) => reverted_by !== null);
    const obstacles = undone
      ? [`it was reverted by change ${undone.reverted_by ?? ''}`]
      : rows.every(isEmpty)
        ? ['it changed nothing']
        : this.#undo(rows, () => write);
    if (obstacles.length > 0)
      throw new RevertRefused(`Change ${row.id} cannot be reverted: ${obstacles.join('; ')}`);
  }

  /**
   * Undoes the changes of a batch that are not undone yet, newest first. Returns the batch of the revert and its first change.
   * Those for which `mayRevert` is false are obstacles.
   */
  revertBatch(
    batchId: number,
    writer: Writer,
    mayRevert: (row: ChangeRow) => boolean = () => true,
  ): { readonly made: BatchRow; readonly changeId: number | undefined } {
    const batch: Batch = { file: null, reverts: batchId, id: undefined };
    let current: { readonly undoes: number; readonly write: Write } | undefined;
    const obstacles = this.#undo(this.#rowsOf(batchId), (row) => {
      if (!mayRevert(row)) return undefined;
      const { write_id: undoes } = row;
      if (current?.undoes !== undoes) current = { undoes, write: this.#log.begin({ ...writer, batch }) };
      return current.write;
    });
    const made = this.#store.batch(batch.id ?? 0, writer.userId);
    if (made && obstacles.length === 0) return { made, changeId: batch.firstChange };
    const by = this.#store.batch(batchId, null)?.reverted_by ?? null;
    if (obstacles.length === 0)
      obstacles.push(by === null ? 'all of it was reverted before' : `it was reverted by batch ${by}`);
    const named = obstacles.slice(0, NAMED_OBSTACLES).join('; ');
    const count = counted(obstacles.length, 'obstacle');
    throw new RevertRefused(`Batch ${batchId} cannot be reverted: ${count}: ${named}`);
  }

  *#rowsOf(batchId: number): Generator<ChangeRow> {
    let before: number | undefined = Number.MAX_SAFE_INTEGER;
    while (before !== undefined) {
      const rows: readonly ChangeRow[] = this.#store.ofBatch(batchId, before, SLICE);
      yield* rows;
      before = rows.at(-1)?.id;
    }
  }

  /** Undoes changes that are not undone yet, in this order. Returns the obstacles; without a write for it a change is one. */
  #undo(rows: Iterable<ChangeRow>, writeFor: (row: ChangeRow) => Write | undefined): string[] {
    this.#missing.clear();
    this.#unchanged.clear();
    const obstacles: string[] = [];
    for (const row of rows) {
      if (row.reverted_by !== null || isEmpty(row)) continue;
      const write = writeFor(row);
      if (!write) {
        obstacles.push(`change ${row.id} is not yours to revert`);
        continue;
      }
      write.reverting(row.id);
      obstacles.push(...(row.action === 'delete' ? this.#restore(row, write) : this.#takeBack(row, write)));
    }
    // An obstacle to several changes is named once.
    return [...new Set(obstacles)];
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
    const deleted = storedEntity(before);
    const gone = this.#goneTarget(deleted);
    if (gone !== undefined) return [gone];
    if (this.#unchanged.has(mergedInto(deleted) ?? 0)) return [];
    const obstacles = access.restore(deleted, write);
    if (obstacles.length === 0 && kind === 'restaurant') this.#missing.delete(id);
    return obstacles;
  }

  /** Removes what was created or restored, or sets back what was updated, unless it was changed since. */
  #takeBack(row: ChangeRow, write: Write): readonly string[] {
    const { kind, action, entity_id: id, before, after, at } = row;
    const access = this.#entities[kind];
    const noun = `${nounOf(kind)} ${id}`;
    const found = access.get(id);
    if (!found) return [this.#whyGone(kind, id, row.restaurant_id)];
    if (after === null || (action === 'update' && before === null)) return [FORGOTTEN];
    const current: Entity = { ...found };
    const made = storedEntity(after);
    if (action !== 'update' || before === null) {
      const others = access.others?.(id, made, at);
      const gone = this.#goneTarget(made);
      const obstacles = [
        ...(gone === undefined ? [] : [gone]),
        ...(differs(current, made) ? [`${noun} was changed later`] : []),
        ...(others === undefined ? [] : [`${noun} has ${others} by now`]),
      ];
      if (obstacles.length === 0) access.remove(id, write, made);
      return obstacles;
    }
    const { updated_at: _stays, ...values } = storedEntity(before);
    const now = access.narrowed?.(current, values, made) ?? current;
    const obstacles = Object.keys(values)
      .filter((name) => !isSame(now[name], made[name]))
      .map((name) => `${name} of ${noun} was changed later`);
    if (obstacles.length > 0) {
      if (kind === 'restaurant') this.#unchanged.add(id);
      return obstacles;
    }
    const { restaurant_id: became } = values;
    if (typeof became === 'number' && this.#missing.has(became)) return [];
    return access.update(id, values, write, made);
  }

  /** Why the restaurant into which this one was merged, or is to be merged again, is not there; undefined if it is. */
  #goneTarget(entity: Entity): string | undefined {
    const id = mergedInto(entity);
    const isGone = id !== undefined && !this.#entities.restaurant.get(id);
    return isGone ? this.#whyGone('restaurant', id, id) : undefined;
  }

  /** Why an entity is not there: it was deleted, or its restaurant was. */
  #whyGone(kind: EntityKind, id: number, restaurantId: number | null): string {
    const own = this.#store.deletionOf(kind, id);
    const isAlone = own !== undefined || restaurantId === null || kind === 'restaurant';
    const by = isAlone ? own : this.#store.deletionOf('restaurant', restaurantId);
    const what = isAlone ? `${nounOf(kind)} ${id}` : `restaurant ${restaurantId}`;
    return `${what} is deleted${by === undefined ? '' : ` (change ${by})`}`;
  }
}

/** Whether there is nothing to undo: nothing changed, or the list or visit was erased with the account of its owner. */
function isEmpty({ kind, owner_id, action, fields }: ChangeRow): boolean {
  if (isPrivate(kind) && owner_id === null) return true;
  return action === 'update' && (fields === null || fields === '[]');
}

function nounOf(kind: EntityKind): string {
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

// An author changes only by losing the account, a visit's copy of the name only with the restaurant.
const NEVER_COMPARED = ['updated_at', 'author_id', 'restaurant_name'];

/** Compares values, since two changes in the same millisecond share one `updated_at`. */
function differs(current: Entity, after: Entity): boolean {
  const isTouched = !isSame(current['updated_at'], after['updated_at']);
  const names = Object.keys(current).filter((name) => isTouched || !REFERENCES.includes(name));
  // The log may be older than a field, which was null then.
  return names.some((name) => !NEVER_COMPARED.includes(name) && !isSame(current[name], after[name] ?? null));
}
