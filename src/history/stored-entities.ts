import { NO_THUMBNAIL, type PhotoRecord } from '../catalogue/photos/record.ts';
import type { RatingRecord } from '../catalogue/ratings/record.ts';
import { PLACE_NAMES, isPlace, picked, required, storedFieldsOf } from '../catalogue/restaurants/fields.ts';
import type { StoredRestaurant } from '../catalogue/restaurants/record.ts';
import type { TakenAlong } from '../catalogue/restaurants/taken-along.ts';
import type { Entity } from '../storage/change-log.ts';
import { storedFields } from '../storage/stored.ts';
import { STATUSES, type SuggestionRecord } from '../catalogue/suggestions/record.ts';

// Entities as the log holds them, read field by field; each function throws a TypeError where the log holds something else.

/** A restaurant. */
export function readRestaurant(stored: Entity): StoredRestaurant {
  const fields = storedFields(stored);
  return {
    id: fields.number('id'),
    ...storedFieldsOf(stored),
    suggestion_id: fields.numberOrNull('suggestion_id'),
    created_at: fields.text('created_at'),
    updated_at: fields.text('updated_at'),
  };
}

/** A suggestion. */
export function readSuggestion(stored: Entity): SuggestionRecord {
  const fields = storedFields(stored);
  return {
    id: fields.number('id'),
    author_id: fields.numberOrNull('author_id'),
    ...required(picked(stored, PLACE_NAMES), isPlace),
    suggested_category_id: fields.numberOrNull('suggested_category_id'),
    food_type_ids: fields.ids('food_type_ids'),
    notes: fields.textOrNull('notes'),
    status: fields.choice('status', STATUSES),
    restaurant_id: fields.numberOrNull('restaurant_id'),
    created_at: fields.text('created_at'),
    updated_at: fields.text('updated_at'),
  };
}

// Of a created restaurant.
const NOTHING_ALONG: TakenAlong = {
  ...{ suggestion_ids: [], rating_ids: [], ratings_total: 0, last_rating_id: 0 },
  ...{ photo_ids: [], photos_total: 0, last_photo_id: 0 },
};

/** The belongings of a deleted restaurant; a created one has none. */
export function readAlong(stored: Entity): TakenAlong {
  const { ids, number } = storedFields({ ...NOTHING_ALONG, ...stored });
  return {
    suggestion_ids: ids('suggestion_ids'),
    rating_ids: ids('rating_ids'),
    ratings_total: number('ratings_total'),
    last_rating_id: number('last_rating_id'),
    photo_ids: ids('photo_ids'),
    photos_total: number('photos_total'),
    last_photo_id: number('last_photo_id'),
  };
}

/** A rating; one that was logged before ratings could change has not been changed. */
export function readRating(stored: Entity): RatingRecord {
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
    updated_at: text('updated_at' in stored ? 'updated_at' : 'created_at'),
  };
}

/** A photo. */
export function readPhoto(stored: Entity): PhotoRecord {
  const { number, numberOrNull, text, textOrNull } = storedFields({ ...NO_THUMBNAIL, ...stored });
  return {
    id: number('id'),
    restaurant_id: number('restaurant_id'),
    author_id: numberOrNull('author_id'),
    filename: text('filename'),
    original_filename: textOrNull('original_filename'),
    // Gone with the account of its author.
    caption: textOrNull('caption') ?? '',
    file_size: number('file_size'),
    mime_type: text('mime_type'),
    width: number('width'),
    height: number('height'),
    thumbnail_filename: textOrNull('thumbnail_filename'),
    thumbnail_size: numberOrNull('thumbnail_size'),
    thumbnail_type: textOrNull('thumbnail_type'),
    thumbnail_width: numberOrNull('thumbnail_width'),
    thumbnail_height: numberOrNull('thumbnail_height'),
    created_at: text('created_at'),
    updated_at: text('updated_at'),
  };
}

/** The restaurants that were made of a suggestion. */
export function readMadeOf(stored: Entity): readonly number[] {
  return storedFields({ restaurant_ids: [], ...stored }).ids('restaurant_ids');
}
