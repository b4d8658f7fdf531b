import assert from 'node:assert/strict';
import { field } from '../support/client.ts';
import { type Play, expectStatus } from './model-actor.ts';
import { type LoggedWrite, type Row, addWrite, areEqual, copyOf, differing, valuesOf } from './model-log.ts';
import {
  type Entry,
  type Model,
  cleared,
  isKnown,
  isRestaurant,
  isTaken,
  keepsDeleted,
  namesMissing,
  removeRestaurant,
} from './model.ts';

// Of so many that were written last, so that reverts are reverted, too.
const RECENT = 8;
const NEVER_LOGGED = 999_999;

/** Reverts what was written lately: 409 where the model finds anything in the way. */
export const revertChange: Play = async ({ api, model, log }, { pick }) => {
  const write = log.writes.at(-1 - (pick % Math.min(RECENT, log.writes.length)));
  const answer = await api.post(`/changes/${write?.id ?? NEVER_LOGGED}/revert`, {});
  if (!write) {
    expectStatus(answer, 404, 'Change not found');
    return;
  }
  const made = copyOf(model);
  // The time of the write, which an update has from then on.
  const rows = undo(made, write, answer.status === 200 ? String(field(answer.body, 'at')) : '');
  if (!rows) {
    expectStatus(answer, 409, `Change ${write.id} cannot be reverted`);
    return;
  }
  expectStatus(answer, 200);
  assert.equal(field(answer.body, 'action'), rows.at(-1)?.action);
  adopt(model, made);
  addWrite(log, rows);
  for (const row of rows) {
    const { reverts: undone } = row;
    if (!undone) continue;
    undone.revertedBy = row;
    if (undone.reverts) undone.reverts.revertedBy = undefined;
  }
};

function adopt(model: Model, made: Model): void {
  fill(model.categories, made.categories);
  fill(model.foodTypes, made.foodTypes);
  fill(model.restaurants, made.restaurants);
  fill(model.suggestions, made.suggestions);
  fill(model.ratings, made.ratings);
  fill(model.photos, made.photos);
}

/** In the order of ids, as if nothing had been away. */
function fill<Value>(map: Map<number, Value>, values: ReadonlyMap<number, Value>): void {
  map.clear();
  for (const [id, value] of [...values].sort(([left], [right]) => left - right)) map.set(id, value);
}

/** Takes a write back, its last change first; returns the changes that this makes, or nothing where one is in the way. */
function undo(model: Model, { rows }: LoggedWrite, now: string): Row[] | undefined {
  if (rows.some(({ revertedBy }) => revertedBy)) return undefined;
  const made: Row[] = [];
  for (const row of rows.toReversed()) {
    if (isEmpty(row)) continue;
    const before = copyOf(model);
    if (!undoOne(model, row, now)) return undefined;
    const { thing, id, fields } = row;
    const action = row.action === 'update' ? 'update' : row.action === 'delete' ? 'restore' : 'delete';
    made.push({
      thing,
      id,
      action,
      fields,
      before,
      after: copyOf(model),
      reverts: row,
      revertedBy: undefined,
    });
  }
  return made.length > 0 ? made : undefined;
}

function isEmpty({ action, fields }: Row): boolean {
  return action === 'update' && fields.length === 0;
}

function undoOne(model: Model, row: Row, now: string): boolean {
  if (row.action === 'delete') return restore(model, row);
  const current = valuesOf(model, row.thing, row.id);
  if (!current) return false;
  if (row.action !== 'update') return remove(model, row);
  const made = valuesOf(row.after, row.thing, row.id) ?? {};
  return row.fields.every((name) => areEqual(current[name], made[name])) && update(model, row, now);
}

function update(model: Model, row: Row, updated_at: string): boolean {
  const { thing, id, before } = row;
  if (thing === 'restaurants') return updateRestaurant(model, row, updated_at);
  if (thing === 'suggestions') return updateSuggestion(model, row, updated_at);
  if (thing === 'categories' || thing === 'foodTypes') {
    const [old, current] = [before[thing].get(id), model[thing].get(id)];
    if (!old || !current || isTaken(model[thing], old.name, id)) return false;
    model[thing].set(id, { ...current, name: old.name, updated_at });
    return true;
  }
  if (thing === 'ratings') {
    const [old, current] = [before.ratings.get(id), model.ratings.get(id)];
    if (!old || !current) return false;
    const values = Object.entries(old).filter(([name]) => row.fields.includes(name));
    model.ratings.set(id, { ...current, ...Object.fromEntries(values), updated_at });
    return true;
  }
  const [old, current] = [before.photos.get(id), model.photos.get(id)];
  if (!old || !current) return false;
  const caption = old.record['caption'];
  model.photos.set(id, { ...current, record: { ...current.record, caption, updated_at } });
  return true;
}

function updateRestaurant(model: Model, { id, before, fields }: Row, updated_at: string): boolean {
  const [old, current] = [before.restaurants.get(id), model.restaurants.get(id)];
  if (!old || !current) return false;
  const values = Object.entries(cleared(before, old)).filter(([name]) => fields.includes(name));
  const entry: Entry = { ...cleared(model, current), ...Object.fromEntries(values), updated_at };
  if (namesMissing(model, entry) || isRestaurant(model, entry, id)) return false;
  model.restaurants.set(id, keepsDeleted(model, current, entry));
  return true;
}

function updateSuggestion(model: Model, { id, before, fields }: Row, updated_at: string): boolean {
  const [old, current] = [before.suggestions.get(id), model.suggestions.get(id)];
  if (!old || !current) return false;
  if (current.status === 'rejected' && isKnown(model, current, id)) return false;
  const restaurant_id = fields.includes('restaurant_id') ? old.restaurant_id : current.restaurant_id;
  model.suggestions.set(id, { ...current, status: old.status, restaurant_id, updated_at });
  return true;
}

/** Deletes what was created or brought back, unless it was changed or has got something else. */
function remove(model: Model, { thing, id, after }: Row): boolean {
  const [made, current] = [valuesOf(after, thing, id), valuesOf(model, thing, id)];
  const isTouched = !areEqual(made?.['updated_at'], current?.['updated_at']);
  if (isTouched && differing(thing, id, after, model).length > 0) return false;
  if (owned(model, thing, id).some((one) => !owned(after, thing, id).includes(one))) return false;
  if (thing === 'restaurants') removeRestaurant(model, id);
  else model[thing].delete(id);
  return true;
}

/** The things that belong to another besides its own fields: ratings and photos, or what names it. */
function owned(model: Model, thing: Row['thing'], id: number): string[] {
  if (thing === 'restaurants')
    return (['ratings', 'photos'] as const).flatMap((of) =>
      [...model[of]].flatMap(([one, { restaurant_id }]) => (restaurant_id === id ? [`${of} ${one}`] : [])),
    );
  if (thing !== 'categories' && thing !== 'foodTypes') return [];
  return (['restaurants', 'suggestions'] as const).flatMap((of) =>
    [...model[of]].flatMap(([one, entry]) => (names(entry, thing, id) ? [`${of} ${one}`] : [])),
  );
}

function names(entry: Entry, thing: 'categories' | 'foodTypes', id: number): boolean {
  return thing === 'categories' ? entry.category_id === id : entry.food_type_ids.includes(id);
}

function restore(model: Model, row: Row): boolean {
  switch (row.thing) {
    case 'restaurants':
      return restoreRestaurant(model, row);
    case 'suggestions':
      return restoreSuggestion(model, row);
    case 'categories':
    case 'foodTypes':
      return restoreLookup(model, row, row.thing);
    case 'ratings':
      return restoreAt(model.ratings, row.before.ratings, model, row.id);
    case 'photos':
      return restoreAt(model.photos, row.before.photos, model, row.id);
  }
}

function restoreAt<Value extends { readonly restaurant_id: number }>(
  now: Map<number, Value>,
  before: ReadonlyMap<number, Value>,
  { restaurants }: Model,
  id: number,
): boolean {
  const old = before.get(id);
  if (!old || !restaurants.has(old.restaurant_id)) return false;
  now.set(id, old);
  return true;
}

function restoreRestaurant(model: Model, { id, before }: Row): boolean {
  const old = before.restaurants.get(id);
  if (!old) return false;
  const entry = cleared(before, old);
  if (namesMissing(model, entry) || isRestaurant(model, entry)) return false;
  model.restaurants.set(id, { ...entry, suggestion_id: freeSuggestion(model, before, entry.suggestion_id) });
  for (const [one, rating] of before.ratings) if (rating.restaurant_id === id) model.ratings.set(one, rating);
  for (const [one, photo] of before.photos) if (photo.restaurant_id === id) model.photos.set(one, photo);
  for (const [one, suggestion] of model.suggestions) {
    const { restaurant_id: became, status } = suggestion;
    const isIts = before.suggestions.get(one)?.restaurant_id === id && status === 'converted';
    if (became === id || (isIts && became === null))
      model.suggestions.set(one, { ...suggestion, restaurant_id: isIts ? id : null });
  }
  return true;
}

/** The suggestion that a restaurant was made from, unless that is gone or another one was made of it. */
function freeSuggestion(model: Model, before: Model, id: number | null): number | null {
  if (id === null || !before.suggestions.has(id) || !model.suggestions.has(id)) return null;
  return [...model.restaurants.values()].some((other) => other.suggestion_id === id) ? null : id;
}

function restoreSuggestion(model: Model, { id, before }: Row): boolean {
  const old = before.suggestions.get(id);
  if (!old) return false;
  const entry = cleared(before, old);
  const isOpen = entry.status !== 'rejected' && entry.status !== 'converted';
  if (namesMissing(model, entry) || (isOpen && isKnown(model, entry))) return false;
  const became = entry.restaurant_id;
  const isThere = became !== null && before.restaurants.has(became) && model.restaurants.has(became);
  model.suggestions.set(id, { ...entry, restaurant_id: isThere ? became : null });
  // A restaurant that was made from it has lost it for good.
  for (const [one, restaurant] of model.restaurants)
    if (restaurant.suggestion_id === id) model.restaurants.set(one, { ...restaurant, suggestion_id: null });
  return true;
}

function restoreLookup(model: Model, { id, before }: Row, thing: 'categories' | 'foodTypes'): boolean {
  const old = before[thing].get(id);
  if (!old || isTaken(model[thing], old.name)) return false;
  model[thing].set(id, old);
  for (const of of ['restaurants', 'suggestions'] as const)
    for (const [one, entry] of model[of]) {
      const had = before[of].get(one);
      if (!had || !names(had, thing, id) || names(entry, thing, id)) continue;
      if (thing === 'foodTypes')
        model[of].set(one, { ...entry, food_type_ids: [...entry.food_type_ids, id] });
      else if (entry.category_id === null) model[of].set(one, { ...entry, category_id: id });
    }
  return true;
}
