import type { Authored, ShowAuthor } from '../authors.ts';

/** A rating as it is stored, in the database and in the change log, under the names of the API. */
export interface RatingRecord {
  readonly id: number;
  readonly restaurant_id: number;
  /** Null when none is known. */
  readonly author_id: number | null;
  readonly food_rating: number;
  readonly service_rating: number;
  readonly ambiance_rating: number;
  readonly comment: string | null;
  readonly created_at: string;
  readonly updated_at: string;
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
