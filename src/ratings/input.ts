import {
  type Fields,
  type Parsed,
  parsed,
  readFields,
  requiredIdField,
  requiredIntegerField,
  textField,
} from '../input/fields.ts';
import { type ListPart, listPart, readQuery } from '../input/query.ts';

/** The three ratings, checked. */
export interface Ratings {
  readonly foodRating: number;
  readonly serviceRating: number;
  readonly ambianceRating: number;
}

/** A rating, checked. */
export interface NewRating extends Ratings {
  readonly restaurantId: number;
  readonly comment: string | null;
}

// What an answer has besides.
const RATING_ANSWER = ['id', 'created_at'];

/** A body that creates a rating. */
export function parseNewRating(body: object): Parsed<NewRating> {
  const fields = readFields(body, RATING_ANSWER);
  return parsed(fields, {
    restaurantId: requiredIdField(fields, 'restaurant_id'),
    ...readRatings(fields),
    comment: textField(fields, 'comment', 5000),
  });
}

/** Reads the three ratings, all of which are required. */
export function readRatings(fields: Fields): Ratings {
  return {
    foodRating: requiredIntegerField(fields, 'food_rating', 1, 5),
    serviceRating: requiredIntegerField(fields, 'service_rating', 1, 5),
    ambianceRating: requiredIntegerField(fields, 'ambiance_rating', 1, 5),
  };
}

/** The query of a restaurant's list of ratings. */
export function parseRatingListQuery(queryString: string): Parsed<ListPart> {
  const query = readQuery(queryString);
  return parsed(query, listPart(query));
}
