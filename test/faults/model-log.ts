import assert from 'node:assert/strict';
import type { Action, EntityKind } from '../../src/storage/change-log.ts';
import { type Client, array, field, record, textOf } from '../support/client.ts';
import { type Model, cleared } from './model.ts';

type Thing = keyof Model;

/** A change that the service must have logged. */
export interface Row {
  readonly thing: Thing;
  readonly id: number;
  readonly action: Action;
  /** Those that an update changed. */
  readonly fields: readonly string[];
  /** All that there was before, and after. */
  readonly before: Model;
  readonly after: Model;
  /** The change that it reverted. */
  readonly reverts: Row | undefined;
  /** The change that reverted it, unless that was reverted in turn. */
  revertedBy: Row | undefined;
}

/** The changes of one write. */
export interface LoggedWrite {
  /** As the service named it. */
  readonly id: number;
  readonly rows: readonly Row[];
}

/** The writes, and which of them must be in the change log. */
export interface ModelLog {
  readonly writes: LoggedWrite[];
  /** By which the service named the last write; undefined when it named none. */
  named: number | undefined;
}

const KIND_OF: Readonly<Record<Thing, EntityKind>> = {
  restaurants: 'restaurant',
  suggestions: 'suggestion',
  ratings: 'rating',
  photos: 'photo',
  categories: 'category',
  foodTypes: 'food_type',
};
// In the order in which one write logs them.
const THINGS = ['restaurants', 'suggestions', 'ratings', 'photos', 'categories', 'foodTypes'] as const;

/** The model as it is now, which later steps leave alone. */
export function copyOf(model: Model): Model {
  return {
    categories: new Map(model.categories),
    foodTypes: new Map(model.foodTypes),
    restaurants: new Map(model.restaurants),
    suggestions: new Map(model.suggestions),
    ratings: new Map(model.ratings),
    photos: new Map(model.photos),
  };
}

/** The stored fields of a thing, as far as anyone can see it; undefined when it is not there. */
export function valuesOf(
  model: Model,
  thing: Thing,
  id: number,
): Readonly<Record<string, unknown>> | undefined {
  if (thing === 'photos') return model.photos.get(id)?.record;
  if (thing !== 'restaurants' && thing !== 'suggestions') {
    const found = model[thing].get(id);
    return found && { ...found };
  }
  const entry = model[thing].get(id);
  if (!entry) return undefined;
  const { food_type_ids: types, suggestion_id: from, restaurant_id: became, ...own } = cleared(model, entry);
  return {
    ...own,
    food_type_ids: types.toSorted((left, right) => left - right),
    suggestion_id: from !== null && model.suggestions.has(from) ? from : null,
    restaurant_id: became !== null && model.restaurants.has(became) ? became : null,
  };
}

/** Whether two values are the same; lists are compared as a whole. */
export function areEqual(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** The fields of a thing that differ, but for the time of its last change. */
export function differing(thing: Thing, id: number, before: Model, after: Model): string[] {
  const [old, now] = [valuesOf(before, thing, id) ?? {}, valuesOf(after, thing, id) ?? {}];
  return Object.keys(now).filter((name) => name !== 'updated_at' && !areEqual(old[name], now[name]));
}

/** Notes what a step has changed. Throws where the service named a write of nothing, or none of something. */
export function noteWrite(log: ModelLog, before: Model, model: Model): void {
  const after = copyOf(model);
  const rows = THINGS.flatMap((thing) => rowsOf(thing, before, after));
  addWrite(log, rows);
}

/** Adds a write. Throws unless the service named one where there are changes. */
export function addWrite(log: ModelLog, rows: readonly Row[]): void {
  const { named } = log;
  assert.equal(named !== undefined, rows.length > 0, `the service named write ${String(named)}`);
  if (named === undefined) return;
  log.named = undefined;
  log.writes.push({ id: named, rows });
}

function rowsOf(thing: Thing, before: Model, after: Model): Row[] {
  const row = (id: number, action: Action, fields: readonly string[] = []): Row => ({
    thing,
    id,
    action,
    fields,
    before,
    after,
    reverts: undefined,
    revertedBy: undefined,
  });
  const made = [...after[thing].keys()].filter((id) => !before[thing].has(id)).map((id) => row(id, 'create'));
  const changed = [...after[thing].keys()]
    .filter((id) => before[thing].has(id) && before[thing].get(id) !== after[thing].get(id))
    .map((id) => row(id, 'update', differing(thing, id, before, after)));
  const gone = [...before[thing].keys()].filter(
    (id) => !after[thing].has(id) && !wentAlong(thing, id, before, after),
  );
  return [...made, ...changed, ...gone.map((id) => row(id, 'delete'))];
}

/** What goes with a restaurant has no change of its own. */
function wentAlong(thing: Thing, id: number, before: Model, after: Model): boolean {
  if (thing !== 'ratings' && thing !== 'photos') return false;
  return !after.restaurants.has(before[thing].get(id)?.restaurant_id ?? 0);
}

/** Throws unless the change log of the service has these writes, each as it has to be; `isAll`: and no others. */
export async function compareLog(api: Client, { writes }: ModelLog, isAll: boolean): Promise<void> {
  const found = new Map<number, Readonly<Record<string, unknown>>[]>();
  for (let since = 'start', hasMore = true; hasMore;) {
    const { body } = await api.get(`/changes?limit=1000&since=${encodeURIComponent(since)}`);
    for (const change of array(field(body, 'data')).map(record)) {
      const writeId = Number(change['write_id']);
      found.set(writeId, [...(found.get(writeId) ?? []), change]);
    }
    since = textOf(body, 'next');
    hasMore = field(body, 'has_more') === true;
  }
  for (const { id, rows } of writes)
    assert.deepEqual(
      (found.get(id) ?? []).map(({ kind, entity_id, action, fields, reverts, reverted_by }) => ({
        kind,
        entity_id,
        action,
        fields: array(fields).toSorted(),
        isRevert: reverts !== null,
        isReverted: reverted_by !== null,
      })),
      rows.map((row) => ({
        kind: KIND_OF[row.thing],
        entity_id: row.id,
        action: row.action,
        fields: row.fields.toSorted(),
        isRevert: row.reverts !== undefined,
        isReverted: row.revertedBy !== undefined,
      })),
      `write ${id}`,
    );
  if (isAll) assert.equal(found.size, writes.length);
}
