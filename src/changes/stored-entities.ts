import type { StoredPhoto } from '../photos/record.ts';
import type { StoredRating } from '../ratings/store.ts';
import { STATUSES as RESTAURANT_STATUSES } from '../restaurants/input.ts';
import type { StoredRestaurant } from '../restaurants/record.ts';
import type { TakenAlong } from '../restaurants/taken-along.ts';
import type { Entity } from '../storage/change-log.ts';
import { type StoredFields, storedFields } from '../storage/stored.ts';
import { STATUSES as SUGGESTION_STATUSES, type StoredSuggestion } from '../suggestions/record.ts';

// Entities as the log holds them, read field by field; each function throws a TypeError where the log holds something else.

/** A restaurant. */
export function readRestaurant(stored: Entity): StoredRestaurant {
  const fields = storedFields(stored);
  return {
    ...readPlace(fields),
    description: fields.textOrNull('description'),
    category_id: fields.numberOrNull('category_id'),
    status: fields.choice('status', RESTAURANT_STATUSES),
    suggestion_id: fields.numberOrNull('suggestion_id'),
  };
}

/** A suggestion. */
export function readSuggestion(stored: Entity): StoredSuggestion {
  const fields = storedFields(stored);
  return {
    ...readPlace(fields),
    author_id: fields.numberOrNull('author_id'),
    suggested_category_id: fields.numberOrNull('suggested_category_id'),
    notes: fields.textOrNull('notes'),
    status: fields.choice('status', SUGGESTION_STATUSES),
    restaurant_id: fields.numberOrNull('restaurant_id'),
  };
}

/** What restaurants and suggestions have in common. */
function readPlace({
  number,
  numberOrNull,
  text,
  textOrNull,
  ids,
}: StoredFields): Omit<StoredRestaurant, 'description' | 'category_id' | 'status' | 'suggestion_id'> {
  return {
    id: number('id'),
    name: text('name'),
    address: textOrNull('address'),
    phone: textOrNull('phone'),
    website: textOrNull('website'),
    latitude: numberOrNull('latitude'),
    longitude: numberOrNull('longitude'),
    google_place_id: textOrNull('google_place_id'),
    food_type_ids: ids('food_type_ids'),
    created_at: text('created_at'),
    updated_at: text('updated_at'),
  };
}

/** What a restaurant took along; one that was new has nothing of it. */
export function readAlong(stored: Entity): TakenAlong {
  const { ids, rows } = storedFields({ suggestion_ids: [], ratings: [], photos: [], ...stored });
  return { suggestion_ids: ids('suggestion_ids'), ratings: rows('ratings'), photos: rows('photos') };
}

/** A rating. */
export function readRating(stored: Entity): StoredRating {
  const { number, numberOrNull, text, textOrNull } = storedFields(stored);
  return {
    id: number('id'),
    restaurant_id: number('restaurant_id'),
    author_id: numberOrNull('author_id'),
    food_rating: number('food_rating'),
    service_rating: number('service_rating'),
    ambiance_rating: number('ambiance_rating'),
    comment: textOrNull('comment'),
    created_at: text('created_at'),
  };
}

/** A photo. */
export function readPhoto(stored: Entity): StoredPhoto {
  const { number, numberOrNull, text, textOrNull } = storedFields(stored);
  return {
    id: number('id'),
    restaurant_id: number('restaurant_id'),
    author_id: numberOrNull('author_id'),
    filename: text('filename'),
    original_filename: textOrNull('original_filename'),
    caption: text('caption'),
    file_size: number('file_size'),
    mime_type: text('mime_type'),
    width: number('width'),
    height: number('height'),
    created_at: text('created_at'),
    updated_at: text('updated_at'),
  };
}

/** The restaurants that were made of a suggestion. */
export function readMadeOf(stored: Entity): readonly number[] {
  return storedFields({ restaurant_ids: [], ...stored }).ids('restaurant_ids');
}
