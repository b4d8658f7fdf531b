import { loadOnce } from './load.js';
import type { MapOptions } from './types.js';

/** A map in an element with a size, empty before the first `fit` or `view`; rejects where Leaflet does not load. */
export async function openMap(element: HTMLElement, options: MapOptions) {
  await Promise.all([loadOnce('leaflet/leaflet.css'), loadOnce('leaflet/leaflet.js')]);
  // Its classes extend those of Leaflet.
  const { createMap } = await import('./map.js');
  return createMap(element, options);
}
