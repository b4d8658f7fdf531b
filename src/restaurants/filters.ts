import type { Bindings } from '../storage/statements.ts';
import type { Point } from './geo.ts';
import type { RestaurantStatus } from './fields.ts';

/** Which restaurants, or pending suggestions in their shape, a list holds; everything that is given must hold. */
export interface Filters {
  readonly categoryId: number | undefined;
  /** Any of them. */
  readonly foodTypeIds: readonly number[] | undefined;
  readonly status: RestaurantStatus | undefined;
  /** Least overall average. */
  readonly minRating: number | undefined;
  /** The words that must be found. */
  readonly match: TextMatch | undefined;
  /** The centre of distances, and the radius in kilometres that cuts off. */
  readonly near: (Point & { readonly radius: number | undefined }) | undefined;
}

/** A person's words, and what has all of them: ids in slices of a few milliseconds each, in no order that counts. */
export interface TextMatch {
  readonly restaurants: () => AsyncIterable<readonly number[]>;
  readonly pending: () => AsyncIterable<readonly number[]>;
}

/** The fragments of restaurants.sql that check for the filters, words and places aside. */
export function conditions(
  { categoryId, foodTypeIds, status, minRating }: Filters,
  { andFoodTypes }: { readonly andFoodTypes: string },
): string[] {
  return [
    ...(categoryId === undefined ? [] : ['andCategory']),
    ...(foodTypeIds === undefined ? [] : [andFoodTypes]),
    ...(status === undefined ? [] : ['andStatus']),
    ...(minRating === undefined ? [] : ['andMinRating']),
  ];
}

/** What these fragments are bound to. */
export function bindings({ categoryId, foodTypeIds, status, minRating }: Filters): Bindings {
  return {
    categoryId: categoryId ?? null,
    foodTypeIds: JSON.stringify(foodTypeIds ?? []),
    status: status ?? null,
    minRating: minRating ?? null,
  };
}

/** What a total is stored of: everything, a category or a food type, and its id. */
export type StoredScope = ['all' | 'category' | 'food_type', number];

/** The stored total that answers these filters, if there is one. */
export function storedScope(filters: Filters): StoredScope | undefined {
  const { categoryId, foodTypeIds, status, minRating } = filters;
  const [foodTypeId, ...more] = foodTypeIds ?? [];
  if (status !== undefined || minRating !== undefined || more.length > 0) return undefined;
  if (categoryId === undefined) return foodTypeId === undefined ? ['all', 0] : ['food_type', foodTypeId];
  return foodTypeId === undefined ? ['category', categoryId] : undefined;
}
