import { mapUrl, selection } from './explore-query.js';
import { setQuery } from './router.js';
import { setUi } from './store.js';

/** @import { State } from './types.js' */

const wide = matchMedia('(min-width: 761px)');
wide.addEventListener('change', () => setUi({}));

/** Whether list and map stand side by side. */
export const isWide = () => wide.matches;

/**
 * Whether there is a map on the screen: always beside the list, on a phone in its place.
 * @param {State} state
 */
export const hasMap = ({ route }) => wide.matches || route.query['view'] === 'map';

/**
 * The addresses that the map needs.
 * @param {State} state
 */
export const mapNeeds = (state) =>
  hasMap(state) ? [mapUrl(state), selection(state)?.url].flatMap((url) => url ?? []) : [];

/** Shows the map instead of the list, or the other way round. @param {State} state */
export const swap = ({ route }) => setQuery({ view: route.query['view'] === 'map' ? undefined : 'map' });
