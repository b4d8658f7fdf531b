import { PLACE_NAMES, type PlaceFields, isPlace, picked, required } from '../restaurants/fields.ts';

/** The statuses that the status update moves between. */
export const OPEN_STATUSES = ['pending', 'approved', 'tested', 'rejected'] as const;

/** All statuses; only a conversion makes the last one. */
export const STATUSES = [...OPEN_STATUSES, 'converted'] as const;

export type OpenStatus = (typeof OPEN_STATUSES)[number];
export type SuggestionStatus = (typeof STATUSES)[number];

/** A suggestion as the database gives it, with its category's columns; food types come beside it. */
export interface SuggestionRow extends PlaceFields {
  readonly id: number;
  readonly suggested_category_id: number | null;
  readonly category_name: string | null;
  readonly category_created_at: string | null;
  readonly category_updated_at: string | null;
  readonly notes: string | null;
  readonly status: SuggestionStatus;
  /** What it became, as long as that exists. */
  readonly restaurant_id: number | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface SuggestionRecord extends SuggestionRow {
  /** Ordered by name. */
  readonly food_types: readonly { readonly id: number; readonly name: string }[];
}

/** A suggestion as the change log holds it: what is stored, under the names of the API, and whose it is. */
export interface StoredSuggestion extends PlaceFields {
  readonly id: number;
  readonly author_id: number | null;
  readonly suggested_category_id: number | null;
  readonly food_type_ids: readonly number[];
  readonly notes: string | null;
  readonly status: SuggestionStatus;
  readonly restaurant_id: number | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** What is stored of a record. */
export function storedSuggestion(record: SuggestionRecord, authorId: number | null): StoredSuggestion {
  return {
    id: record.id,
    author_id: authorId,
    ...required(picked(record, PLACE_NAMES), isPlace),
    suggested_category_id: record.suggested_category_id,
    food_type_ids: record.food_types.map(({ id }) => id).sort((left, right) => left - right),
    notes: record.notes,
    status: record.status,
    restaurant_id: record.restaurant_id,
    created_at: record.created_at,
    updated_at: record.updated_at,
  };
}

/** The Suggestion of CONTRACT section 5. */
export function suggestionJson(record: SuggestionRecord): object {
  const { category_name, category_created_at, category_updated_at, food_types, notes, ...own } = record;
  const { status, restaurant_id, created_at, updated_at, ...place } = own;
  const category = {
    id: record.suggested_category_id,
    name: category_name,
    created_at: category_created_at,
    updated_at: category_updated_at,
  };
  return {
    ...place,
    category: category.id === null ? null : category,
    food_types,
    notes,
    status,
    restaurant_id,
    created_at,
    updated_at,
  };
}
