import type { Authored, ShowAuthor } from '../authors.ts';
import { PLACE_NAMES, type PlaceFields, picked } from '../restaurants/fields.ts';
import { type Lookups, categoryOf, foodTypesOf } from '../restaurants/lookups.ts';

/** The statuses that the status update moves between. */
export const OPEN_STATUSES = ['pending', 'approved', 'tested', 'rejected'] as const;

/** All statuses; only a conversion makes the last one. */
export const STATUSES = [...OPEN_STATUSES, 'converted'] as const;

export type OpenStatus = (typeof OPEN_STATUSES)[number];
export type SuggestionStatus = (typeof STATUSES)[number];

/** A suggestion as it is stored, in the database and in the change log, under the names of the API. */
export interface SuggestionRecord extends PlaceFields {
  readonly id: number;
  /** The user who suggested it; null when none is known. */
  readonly author_id: number | null;
  readonly suggested_category_id: number | null;
  readonly food_type_ids: readonly number[];
  readonly notes: string | null;
  readonly status: SuggestionStatus;
  /** The restaurant that it became, as long as that exists. */
  readonly restaurant_id: number | null;
  readonly created_at: string;
  readonly updated_at: string;
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
