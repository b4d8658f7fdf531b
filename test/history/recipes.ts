import type { TestContext } from 'node:test';
import { FULL_SUGGESTION } from '../support/catalogue.ts';
import { filePart } from '../support/imports.ts';
import { changeStored } from '../support/people.ts';
import { form, photoPart } from '../support/photos.ts';
import { type World, addPhoto, ratingOf, startWorld } from '../support/world.ts';

/** How a write is called, and what it leaves in the log. */
export interface Recipe {
  /** The values of the parameters of the path. */
  readonly at?: Readonly<Record<string, number>>;
  readonly body?: object | Buffer;
  readonly makes: readonly string[];
  readonly name?: string;
  readonly fields?: readonly string[];
}

// Changes of the catalogue below.
const RENAMED = 5;
const OF_BATCH = 6;
const PURGED = 7;
// Behind the two of each user and of the placeholder.
const OWN_LIST = 9;
const DOUBLE = 3;
/** By operationId: every write that is logged. */
export const RECIPES: Readonly<Record<string, Recipe>> = {
  createRestaurant: {
    body: { name: 'Le Coin', category_id: 5, food_type_ids: [8, 2], phone: '+33 1' },
    makes: ['restaurant create'],
    name: 'Le Coin',
  },
  updateRestaurant: {
    at: { id: 1 },
    body: { phone: '+33 2', food_type_ids: [3], category_id: null, name: 'Chez Vous' },
    makes: ['restaurant update'],
    name: 'Chez Vous',
    fields: ['category_id', 'food_type_ids', 'name', 'phone'],
  },
  deleteRestaurant: { at: { id: 1 }, makes: ['restaurant delete'], name: 'Chez Nous' },
  mergeRestaurants: {
    at: { id: 1 },
    body: { from: [DOUBLE] },
    makes: ['restaurant delete'],
    name: 'Double',
  },
  createRating: { body: ratingOf(1), makes: ['rating create'], name: 'Chez Nous' },
  updateRating: {
    at: { id: 1 },
    body: { food_rating: 1, comment: null },
    makes: ['rating update'],
    name: 'Chez Nous',
    fields: ['comment', 'food_rating'],
  },
  deleteRating: { at: { id: 1 }, makes: ['rating delete'], name: 'Chez Nous' },
  createCategory: { body: { name: 'Nordic' }, makes: ['category create'], name: 'Nordic' },
  updateCategory: {
    at: { id: 5 },
    body: { name: 'Gallic' },
    makes: ['category update'],
    name: 'Gallic',
    fields: ['name'],
  },
  deleteCategory: { at: { id: 5 }, makes: ['category delete'] },
  createFoodType: { body: { name: 'Nettles' }, makes: ['food_type create'], name: 'Nettles' },
  updateFoodType: {
    at: { id: 8 },
    body: { name: 'Oysters' },
    makes: ['food_type update'],
    name: 'Oysters',
    fields: ['name'],
  },
  deleteFoodType: { at: { id: 8 }, makes: ['food_type delete'] },
  createSuggestion: { body: { name: 'Auberge' }, makes: ['suggestion create'], name: 'Auberge' },
  setSuggestionStatus: {
    at: { id: 2 },
    body: { status: 'approved' },
    makes: ['suggestion update'],
    name: 'Bistro',
    fields: ['status'],
  },
  convertSuggestion: {
    at: { id: 2 },
    body: { food_rating: 5, service_rating: 5, ambiance_rating: 5, comment: 'First' },
    makes: ['restaurant create', 'suggestion update', 'rating create'],
    name: 'Bistro',
  },
  deleteSuggestion: { at: { id: 2 }, makes: ['suggestion delete'], name: 'Bistro' },
  uploadPhoto: {
    at: { restaurantId: 1 },
    body: form(photoPart()),
    makes: ['photo create'],
    name: 'Chez Nous',
  },
  setPhotoCaption: {
    at: { id: 1 },
    body: { caption: 'The terrace' },
    makes: ['photo update'],
    name: 'Chez Nous',
    fields: ['caption'],
  },
  deletePhoto: { at: { id: 1 }, makes: ['photo delete'], name: 'Chez Nous' },
  createList: { body: { name: 'Lyon' }, makes: ['list create'], name: 'Lyon' },
  updateList: {
    at: { id: OWN_LIST },
    body: { name: 'Paris', description: 'By train' },
    makes: ['list update'],
    name: 'Paris',
    fields: ['description', 'name'],
  },
  deleteList: { at: { id: OWN_LIST }, makes: ['list delete'], name: 'Trips' },
  putItem: {
    at: { id: OWN_LIST, restaurantId: 1 },
    body: { note: 'The soup' },
    makes: ['list update'],
    name: 'Trips',
    fields: ['items'],
  },
  deleteItem: {
    at: { id: OWN_LIST, restaurantId: 1 },
    makes: ['list update'],
    name: 'Trips',
    fields: ['items'],
  },
  createVisit: { body: { restaurant_id: 1, note: 'Cold' }, makes: ['visit create'], name: 'Chez Nous' },
  updateVisit: {
    at: { id: 1 },
    body: { note: 'Warm', companions: ['Grace'] },
    makes: ['visit update'],
    name: 'Chez Nous',
    fields: ['companions', 'note'],
  },
  deleteVisit: { at: { id: 1 }, makes: ['visit delete'], name: 'Chez Nous' },
  importFile: {
    body: form(filePart('name\nLe Bac\n')),
    makes: ['restaurant create'],
    name: 'Le Bac',
  },
  revertChange: { at: { id: RENAMED }, makes: ['category update'], name: 'Indian', fields: ['name'] },
  revertBatch: { at: { id: 1 }, makes: ['food_type delete'], name: 'Tripe' },
  purgeChange: { at: { id: PURGED }, makes: [] },
};

/** A catalogue with something of everything, and changes to be undone and forgotten. */
export async function furnished(t: TestContext): Promise<World> {
  const world = await startWorld(t);
  const { admin, service } = world;
  await admin.post('/restaurants', { name: 'Chez Nous', category_id: 5, food_type_ids: [8, 2] });
  await admin.post('/suggestions', { ...FULL_SUGGESTION, name: 'Bistro', google_place_id: null });
  await admin.post('/ratings', ratingOf(1));
  await addPhoto(admin, 1);
  await admin.put('/categories/6', { name: 'Bengali' });
  await admin.post('/food-types', { name: 'Tripe' });
  changeStored(service.folder, "INSERT INTO batches (at, file) VALUES ('2026', 'tripe.csv')");
  changeStored(service.folder, 'UPDATE changes SET batch_id = 1 WHERE id = ?', OF_BATCH);
  await admin.delete('/categories/7');
  await admin.post('/lists', { name: 'Trips' });
  await admin.put(`/lists/${OWN_LIST}/items/1`, {});
  await admin.post('/visits', { restaurant_id: 1 });
  await admin.post('/restaurants', { name: 'Double' });
  return world;
}
