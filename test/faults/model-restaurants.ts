import assert from 'node:assert/strict';
import { array, record } from '../support/client.ts';
import {
  type Actor,
  type Play,
  draftOf,
  expectClosed,
  expectStatus,
  issue,
  partOf,
  pickOf,
  timesOf,
} from './model-actor.ts';
import {
  type Entry,
  cleared,
  isKnown,
  isRestaurant,
  keepsDeleted,
  namesMissing,
  openTwins,
  removeRestaurant,
} from './model.ts';
import { type Scores, noteRating } from './model-ratings.ts';
import { restaurantView, suggestionView } from './model-views.ts';

const MISSING = 'not exist';
const TWICE = 'already exists';
const OVERRIDES = ['name', 'address', 'description', 'category_id', 'food_type_ids'] as const;

/** Creates a restaurant: 400 where it names what is not there, 409 where it is there already. */
export const createRestaurant: Play = async (actor, step) => {
  const { api, model } = actor;
  const draft = draftOf(actor, step);
  const answer = await api.post('/restaurants', draft);
  if (namesMissing(model, draft)) {
    expectStatus(answer, 400, MISSING);
    return;
  }
  if (isRestaurant(model, draft)) {
    expectStatus(answer, 409, TWICE);
    return;
  }
  expectStatus(answer, 201);
  const id = issue(actor, answer, 'restaurants');
  const [oldest] = openTwins(model, draft);
  const entry = {
    ...draft,
    id,
    suggestion_id: oldest?.id ?? null,
    restaurant_id: null,
    ...timesOf(answer),
  };
  model.restaurants.set(id, entry);
  await noteConversions(actor, entry);
  assert.deepEqual(answer.body, restaurantView(model, entry));
};

/** The suggestions of the same place, as a new restaurant leaves them. */
async function noteConversions({ api, model }: Actor, restaurant: Entry): Promise<void> {
  for (const twin of openTwins(model, restaurant)) {
    const answer = await api.get(`/suggestions/${twin.id}`);
    expectStatus(answer, 200);
    const { updated_at } = timesOf(answer);
    const entry = { ...twin, status: 'converted', restaurant_id: restaurant.id, updated_at };
    model.suggestions.set(twin.id, entry);
    assert.deepEqual(answer.body, suggestionView(model, entry));
  }
}

/** Changes some fields of a restaurant. */
export const changeRestaurant: Play = async (actor, step) => {
  const { api, model } = actor;
  const id = pickOf(actor, 'restaurants', step.pick);
  const change = partOf(draftOf(actor, step), step.sent);
  const answer = await api.put(`/restaurants/${id}`, change);
  const before = model.restaurants.get(id);
  if (before === undefined) {
    expectStatus(answer, 404, 'Restaurant not found');
    return;
  }
  const changed = { ...cleared(model, before), ...change };
  if (namesMissing(model, changed)) {
    expectStatus(answer, 400, MISSING);
    return;
  }
  if (isRestaurant(model, changed, id)) {
    expectStatus(answer, 409, TWICE);
    return;
  }
  expectStatus(answer, 200);
  const entry = keepsDeleted(model, before, { ...changed, updated_at: timesOf(answer).updated_at });
  model.restaurants.set(id, entry);
  assert.deepEqual(answer.body, restaurantView(model, entry));
};

/** Deletes a restaurant with all that belongs to it. */
export const deleteRestaurant: Play = async (actor, { pick }) => {
  const { api, model } = actor;
  const id = pickOf(actor, 'restaurants', pick);
  const answer = await api.delete(`/restaurants/${id}`);
  if (!model.restaurants.has(id)) {
    expectStatus(answer, 404, 'Restaurant not found');
    return;
  }
  expectStatus(answer, 204);
  removeRestaurant(model, id);
};

/** Suggests a restaurant: 409 where a restaurant or a suggestion that is not rejected is the same. */
export const suggest: Play = async (actor, step) => {
  const { api, model } = actor;
  const { status: _none, description, category_id, ...draft } = draftOf(actor, step);
  const name = step.pick % 2 === 0 ? 'category_id' : 'suggested_category_id';
  const answer = await api.post('/suggestions', { ...draft, [name]: category_id, notes: description });
  const made = { ...draft, description, category_id, status: 'pending' };
  if (namesMissing(model, made)) {
    expectStatus(answer, 400, MISSING);
    return;
  }
  if (isKnown(model, made)) {
    expectStatus(answer, 409, TWICE);
    return;
  }
  expectStatus(answer, 201);
  const id = issue(actor, answer, 'suggestions');
  const entry = { ...made, id, suggestion_id: null, restaurant_id: null, ...timesOf(answer) };
  model.suggestions.set(id, entry);
  assert.deepEqual(answer.body, suggestionView(model, entry));
};

/** Sets the status of a suggestion, unless it was converted. */
export const moderate: Play = async (actor, { pick, moderated: status }) => {
  const { api, model } = actor;
  const id = pickOf(actor, 'suggestions', pick);
  const answer = await api.patch(`/suggestions/${id}/status`, { status });
  const before = model.suggestions.get(id);
  if (before === undefined) {
    expectStatus(answer, 404, 'Suggestion not found');
    return;
  }
  if (before.status === 'converted') {
    expectClosed(answer);
    return;
  }
  if (before.status === 'rejected' && status !== 'rejected' && isKnown(model, before, id)) {
    expectStatus(answer, 409, TWICE);
    return;
  }
  expectStatus(answer, 200);
  const entry = { ...before, status, updated_at: timesOf(answer).updated_at };
  model.suggestions.set(id, entry);
  assert.deepEqual(answer.body, suggestionView(model, entry));
};

/** Makes a restaurant of a suggestion, with other fields and a first rating where the step has them. */
export const convert: Play = async (actor, step) => {
  const { api, model } = actor;
  const id = pickOf(actor, 'suggestions', step.pick);
  const overrides = partOf(
    draftOf(actor, step),
    OVERRIDES.filter((name) => step.sent.includes(name)),
  );
  const [food_rating, service_rating, ambiance_rating] = step.scores ?? [];
  const rating = step.scores ? { food_rating, service_rating, ambiance_rating } : {};
  const answer = await api.post(`/suggestions/${id}/convert`, { ...overrides, ...rating });
  const before = model.suggestions.get(id);
  if (before === undefined) {
    expectStatus(answer, 404, 'Suggestion not found');
    return;
  }
  if (['rejected', 'converted'].includes(before.status)) {
    expectClosed(answer);
    return;
  }
  const made = { ...cleared(model, before), description: null, ...overrides, status: 'active' };
  if (namesMissing(model, made)) {
    expectStatus(answer, 400, MISSING);
    return;
  }
  if (isRestaurant(model, made)) {
    expectStatus(answer, 409, TWICE);
    return;
  }
  expectStatus(answer, 201);
  const restaurant = issue(actor, answer, 'restaurants');
  const entry = {
    ...made,
    id: restaurant,
    suggestion_id: id,
    restaurant_id: null,
    ...timesOf(answer),
  };
  model.restaurants.set(restaurant, entry);
  const converted = { ...before, status: 'converted', restaurant_id: restaurant };
  model.suggestions.set(id, { ...converted, updated_at: entry.updated_at });
  await noteConversions(actor, entry);
  if (step.scores) await noteFirstRating(actor, restaurant, step.scores);
  const { restaurant_id: again, message: _words, ...body } = record(answer.body);
  assert.deepEqual([again, body], [restaurant, restaurantView(model, entry)]);
};

/** The rating that came with a conversion appears only in the list of ratings. */
async function noteFirstRating(actor: Actor, restaurant: number, scores: Scores): Promise<void> {
  const list = await actor.api.get(`/restaurants/${restaurant}/ratings`);
  const [body, ...more] = array(list.body);
  assert.deepEqual(more, []);
  noteRating(actor, { ...list, body }, restaurant, { scores, comment: null });
}

/** Deletes a suggestion; a restaurant that was made from it stays. */
export const deleteSuggestion: Play = async (actor, { pick }) => {
  const { api, model } = actor;
  const id = pickOf(actor, 'suggestions', pick);
  const answer = await api.delete(`/suggestions/${id}`);
  if (!model.suggestions.delete(id)) {
    expectStatus(answer, 404, 'Suggestion not found');
    return;
  }
  expectStatus(answer, 204);
};
