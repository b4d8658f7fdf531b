import type { Entity } from '../../storage/change-log.ts';
import {
  type Stored,
  isIds,
  isNumberOrNull,
  isOneOf,
  isTextOrNull,
  readStored,
} from '../../storage/stored.ts';
import { type Authored, COMMON_ANSWER, COMMON_COLUMNS, type ShowAuthor, authoredJson } from '../authors.ts';
import { PLACE_NAMES, type PlaceFields, fieldsOf } from '../restaurants/fields.ts';
import { type Lookups, categoryOf, foodTypesOf } from '../../index/lookups.ts';

/** The statuses that clients can set. */
export const OPEN_STATUSES = ['pending', 'approved', 'tested', 'rejected'] as const;

/** All statuses; only a conversion sets the last one. */
export const SUGGESTION_STATUSES = [...OPEN_STATUSES, 'converted'] as const;

export type OpenStatus = (typeof OPEN_STATUSES)[number];
export type SuggestionStatus = (typeof SUGGESTION_STATUSES)[number];

/** The columns of a suggestion in addition to those of a place. */
const COLUMNS = {
  ...COMMON_COLUMNS,
  suggested_category_id: isNumberOrNull,
  food_type_ids: isIds,
  notes: isTextOrNull,
  status: isOneOf(SUGGESTION_STATUSES),
  /** The restaurant that it became, while that exists. */
  restaurant_id: isNumberOrNull,
};

/** A suggestion as stored in the database and the change log, with the names of the API. */
export type SuggestionRecord = PlaceFields & Stored<typeof COLUMNS>;

/** Reads a suggestion from the change log. */
export function readSuggestion(entity: Entity): SuggestionRecord {
  return { ...fieldsOf(entity, PLACE_NAMES), ...readStored(entity, COLUMNS) };
}

/** The names of its fields in a response. */
export const SUGGESTION_ANSWER: readonly string[] = [
  ...COMMON_ANSWER,
  ...PLACE_NAMES,
  'suggested_category_id',
  'category',
  'food_types',
  'notes',
  'status',
  'restaurant_id',
];

/** The Suggestion of swagger.yaml. */
export function suggestionJson(
  record: Authored<SuggestionRecord>,
  lookups: Lookups,
  showAuthor: ShowAuthor,
): object {
  const category = categoryOf(record.suggested_category_id, lookups);
  const own = {
    ...fieldsOf({ ...record }, PLACE_NAMES),
    suggested_category_id: category?.row.id ?? null,
    category: category?.row ?? null,
    food_types: foodTypesOf(record.food_type_ids, lookups).map(({ row }) => row),
    notes: record.notes,
    status: record.status,
    restaurant_id: record.restaurant_id,
  };
  return authoredJson(record, own, showAuthor);
}
