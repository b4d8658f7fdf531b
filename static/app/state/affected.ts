import type { Change } from '../base/types.js';

const PLACES = ['/restaurants', '/search', '/lists/'];

/** Addresses below /api whose answers a change of each kind may have altered, as prefixes. */
const BY_KIND = {
  restaurant: [...PLACES, '/visits'],
  category: [...PLACES, '/categories', '/suggestions'],
  food_type: [...PLACES, '/food-types', '/suggestions'],
  suggestion: ['/suggestions', '/restaurants', '/search'],
  rating: [...PLACES, '/ratings'],
  photo: [...PLACES, '/photos'],
  list: ['/lists', '/restaurants', '/search'],
  visit: ['/visits', '/restaurants', '/search'],
};

/** The addresses to ask for again after changes, as prefixes. */
export const affectedBy = (changes: readonly Pick<Change, 'kind'>[]) => [
  ...new Set(changes.flatMap(({ kind }) => BY_KIND[kind])),
];
