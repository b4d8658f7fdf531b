import assert from 'node:assert/strict';
import { type Answer, field, record } from '../support/client.ts';
import { form, photoPart, sendForm } from '../support/photos.ts';
import { type Actor, type Play, expectStatus, issue, pickOf, tagged, timesOf } from './model-actor.ts';

/** Stars for food, service and ambiance. */
export type Scores = readonly [number, number, number];

/** Takes a rating that was answered into the model. Throws when it is another than was sent. */
export function noteRating(
  actor: Actor,
  answer: Answer,
  restaurant: number,
  { scores, comment }: { readonly scores: Scores; readonly comment: string | null },
): void {
  const [food_rating, service_rating, ambiance_rating] = scores;
  const id = issue(actor, answer, 'ratings');
  const created_at = String(field(answer.body, 'created_at'));
  const own = { id, restaurant_id: restaurant, comment, author: null, created_at, updated_at: created_at };
  const rating = { ...own, food_rating, service_rating, ambiance_rating };
  actor.model.ratings.set(id, rating);
  assert.deepEqual(answer.body, rating);
}

/** Rates a restaurant; without scores that is refused. */
export const rate: Play = async (actor, { pick, scores, text: comment }) => {
  const { api, model } = actor;
  const id = pickOf(actor, 'restaurants', pick);
  const [food_rating, service_rating, ambiance_rating] = scores ?? [];
  const body = { restaurant_id: id, food_rating, service_rating, ambiance_rating, comment };
  const answer = await api.post('/ratings', body);
  if (scores === null) {
    expectStatus(answer, 400, 'food_rating is required');
    return;
  }
  if (!model.restaurants.has(id)) {
    expectStatus(answer, 404, 'Restaurant not found');
    return;
  }
  expectStatus(answer, 201);
  noteRating(actor, answer, id, { scores, comment });
};

/** Changes one of the stars and the comment of a rating. */
export const changeRating: Play = async (actor, { pick, scores, text: comment }) => {
  const { api, model } = actor;
  const id = pickOf(actor, 'ratings', pick);
  const changed = { service_rating: scores?.[1] ?? null, comment };
  const answer = await api.put(`/ratings/${id}`, changed);
  const rating = model.ratings.get(id);
  if (scores === null) {
    expectStatus(answer, 400, 'service_rating is required');
    return;
  }
  if (!rating) {
    expectStatus(answer, 404, 'Rating not found');
    return;
  }
  expectStatus(answer, 200);
  const { updated_at } = timesOf(answer);
  model.ratings.set(id, { ...rating, service_rating: scores[1], comment, updated_at });
  assert.deepEqual(answer.body, model.ratings.get(id));
};

/** Deletes a rating. */
export const deleteRating: Play = async (actor, { pick }) => {
  const { api, model } = actor;
  const id = pickOf(actor, 'ratings', pick);
  const answer = await api.delete(`/ratings/${id}`);
  if (!model.ratings.delete(id)) {
    expectStatus(answer, 404, 'Rating not found');
    return;
  }
  expectStatus(answer, 204);
};

/** Uploads a photo of a restaurant. */
export const upload: Play = async (actor, { pick, lookup: caption }) => {
  const { api, model } = actor;
  const id = pickOf(actor, 'restaurants', pick);
  const sent = form(photoPart(), { name: 'caption', content: caption });
  const answer = await sendForm(api, sent, undefined, `/api/restaurants/${id}/photos`);
  if (!model.restaurants.has(id)) {
    expectStatus(answer, 404, 'Restaurant not found');
    return;
  }
  expectStatus(answer, 201);
  const { photo, ...own } = record(answer.body);
  assert.deepEqual(photo, own);
  assert.deepEqual([own['caption'], own['restaurant_id']], [caption, id]);
  model.photos.set(issue(actor, answer, 'photos'), { restaurant_id: id, record: own });
};

/** Changes the caption of a photo. */
export const caption: Play = async (actor, { pick, name }) => {
  const { api, model } = actor;
  const id = pickOf(actor, 'photos', pick);
  const answer = await api.patch(`/photos/${id}`, { caption: tagged(actor, name) });
  const photo = model.photos.get(id);
  if (photo === undefined) {
    expectStatus(answer, 404, 'Photo not found');
    return;
  }
  expectStatus(answer, 200);
  const updated_at = field(answer.body, 'updated_at');
  const changed = { ...photo.record, caption: tagged(actor, name), updated_at };
  model.photos.set(id, { ...photo, record: changed });
  assert.deepEqual(answer.body, changed);
};

/** Deletes a photo. */
export const deletePhoto: Play = async (actor, { pick }) => {
  const { api, model } = actor;
  const id = pickOf(actor, 'photos', pick);
  const answer = await api.delete(`/photos/${id}`);
  if (!model.photos.delete(id)) {
    expectStatus(answer, 404, 'Photo not found');
    return;
  }
  expectStatus(answer, 204);
};
