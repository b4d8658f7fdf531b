import { pick } from '../../kit/objects.ts';
import type { Entity } from '../../storage/change-log.ts';
import { type Stored, isNumber, isTextOrNull, readStored } from '../../storage/stored.ts';
import { COMMON_COLUMNS, type Authored, type ShowAuthor, authoredJson } from '../authors.ts';

/** The columns that a change may set. */
const CHANGEABLE = {
  food_rating: isNumber,
  service_rating: isNumber,
  ambiance_rating: isNumber,
  comment: isTextOrNull,
};
const OWN = { restaurant_id: isNumber, ...CHANGEABLE };
const COLUMNS = { ...COMMON_COLUMNS, ...OWN };

/** The names of all columns except the common ones, and of those that a change may set. */
export const RATING_NAMES = Object.keys(OWN);
export const CHANGEABLE_NAMES = Object.keys(CHANGEABLE);

/** A rating as stored in the database and the change log. */
export type RatingRecord = Stored<typeof COLUMNS>;

/** A rating, validated. */
export type NewRating = Stored<typeof OWN>;

/** The fields that a change sends; a null comment clears it. */
export type RatingChange = Partial<Stored<typeof CHANGEABLE>>;

/** Reads a rating from the change log. Old entries, from before ratings could be changed, have no `updated_at`. */
export function readRating(entity: Entity): RatingRecord {
  return readStored({ updated_at: entity['created_at'], ...entity }, COLUMNS);
}

/** The fields of a rating in the change log that a change may set. */
export function readRatingChange(entity: Entity): RatingChange {
  return readStored(entity, CHANGEABLE);
}

/** A rating in a user's own list, with the name of its restaurant. */
export type RatingOfUser = Authored<RatingRecord> & { readonly restaurant_name: string };

/** The Rating of swagger.yaml. */
export function ratingJson(record: Authored<RatingRecord>, showAuthor: ShowAuthor): object {
  return authoredJson(record, pick(record, RATING_NAMES), showAuthor);
}

/** The OwnRating of swagger.yaml. */
export function ownRatingJson(record: RatingOfUser, showAuthor: ShowAuthor): object {
  const { restaurant_id: id, restaurant_name: name } = record;
  return { ...ratingJson(record, showAuthor), restaurant: { id, name } };
}
