import {
  type Fields,
  type Parsed,
  parsed,
  readFields,
  requiredIdField,
  requiredIntegerField,
  textField,
} from '../../kit/input/fields.ts';
import {
  type ListPart,
  integerParameter,
  listPart,
  readQuery,
  textParameter,
} from '../../kit/input/query.ts';
import type { RatingRecord } from './record.ts';

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
const RATING_ANSWER = ['id', 'author', 'restaurant', 'created_at', 'updated_at'];

/** The fields of a change that were sent; a null comment clears it. */
export type RatingChange = Partial<
  Pick<RatingRecord, 'food_rating' | 'service_rating' | 'ambiance_rating' | 'comment'>
>;

/** A body that creates a rating. */
export function parseNewRating(body: object): Parsed<NewRating> {
  const fields = readFields(body, RATING_ANSWER);
  return parsed(fields, {
    restaurantId: requiredIdField(fields, 'restaurant_id'),
    ...readRatings(fields),
    comment: commentField(fields),
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

/** A body that changes a rating, and the restaurant that it names: only what is sent is in the result. */
export function parseRatingChange(
  body: object,
): Parsed<{ readonly change: RatingChange; readonly restaurantId: number | undefined }> {
  const fields = readFields(body, RATING_ANSWER);
  const isSent = (name: string): boolean => fields.values.has(name);
  const stars = (name: string): number => requiredIntegerField(fields, name, 1, 5);
  return parsed(fields, {
    restaurantId: isSent('restaurant_id') ? requiredIdField(fields, 'restaurant_id') : undefined,
    change: {
      ...(isSent('food_rating') && { food_rating: stars('food_rating') }),
      ...(isSent('service_rating') && { service_rating: stars('service_rating') }),
      ...(isSent('ambiance_rating') && { ambiance_rating: stars('ambiance_rating') }),
      ...(isSent('comment') && { comment: commentField(fields) }),
    },
  });
}

function commentField(fields: Fields): string | null {
  return textField(fields, 'comment', 5000);
}

/** The query of a restaurant's list of ratings. */
export function parseRatingListQuery(queryString: string): Parsed<ListPart> {
  const query = readQuery(queryString);
  return parsed(query, listPart(query));
}

/** The query of the caller's own ratings; those of others are not listed. */
export function parseOwnRatingsQuery(
  queryString: string,
): Parsed<ListPart & { readonly restaurantId: number | undefined }> {
  const query = readQuery(queryString);
  const user = textParameter({ ...query, faults: [] }, 'user', 100);
  if (user !== 'me') query.faults.push('user must be me');
  return parsed(query, {
    restaurantId: integerParameter(query, 'restaurant_id', 1, Number.MAX_SAFE_INTEGER),
    ...listPart(query),
  });
}
