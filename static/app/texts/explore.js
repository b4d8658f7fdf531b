import { count } from '../format.js';
import { define } from '../texts.js';

export const words = define({
  title: 'Explore',
  here: (/** @type {number} */ total) => (total === 1 ? '1 place here' : `${count(total)} places here`),
  all: (/** @type {number} */ total) => (total === 1 ? '1 place' : `${count(total)} places`),
  hits: (/** @type {number} */ total, /** @type {string} */ q) =>
    `${total === 1 ? '1 place' : `${count(total)} places`} for “${q}”`,
  sort: 'Sort',
  sorts: { newest: 'Newest', rating: 'Best rated', name: 'By name', distance: 'Nearest' },
  near: 'Near me',
  open: 'Open now',
  price: 'Price',
  want: 'Want to go',
  more: 'More filters',
  filters: 'Filters',
  filtersOn: (/** @type {number} */ on) => `Filters, ${on} on`,
  clear: 'Clear all filters',
  showMore: (/** @type {number} */ next) => `Show ${next} more`,
  narrow: (/** @type {number} */ total) =>
    `The first 500 of ${count(total)}. Narrow it down to see the others.`,
  map: 'Map',
  none: 'No places match.',
  nearest: (/** @type {string} */ name, /** @type {string} */ distance) =>
    `No places match here. The nearest is ${name}, ${distance} away.`,
  showNearest: 'Show it on the map',
  json: 'This view as JSON',
  category: 'Category',
  anyCategory: 'Any category',
  foods: 'Food',
  diet: 'Diet',
  diets: {
    vegan: 'Vegan',
    vegetarian: 'Vegetarian',
    gluten_free: 'Gluten free',
    halal: 'Halal',
    kosher: 'Kosher',
    lactose_free: 'Lactose free',
  },
  rating: 'Rating',
  ratingAtLeast: (/** @type {string} */ least) => `${least} or better`,
  anyRating: 'Any rating',
  visited: 'Visited',
  visitedChoices: { '': 'Visited or not', yes: 'Been there', no: 'Not yet' },
  list_: 'On the list',
  anyList: 'Any list',
  done: 'Done',
});
