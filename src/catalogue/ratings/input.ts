import { COMMON_ANSWER } from '../authors.ts';
import {
  type Fields,
  bodyParser,
  requiredIdField,
  requiredIntegerField,
  textField,
} from '../../kit/input/fields.ts';
import { integerParameter, listPart, queryParser, textParameter } from '../../kit/input/query.ts';
import type { NewRating, RatingChange } from './record.ts';

const ANSWER = [...COMMON_ANSWER, 'restaurant'];

/** A body that creates a rating. */
export const parseNewRating = bodyParser(
  (fields): NewRating => ({
    restaurant_id: requiredIdField(fields, 'restaurant_id'),
    ...readRating(fields),
  }),
  ANSWER,
);

/** The body of a rating whose restaurant is named elsewhere. */
export const parseRatingOf = bodyParser(readRating);

function readRating(fields: Fields): Omit<NewRating, 'restaurant_id'> {
  return { ...readScores(fields), comment: textField(fields, 'comment', 5000) };
}

/** Reads the three ratings, all of which are required. */
export function readScores(fields: Fields): Omit<NewRating, 'restaurant_id' | 'comment'> {
  return {
    food_rating: requiredIntegerField(fields, 'food_rating', 1, 5),
    service_rating: requiredIntegerField(fields, 'service_rating', 1, 5),
    ambiance_rating: requiredIntegerField(fields, 'ambiance_rating', 1, 5),
  };
}

/** A body that changes a rating, and the restaurant that it names; the result has only the fields sent. */
export const parseRatingChange = bodyParser((fields) => {
  const isSent = (name: string): boolean => fields.values.has(name);
  const stars = (name: string): number => requiredIntegerField(fields, name, 1, 5);
  const restaurantId = isSent('restaurant_id') ? requiredIdField(fields, 'restaurant_id') : undefined;
  const change: RatingChange = {
    ...(isSent('food_rating') && { food_rating: stars('food_rating') }),
    ...(isSent('service_rating') && { service_rating: stars('service_rating') }),
    ...(isSent('ambiance_rating') && { ambiance_rating: stars('ambiance_rating') }),
    ...(isSent('comment') && { comment: textField(fields, 'comment', 5000) }),
  };
  return { restaurantId, change };
}, ANSWER);

/** The query for the caller's own ratings; clients cannot list those of others. */
export const parseOwnRatingsQuery = queryParser((query) => {
  const user = textParameter({ ...query, faults: [] }, 'user', 100);
  if (user !== 'me') query.faults.push('user must be me');
  const restaurantId = integerParameter(query, 'restaurant_id', 1, Number.MAX_SAFE_INTEGER);
  return { restaurantId, ...listPart(query) };
});
