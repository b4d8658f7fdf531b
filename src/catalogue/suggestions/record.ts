import type { Entity } from '../../storage/change-log.ts';
import {
  type Stored,
  isIds,
  isNumber,
  isNumberOrNull,
  isOneOf,
  isText,
  isTextOrNull,
  readStored,
} from '../../storage/stored.ts';
import type { Authored, ShowAuthor } from '../authors.ts';
import { PLACE_NAMES, type PlaceFields, isPlace, picked, required } from '../restaurants/fields.ts';
import { type Lookups, categoryOf, foodTypesOf } from '../../index/lookups.ts';

/** The statuses that the status update moves between. */
export const OPEN_STATUSES = ['pending', 'approved', 'tested', 'rejected'] as const;

/** All statuses; only a conversion makes the last one. */
export const STATUSES = [...OPEN_STATUSES, 'converted'] as const;

export type OpenStatus = (typeof OPEN_STATUSES)[number];
export type SuggestionStatus = (typeof STATUSES)[number];

const COLUMNS = {
  id: isNumber,
  /** The user who suggested it; null when none is known. */
  author_id: isNumberOrNull,
  suggested_category_id: isNumberOrNull,
  food_type_ids: isIds,
  notes: isTextOrNull,
  status: isOneOf(STATUSES),
  /** The restaurant that it became, as long as that exists. */
  restaurant_id: isNumberOrNull,
  created_at: isText,
  updated_at: isText,
};

/** A suggestion as it is stored, in the database and in the change log, under the names of the API. */
export type SuggestionRecord = PlaceFields & Stored<typeof COLUMNS>;

/** Reads a suggestion of the change log. */
export function readSuggestion(entity: Entity): SuggestionRecord {
  return { ...required(picked(entity, PLACE_NAMES), isPlace), ...readStored(entity, COLUMNS) };
}

/** The names of its fields in an answer. */
export const SUGGESTION_ANSWER: readonly string[] = [
  ...['id', ...PLACE_NAMES, 'suggested_category_id', 'category', 'food_types', 'notes', 'status'],
  ...['restaurant_id', 'author', 'created_at', 'updated_at'],
];

/** The Suggestion of swagger.yaml. */
export function suggestionJson(
  record: Authored<SuggestionRecord>,
  lookups: Lookups,
  showAuthor: ShowAuthor,
): object {
  const category = categoryOf(record.suggested_category_id, lookups);
  return {
    id: record.id,
    ...picked(record, PLACE_NAMES),
    suggested_category_id: category?.row.id ?? null,
    category: category?.row ?? null,
    food_types: foodTypesOf(record.food_type_ids, lookups).map(({ row }) => row),
    notes: record.notes,
    status: record.status,
    restaurant_id: record.restaurant_id,
    author: showAuthor(record),
    created_at: record.created_at,
    updated_at: record.updated_at,
  };
}
