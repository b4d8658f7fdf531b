import assert from 'node:assert/strict';
import { type Play, expectStatus, issue, pickOf, tagged, timesOf } from './model-actor.ts';
import { isTaken } from './model.ts';

/** The steps on one kind of lookup. */
export interface LookupPlays {
  readonly create: Play;
  readonly rename: Play;
  readonly remove: Play;
}

const TWICE = 'already exists';

/** The steps of categories or of food types, which work alike. */
export function lookupPlays(thing: 'categories' | 'foodTypes'): LookupPlays {
  const path = thing === 'categories' ? '/categories' : '/food-types';
  const missing = thing === 'categories' ? 'Category not found' : 'Food type not found';
  return {
    create: async (actor, { lookup }) => {
      const lookups = actor.model[thing];
      const name = tagged(actor, lookup);
      const answer = await actor.api.post(path, { name });
      if (isTaken(lookups, name)) {
        expectStatus(answer, 409, TWICE);
        return;
      }
      expectStatus(answer, 201);
      const id = issue(actor, answer, thing);
      const made = { id, name, ...timesOf(answer) };
      lookups.set(id, made);
      assert.deepEqual(answer.body, made);
    },
    rename: async (actor, { lookup, pick }) => {
      const lookups = actor.model[thing];
      const name = tagged(actor, lookup);
      const id = pickOf(actor, thing, pick);
      const answer = await actor.api.put(`${path}/${id}`, { name });
      const before = lookups.get(id);
      if (before === undefined) {
        expectStatus(answer, 404, missing);
        return;
      }
      if (isTaken(lookups, name, id)) {
        expectStatus(answer, 409, TWICE);
        return;
      }
      expectStatus(answer, 200);
      const renamed = { ...before, name, updated_at: timesOf(answer).updated_at };
      lookups.set(id, renamed);
      assert.deepEqual(answer.body, renamed);
    },
    remove: async (actor, { pick }) => {
      const id = pickOf(actor, thing, pick);
      const answer = await actor.api.delete(`${path}/${id}`);
      if (!actor.model[thing].delete(id)) {
        expectStatus(answer, 404, missing);
        return;
      }
      expectStatus(answer, 204);
    },
  };
}
