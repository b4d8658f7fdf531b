import {
  type Batch,
  type ChangeLog,
  type Entity,
  type Write,
  type Writer,
  isSame,
} from '../storage/change-log.ts';
import { storedEntity } from '../storage/stored.ts';
import { type Entities, FORGOTTEN } from './entities.ts';
import type { EntityAccess } from './entity-access.ts';
import { type ChangeRow, isPrivate } from './record.ts';
import type { ChangeStore } from './store.ts';

/** Something stands in the way of a revert, so that nothing was written. */
export class RevertRefused extends Error {
  override readonly name = 'RevertRefused';
  readonly obstacles: readonly string[];

  constructor(obstacles: readonly string[]) {
    super(obstacles.join('; '));
    this.obstacles = obstacles;
  }
}

/** Undoes writes by a new one. Must be run inside a transaction, which must be undone when it throws. */
export interface Reverter {
  /** Undoes the write that a change belongs to. Throws a RevertRefused when something stands in the way. */
  readonly revertWrite: (row: ChangeRow, write: Write) => void;
  /**
   * Undoes all of a batch that was not undone before, from its end to its beginning, as a batch of its own. Throws a
   * RevertRefused likewise.
   */
  readonly revertBatch: (batchId: number, writer: Writer) => Batch;
}

export interface ReverterOptions {
  readonly store: ChangeStore;
  readonly entities: Entities;
  readonly begin: ChangeLog['begin'];
}

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

/** Opens the reverter. */
export function createReverter({ store, entities, begin }: ReverterOptions): Reverter {
  function revertWrite(row: ChangeRow, write: Write): void {
    const rows = store.ofWrite(row.write_id).reverse();
    const undone = rows.find(({ reverted_by }) => reverted_by !== null);
    if (undone) throw new RevertRefused([`it was reverted by change ${undone.reverted_by ?? ''}`]);
    if (rows.every(isEmpty)) throw new RevertRefused(['it changed nothing']);
    const undo = createUndo(store, entities);
    const obstacles = rows.flatMap((one) => undo(one, write));
    if (obstacles.length > 0) throw new RevertRefused(obstacles);
  }

  return {
    revertWrite,
    revertBatch: (batchId, writer) => {
      const batch: Batch = { file: null, reverts: batchId, id: undefined };
      const undo = createUndo(store, entities);
      const obstacles: string[] = [];
      let write: { readonly id: number; readonly is: Write } | undefined;
      for (const row of rowsOf(batchId)) {
        if (row.reverted_by !== null || isEmpty(row)) continue;
        if (write?.id !== row.write_id) write = { id: row.write_id, is: begin({ ...writer, batch }) };
        obstacles.push(...undo(row, write.is));
      }
      if (obstacles.length > 0) throw new RevertRefused(obstacles);
      if (batch.id === undefined) throw new RevertRefused([nothingLeft(batchId)]);
      return batch;
    },
  };

  function* rowsOf(batchId: number): Generator<ChangeRow> {
    for (let before = Number.MAX_SAFE_INTEGER; ;) {
      const rows = store.ofBatch(batchId, before, SLICE);
      yield* rows;
      const last = rows.at(-1);
      if (!last) return;
      before = last.id;
    }
  }

  function nothingLeft(batchId: number): string {
    const by = store.batch(batchId)?.reverted_by ?? null;
    return by === null ? 'all of it was reverted before' : `it was reverted by batch ${by}`;
  }
}

/** Whether there is nothing to undo: nothing changed, or the list or visit went with the account of its owner. */
function isEmpty({ kind, owner_id, action, fields }: ChangeRow): boolean {
  if (isPrivate(kind) && owner_id === null) return true;
  return action === 'update' && (fields === null || fields === '[]');
}

/** Undoes one change; returns the obstacles. */
type Undo = (row: ChangeRow, write: Write) => readonly string[];

/** Makes a function to be called with the changes one after the other, the newest first. */
function createUndo(store: ChangeStore, entities: Entities): Undo {
  const whyGone = createReasons(store);
  // Restaurants that could not be restored: their ratings and photos are no obstacles of their own.
  const missing = new Set<number>();
  const restore = createRestore(entities, whyGone, missing);
  return (row, write) => {
    if (isEmpty(row)) return [];
    write.reverting(row.id);
    if (row.action === 'delete') return restore(row, write);
    const { kind, entity_id: id, restaurant_id } = row;
    const access = entities[kind];
    const current = access.get(id);
    if (!current) return [whyGone(kind, id, restaurant_id)];
    if (row.action !== 'update') return remove(row, current, access, write);
    return update(row, current, { access, missing }, write);
  };
}

/** Why an entity is not there: it was deleted, or its restaurant was. */
type GoneReason = (kind: ChangeRow['kind'], id: number, restaurantId: number | null) => string;

function createReasons(store: ChangeStore): GoneReason {
  return (kind, id, restaurantId) => {
    const own = store.deletionOf(kind, id);
    if (own !== undefined || restaurantId === null || kind === 'restaurant')
      return `${nounOf(kind)} ${id} is deleted${by(own)}`;
    return `restaurant ${restaurantId} is deleted${by(store.deletionOf('restaurant', restaurantId))}`;
  };
}

function createRestore(entities: Entities, whyGone: GoneReason, missing: Set<number>): Undo {
  return ({ kind, entity_id: id, restaurant_id, before, kept_until }, write) => {
    if (entities[kind].get(id)) return [`${nounOf(kind)} ${id} is there`];
    if (kind === 'restaurant') missing.add(id);
    if (before === null || kept_until === null || kept_until <= write.now) return [FORGOTTEN];
    const belongs = restaurant_id !== null && kind !== 'restaurant';
    if (belongs && !entities.restaurant.get(restaurant_id))
      return missing.has(restaurant_id) ? [] : [whyGone('restaurant', restaurant_id, restaurant_id)];
    const reasons = entities[kind].restore(storedEntity(before), write);
    if (reasons.length === 0 && kind === 'restaurant') missing.delete(id);
    return reasons;
  };
}

function remove(
  { kind, entity_id: id, after, at }: ChangeRow,
  current: Entity,
  access: EntityAccess,
  write: Write,
): readonly string[] {
  if (after === null) return [FORGOTTEN];
  const made = storedEntity(after);
  const others = access.others?.(id, made, at);
  const reasons = [
    ...(differs(current, made) ? [`${nounOf(kind)} ${id} was changed later`] : []),
    ...(others === undefined ? [] : [`${nounOf(kind)} ${id} has ${others} by now`]),
  ];
  if (reasons.length === 0) access.remove(id, write);
  return reasons;
}

function update(
  { kind, entity_id: id, before, after }: ChangeRow,
  current: Entity,
  { access, missing }: { readonly access: EntityAccess; readonly missing: ReadonlySet<number> },
  write: Write,
): readonly string[] {
  if (before === null || after === null) return [FORGOTTEN];
  const { updated_at: _stays, ...values } = storedEntity(before);
  const made = storedEntity(after);
  const now = access.narrowed?.(current, values, made) ?? current;
  const reasons = Object.keys(values)
    .filter((name) => !isSame(now[name], made[name]))
    .map((name) => `${name} of ${nounOf(kind)} ${id} was changed later`);
  if (reasons.length > 0) return reasons;
  const { restaurant_id: became } = values;
  return typeof became === 'number' && missing.has(became) ? [] : access.update(id, values, write, made);
}

function nounOf(kind: ChangeRow['kind']): string {
  return kind.replace('_', ' ');
}

function by(changeId: number | undefined): string {
  return changeId === undefined ? '' : ` (change ${changeId})`;
}

// The fields that the deletion of another entity changes without a new `updated_at`.
const REFERENCES: readonly string[] = [
  ...['category_id', 'suggested_category_id', 'food_type_ids'],
  ...['suggestion_id', 'restaurant_id'],
];

// An author is lost with the account, and never another.
const NEVER_COMPARED: readonly string[] = ['updated_at', 'author_id'];

/** Two changes within a millisecond have one `updated_at`, so that it is not enough to compare it. */
function differs(current: Entity, after: Entity): boolean {
  const isTouched = !isSame(current['updated_at'], after['updated_at']);
  const names = Object.keys(current).filter((name) => isTouched || !REFERENCES.includes(name));
  // The log may be older than a field, which was null then.
  return names.some((name) => !NEVER_COMPARED.includes(name) && !isSame(current[name], after[name] ?? null));
}
