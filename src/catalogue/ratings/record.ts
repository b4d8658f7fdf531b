import type { Entity } from '../../storage/change-log.ts';
import {
  type Stored,
  isNumber,
  isNumberOrNull,
  isText,
  isTextOrNull,
  readStored,
} from '../../storage/stored.ts';
import type { Authored, ShowAuthor } from '../authors.ts';

const COLUMNS = {
  id: isNumber,
  restaurant_id: isNumber,
  /** Null when none is known. */
  author_id: isNumberOrNull,
  food_rating: isNumber,
  service_rating: isNumber,
  ambiance_rating: isNumber,
  comment: isTextOrNull,
  created_at: isText,
  updated_at: isText,
};

/** A rating as it is stored, in the database and in the change log, under the names of the API. */
export type RatingRecord = Stored<typeof COLUMNS>;

/** Reads a rating of the change log. One that was logged before ratings could be changed has no `updated_at`. */
export function readRating(entity: Entity): RatingRecord {
  return readStored({ updated_at: entity['created_at'], ...entity }, COLUMNS);
}

/** A rating in a list of one user's, with the name of its restaurant. */
export type RatingOfUser = Authored<RatingRecord> & { readonly restaurant_name: string };

/** The Rating of swagger.yaml. */
export function ratingJson(record: Authored<RatingRecord>, showAuthor: ShowAuthor): object {
  return {
    id: record.id,
    restaurant_id: record.restaurant_id,
    food_rating: record.food_rating,
    service_rating: record.service_rating,
    ambiance_rating: record.ambiance_rating,
    comment: record.comment,
    author: showAuthor(record),
    created_at: record.created_at,
    updated_at: record.updated_at,
  };
}

/** The OwnRating of swagger.yaml. */
export function ownRatingJson(record: RatingOfUser, showAuthor: ShowAuthor): object {
  const { restaurant_id: id, restaurant_name: name } = record;
  return { ...ratingJson(record, showAuthor), restaurant: { id, name } };
}
