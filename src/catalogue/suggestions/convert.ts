import { type NewRestaurant, storedFieldsOf } from '../restaurants/fields.ts';
import type { RestaurantStore, WriteOutcome } from '../restaurants/store.ts';
import type { Write } from '../../storage/change-log.ts';
import type { RatingStore } from '../ratings/store.ts';
import type { Conversion } from './input.ts';
import type { SuggestionRecord } from './record.ts';
import type { SuggestionStore } from './store.ts';

/** The outcome of a conversion; nothing is written unless it is `done`. */
export type ConversionOutcome =
  WriteOutcome | { readonly outcome: 'closed'; readonly status: 'rejected' | 'converted' };

/**
 * Creates a restaurant from a suggestion, with a first rating if one was sent. Storing the restaurant marks the suggestion
 * as converted. Must run in a transaction. Undefined if there is no such suggestion.
 */
export type Convert = (id: number, conversion: Conversion, write: Write) => ConversionOutcome | undefined;

export interface ConverterOptions {
  readonly suggestions: SuggestionStore;
  readonly restaurants: RestaurantStore;
  readonly ratings: RatingStore;
}

/** Joins the three stores that a conversion writes to. */
export function createConverter({ suggestions, restaurants, ratings }: ConverterOptions): Convert {
  return (id, { overrides, rating }, write) => {
    const suggestion = suggestions.get(id);
    if (!suggestion) return undefined;
    const { status } = suggestion;
    if (status === 'rejected' || status === 'converted') return { outcome: 'closed', status };
    const input = { ...asRestaurant(suggestion), ...overrides };
    const made = restaurants.create(input, write, { suggestionId: id });
    if (made.outcome === 'done' && rating)
      ratings.create({ restaurant_id: made.record.id, ...rating }, write);
    return made;
  };
}

function asRestaurant(suggestion: SuggestionRecord): NewRestaurant {
  return storedFieldsOf({
    ...suggestion,
    category_id: suggestion.suggested_category_id,
    status: 'active',
  });
}
