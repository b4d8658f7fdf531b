/** A category or food type, with what the service alone decides on. */
export interface Lookup {
  readonly id: number;
  readonly name: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The fields sent of a restaurant or suggestion, by the names of the API; a suggestion keeps its notes as description. */
export interface Draft {
  readonly name: string;
  readonly address: string | null;
  readonly description: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly google_place_id: string | null;
  readonly category_id: number | null;
  readonly food_type_ids: readonly number[];
  readonly status: string;
}

/** A restaurant or suggestion. A category, a food type or a suggestion that it names may be gone. */
export interface Entry extends Draft {
  readonly id: number;
  /** The suggestion that a restaurant was made from; always null of a suggestion. */
  readonly suggestion_id: number | null;
  /** The restaurant that a suggestion became; always null of a restaurant. */
  readonly restaurant_id: number | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A rating as it is answered. */
export interface Rating {
  readonly id: number;
  readonly restaurant_id: number;
  readonly food_rating: number;
  readonly service_rating: number;
  readonly ambiance_rating: number;
  readonly comment: string | null;
  readonly author: null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A photo of a restaurant. */
export interface Photo {
  readonly restaurant_id: number;
  /** The whole record as it is answered. */
  readonly record: Readonly<Record<string, unknown>>;
}

/** The expected content of the catalogue, held in the plainest way. */
export interface Model {
  readonly categories: Map<number, Lookup>;
  readonly foodTypes: Map<number, Lookup>;
  readonly restaurants: Map<number, Entry>;
  readonly suggestions: Map<number, Entry>;
  readonly ratings: Map<number, Rating>;
  readonly photos: Map<number, Photo>;
}

/** A catalogue of nothing but these. */
export function createModel(categories: readonly Lookup[], foodTypes: readonly Lookup[]): Model {
  return {
    categories: new Map(categories.map((one) => [one.id, one])),
    foodTypes: new Map(foodTypes.map((one) => [one.id, one])),
    restaurants: new Map(),
    suggestions: new Map(),
    ratings: new Map(),
    photos: new Map(),
  };
}

/** What several know, of whom each has written to things of their own alone. */
export function unite(models: readonly Model[]): Model {
  return {
    categories: new Map(models.flatMap(({ categories }) => [...categories])),
    foodTypes: new Map(models.flatMap(({ foodTypes }) => [...foodTypes])),
    restaurants: new Map(models.flatMap(({ restaurants }) => [...restaurants])),
    suggestions: new Map(models.flatMap(({ suggestions }) => [...suggestions])),
    ratings: new Map(models.flatMap(({ ratings }) => [...ratings])),
    photos: new Map(models.flatMap(({ photos }) => [...photos])),
  };
}

/** Whether a body names a category or a food type that is not there, which is refused with 400. */
export function namesMissing(
  { categories, foodTypes }: Model,
  { category_id: category = null, food_type_ids: types = [] }: Partial<Draft>,
): boolean {
  return (category !== null && !categories.has(category)) || types.some((id) => !foodTypes.has(id));
}

/** The entry without what it names that is gone. */
export function cleared({ categories, foodTypes }: Model, entry: Entry): Entry {
  const { category_id: category } = entry;
  return {
    ...entry,
    category_id: category !== null && categories.has(category) ? category : null,
    food_type_ids: entry.food_type_ids.filter((id) => foodTypes.has(id)),
  };
}

/** A changed entry that still names what is deleted: it comes back with it where nothing has taken its place. */
export function keepsDeleted({ categories, foodTypes }: Model, before: Entry, changed: Entry): Entry {
  const { category_id: category, food_type_ids: types } = before;
  const deleted = category !== null && !categories.has(category) ? category : null;
  return {
    ...changed,
    category_id: changed.category_id ?? deleted,
    food_type_ids: [...changed.food_type_ids, ...types.filter((id) => !foodTypes.has(id))],
  };
}

/** Whether two drafts are the same place, which is answered 409; without an address its position stands in. */
export function areSame(one: Draft, other: Draft): boolean {
  if (one.google_place_id !== null && one.google_place_id === other.google_place_id) return true;
  return identity(one) === identity(other);
}

function identity({ name, address, latitude, longitude }: Draft): string {
  const place = address === null ? [latitude, longitude] : [address.toLowerCase()];
  return JSON.stringify([name.toLowerCase(), ...place]);
}

/** Whether there is another restaurant like this. */
export function isRestaurant({ restaurants }: Model, draft: Draft, except?: number): boolean {
  return [...restaurants.values()].some((one) => one.id !== except && areSame(one, draft));
}

/** Whether a restaurant, or another suggestion that is not rejected, is like this. */
export function isKnown(model: Model, draft: Draft, except?: number): boolean {
  const suggestions = [...model.suggestions.values()].filter(
    ({ id, status }) => id !== except && status !== 'rejected',
  );
  return isRestaurant(model, draft) || suggestions.some((one) => areSame(one, draft));
}

/** The suggestions that a new restaurant like this converts, the oldest first. */
export function openTwins({ suggestions }: Model, draft: Draft): Entry[] {
  return [...suggestions.values()]
    .filter((one) => ['pending', 'approved', 'tested'].includes(one.status) && areSame(one, draft))
    .sort((left, right) => left.id - right.id);
}

/** Whether another record has the name, without case. */
export function isTaken(lookups: ReadonlyMap<number, Lookup>, name: string, except?: number): boolean {
  const key = name.toLowerCase();
  return [...lookups.values()].some((one) => one.id !== except && one.name.toLowerCase() === key);
}

/** Takes a restaurant away with all that belongs to it. */
export function removeRestaurant({ restaurants, ratings, photos }: Model, id: number): void {
  restaurants.delete(id);
  for (const [rating, { restaurant_id: of }] of ratings) if (of === id) ratings.delete(rating);
  for (const [photo, { restaurant_id: of }] of photos) if (of === id) photos.delete(photo);
}

/** The ratings of a restaurant, newest first. */
export function ratingsOf({ ratings }: Model, id: number): Rating[] {
  return newestFirst([...ratings.values()].filter(({ restaurant_id: of }) => of === id));
}

/** Sorted by when they were made, the latest first. */
export function newestFirst<One extends { readonly id: number; readonly created_at: string }>(
  all: readonly One[],
): One[] {
  return all.toSorted((left, right) => order(right.created_at, left.created_at) || right.id - left.id);
}

/** Less than, equal to or greater than 0, by the units of the texts. */
export function order(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
