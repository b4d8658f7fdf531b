import {
  type Fields,
  type Parsed,
  bodyParser,
  requiredChoiceField,
  idField,
  parsed,
  readFields,
  textField,
} from '../../kit/input/fields.ts';
import { choiceParameter, listPart, queryParser } from '../../kit/input/query.ts';
import { pick } from '../../kit/objects.ts';
import { readScores } from '../ratings/input.ts';
import type { NewRating } from '../ratings/record.ts';
import { FIELDS } from '../restaurants/field-table.ts';
import {
  FIELD_NAMES,
  PLACE_NAMES,
  type PlaceFields,
  type RestaurantChange,
  parseFields,
} from '../restaurants/fields.ts';
import { parseRestaurantChange } from '../restaurants/input.ts';
import { RESTAURANT_ANSWER } from '../restaurants/texts.ts';
import { OPEN_STATUSES, SUGGESTION_STATUSES, SUGGESTION_ANSWER } from './record.ts';

/** A suggestion, validated. */
export interface NewSuggestion extends PlaceFields, SuggestedReferences {
  readonly notes: string | null;
}

/** The category and food types that a suggestion names, and the field of its category. */
export interface SuggestedReferences {
  readonly category_id: number | null;
  readonly categoryField: string;
  readonly food_type_ids: readonly number[];
}

/** A conversion to a restaurant: fields that replace the suggestion's own, and perhaps a first rating. */
export interface Conversion {
  readonly overrides: RestaurantChange;
  readonly rating: FirstRating | undefined;
}

export type FirstRating = Omit<NewRating, 'restaurant_id'>;

const NOT_OVERRIDDEN: readonly string[] = ['latitude', 'longitude', 'google_place_id', 'status'];
const OVERRIDES = FIELD_NAMES.filter((name) => !NOT_OVERRIDDEN.includes(name));
const CONVERSION_ANSWER = [...RESTAURANT_ANSWER, ...SUGGESTION_ANSWER, 'message'];
const NOTHING: Conversion = { overrides: {}, rating: undefined };
const RATINGS = ['food_rating', 'service_rating', 'ambiance_rating'];

/** A body that creates a suggestion. */
export const parseNewSuggestion = bodyParser(
  (fields): NewSuggestion => ({
    ...parseFields(fields, PLACE_NAMES),
    ...readReferences(fields),
    notes: textField(fields, 'notes', 5000),
  }),
  SUGGESTION_ANSWER,
);

/** The references in a refused body, so that missing ones are reported with its other faults. */
export function parseSuggestedReferences(body: object): SuggestedReferences {
  return readReferences(readFields(body));
}

function readReferences(fields: Fields): SuggestedReferences {
  const isGiven = (fields.values.get('suggested_category_id') ?? null) !== null;
  const isAlias = fields.values.has('category_id') && !isGiven;
  const categoryField = isAlias ? 'category_id' : 'suggested_category_id';
  return {
    categoryField,
    category_id: idField(fields, categoryField),
    food_type_ids: FIELDS.food_type_ids.parse(fields, 'food_type_ids'),
  };
}

/** A body that changes the status. */
export const parseStatusChange = bodyParser(
  (fields) => requiredChoiceField(fields, 'status', OPEN_STATUSES),
  SUGGESTION_ANSWER,
);

/** A body that converts a suggestion; it may be empty. */
export function parseConversion(body: object): Parsed<Conversion> {
  const fields = readFields(body, CONVERSION_ANSWER);
  const sent = OVERRIDES.filter((name) => fields.values.has(name));
  const overrides = parseRestaurantChange(pick({ ...body }, sent));
  const rating = readFirstRating(fields);
  if (!overrides.ok) return parsed({ ...fields, faults: [...overrides.faults, ...fields.faults] }, NOTHING);
  return parsed(fields, { overrides: overrides.value, rating });
}

/** All three ratings or none. A comment requires them, because it would be lost without a rating. */
function readFirstRating(fields: Fields): FirstRating | undefined {
  const comment = textField(fields, 'comment', 5000);
  const isGiven = RATINGS.some((name) => (fields.values.get(name) ?? null) !== null);
  return isGiven || comment !== null ? { ...readScores(fields), comment } : undefined;
}

/** The query of `GET /suggestions`. Without a status it is for all except converted ones. */
export const parseSuggestionListQuery = queryParser((query) => ({
  status: choiceParameter(query, 'status', [...SUGGESTION_STATUSES, 'all']),
  ...listPart(query),
}));
