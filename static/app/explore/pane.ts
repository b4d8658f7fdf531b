import { setQuery } from '../state/router.js';
import { setUi } from '../state/store.js';
import type { State } from '../base/types.js';

const wide = matchMedia('(min-width: 761px)');
wide.addEventListener('change', () => setUi({}));

/** Whether list and map stand side by side. */
export const isWide = () => wide.matches;

/** Whether there is a map on the screen: always beside the list, on a phone in its place. */
export const hasMap = ({ route }: State) => wide.matches || route.query.view === 'map';

/** Shows the map instead of the list, or the other way round. */
export const swap = ({ route }: State) => setQuery({ view: route.query.view === 'map' ? undefined : 'map' });
