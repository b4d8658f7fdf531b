import { FILE_NAMES } from '../../src/catalogue/restaurants/fields.ts';
import { withoutFacts } from '../support/facts.ts';
import { referenceDistance } from '../support/catalogue.ts';
import { type Entry, type Lookup, type Model, cleared, newestFirst, order, ratingsOf } from './model.ts';

/** The parameters of a list. */
export interface Query {
  readonly category?: number | undefined;
  readonly foodTypes?: readonly number[] | undefined;
  readonly status?: string | undefined;
  readonly minRating?: number | undefined;
  readonly words?: string | undefined;
  readonly near?: { readonly at: readonly [number, number]; readonly radius: number } | undefined;
  readonly sort?: 'newest' | 'name' | 'rating' | undefined;
}

/** The query in a URL. */
export function parametersOf(query: Query): string {
  const { near, minRating } = query;
  const given = {
    category_id: query.category,
    food_type_ids: query.foodTypes?.join(','),
    status: query.status,
    min_rating: minRating,
    q: query.words,
    lat: near?.at[0],
    lng: near?.at[1],
    radius: near?.radius,
    sort: query.sort ?? 'newest',
  };
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(given))
    if (value !== undefined) parameters.set(name, String(value));
  return parameters.toString();
}

/** The matches of a query, in its order; with pending suggestions where lists have them. */
export function listed(model: Model, query: Query, withPending: boolean): Entry[] {
  const isOfRestaurants = !withPending || query.status !== undefined || query.minRating !== undefined;
  const pending = isOfRestaurants ? [] : pendingOf(model);
  const found = [...model.restaurants.values(), ...pending].filter((one) => matches(model, one, query));
  if (query.sort === 'name')
    return found.toSorted((left, right) => order(fold(left.name), fold(right.name)) || left.id - right.id);
  if (query.sort === 'rating')
    return found.toSorted(
      (left, right) => overall(model, right) - overall(model, left) || right.id - left.id,
    );
  return newestFirst(found);
}

function pendingOf({ suggestions }: Model): Entry[] {
  return [...suggestions.values()].filter(({ status }) => status === 'pending');
}

/** The sort key of a restaurant. */
export function sortKey(model: Model, entry: Entry, { sort }: Query): string | number {
  if (sort === 'name') return fold(entry.name);
  return sort === 'rating' ? overall(model, entry) : entry.created_at;
}

function matches(model: Model, entry: Entry, query: Query): boolean {
  const { category_id: category, food_type_ids: types, latitude, longitude } = cleared(model, entry);
  const { near, words, foodTypes, minRating = 0 } = query;
  const isNear =
    near === undefined ||
    (latitude !== null &&
      longitude !== null &&
      referenceDistance(near.at, [latitude, longitude]) <= near.radius);
  return (
    (query.category === undefined || category === query.category) &&
    (foodTypes === undefined || types.some((id) => foodTypes.includes(id))) &&
    (query.status === undefined || entry.status === query.status) &&
    overall(model, entry) >= minRating &&
    (words === undefined || isFound(textOf(model, entry), words)) &&
    isNear
  );
}

/** The matches of a search, and how well they match: 0 for the name itself, 1 for a name that has all words, 2 for all else. */
export function searched(model: Model, words: string): Map<number, number> {
  const all = [...model.restaurants.values(), ...pendingOf(model)];
  const found = all.filter((one) => isFound(textOf(model, one), words));
  return new Map(found.map((one) => [one.id, rank(fold(one.name), words)]));
}

function rank(name: string, words: string): number {
  if (name === fold(words)) return 0;
  return isFound(name, words) || name.startsWith(fold(words)) ? 1 : 2;
}

/** Every word inside of a word from three letters on, else at its start. */
function isFound(text: string, words: string): boolean {
  const wanted = fold(words).split(' ');
  const has = text.split(' ');
  return wanted.every((word) =>
    has.some((one) => (word.length < 3 ? one.startsWith(word) && word !== '' : one.includes(word))),
  );
}

function textOf(model: Model, entry: Entry): string {
  const { category_id: category, food_type_ids: types } = cleared(model, entry);
  const names = types.map((id) => model.foodTypes.get(id)?.name ?? '');
  // The notes of a suggestion are for the person who decides on it, and are not searched.
  const description = entry.status === 'pending' ? '' : (entry.description ?? '');
  const own = [entry.name, entry.address ?? '', description];
  return fold([...own, model.categories.get(category ?? 0)?.name ?? '', ...names].join(' '));
}

/** Latin text as search and sorting see it. */
function fold(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
}

function overall(model: Model, { id }: Entry): number {
  return averages(model, id).overall;
}

function averages(
  model: Model,
  id: number,
): Readonly<Record<'food' | 'service' | 'ambiance' | 'overall' | 'count', number>> {
  const ratings = ratingsOf(model, id);
  const count = ratings.length;
  if (count === 0) return { food: 0, service: 0, ambiance: 0, overall: 0, count };
  const mean = (name: 'food_rating' | 'service_rating' | 'ambiance_rating'): number =>
    ratings.reduce((sum, rating) => sum + rating[name], 0) / count;
  const [food, service, ambiance] = [mean('food_rating'), mean('service_rating'), mean('ambiance_rating')];
  return { food, service, ambiance, overall: (food + service + ambiance) / 3, count };
}

/** A restaurant, or a pending suggestion in its shape, as it has to be answered. */
export function restaurantView(model: Model, entry: Entry): object {
  const { food_type_ids: types, suggestion_id: from, restaurant_id: _none, ...own } = cleared(model, entry);
  const isSuggestion = own.status === 'pending';
  return {
    ...Object.fromEntries(FILE_NAMES.map((name) => [name, null])),
    ...withoutFacts(own, isSuggestion),
    ...own,
    ...(isSuggestion && { description: null }),
    category: model.categories.get(own.category_id ?? 0) ?? null,
    food_types: lookupsOf(model, types),
    avg_rating: averages(model, own.id),
    is_suggestion: isSuggestion,
    suggestion_id: isSuggestion ? own.id : from !== null && model.suggestions.has(from) ? from : null,
  };
}

/** A suggestion as it has to be answered. */
export function suggestionView(model: Model, entry: Entry): object {
  const {
    food_type_ids: types,
    suggestion_id: _none,
    restaurant_id: became,
    description,
    category_id,
    ...own
  } = cleared(model, entry);
  return {
    ...own,
    phone: null,
    website: null,
    notes: description,
    author: null,
    suggested_category_id: category_id,
    category: model.categories.get(category_id ?? 0) ?? null,
    food_types: lookupsOf(model, types),
    restaurant_id: became !== null && model.restaurants.has(became) ? became : null,
  };
}

function lookupsOf({ foodTypes }: Model, ids: readonly number[]): Lookup[] {
  return byName([...foodTypes.values()].filter(({ id }) => ids.includes(id)));
}

/** Categories or food types in the order of their lists. */
export function byName(lookups: readonly Lookup[]): Lookup[] {
  const keys = ({ name }: Lookup): string => `${fold(name)}\0${name.toLowerCase()}`;
  return lookups.toSorted((left, right) => order(keys(left), keys(right)));
}
