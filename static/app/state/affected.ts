import type { Change } from '../base/types.js';

const EVERYTHING = /./;

/** The addresses below /api whose answers a change of each kind by others may have altered. */
const BY_KIND: Readonly<Record<Change['kind'], RegExp>> = {
  restaurant: /^\/(?:restaurants|lists\/|visits)/,
  category: /^\/(?:restaurants|lists\/|categories|suggestions)/,
  food_type: /^\/(?:restaurants|lists\/|food-types|suggestions)/,
  suggestion: /^\/(?:restaurants|suggestions)/,
  rating: /^\/(?:restaurants|lists\/|ratings|me\/marks)/,
  photo: /^\/(?:restaurants|lists\/|photos)/,
  list: /^\/(?:lists|me\/marks)|[?&]list=/,
  visit: /^\/(?:visits|me\/marks)|[?&]visited=/,
};

/** The same for a write of this page, by the first part of its path. The places and marks in the store follow at once. */
const BY_PATH: Readonly<Record<string, RegExp>> = {
  restaurants: BY_KIND.restaurant,
  categories: BY_KIND.category,
  'food-types': BY_KIND.food_type,
  suggestions: BY_KIND.suggestion,
  photos: /^\/(?:restaurants\/\d|photos)/,
  ratings: /^\/(?:restaurants\/\d|ratings)/,
  lists: BY_KIND.list,
  visits: BY_KIND.visit,
  changes: EVERYTHING,
  batches: EVERYTHING,
  imports: EVERYTHING,
};

// The number of its items is counted at once.
const ITEMS = /^\/lists\/|[?&]list=/;

/** What changes of others altered. */
export const affectedBy = (changes: readonly Pick<Change, 'kind'>[]) => (url: string) =>
  changes.some(({ kind }) => BY_KIND[kind].test(url));

/** What writes of this page to these paths below /api altered. */
export const affectedByWrites = (paths: readonly string[]) => {
  const patterns = paths.map((path) => {
    const [, first = ''] = path.split(/[/?]/);
    if (path.includes('/photos')) return BY_PATH.photos;
    if (path.includes('/items/')) return ITEMS;
    return BY_PATH[first] ?? new RegExp(`^/${first}`);
  });
  return (url: string) => patterns.some((pattern) => pattern?.test(url));
};
