import type { MapOptions } from './types.js';

const loaded = new Map<string, Promise<void>>();

/** Loads a classic script or a style sheet of a package once; a failure may be tried again. */
function loadOnce(path: string) {
  const isStyle = path.endsWith('.css');
  const url = `${document.documentElement.dataset.base ?? ''}/vendor/${path}`;
  const load = () =>
    new Promise<void>((resolve, reject) => {
      const element = isStyle
        ? Object.assign(document.createElement('link'), { rel: 'stylesheet', href: url })
        : Object.assign(document.createElement('script'), { src: url });
      element.onload = () => resolve();
      element.onerror = () => {
        loaded.delete(path);
        element.remove();
        reject(new Error(`${path} did not load`));
      };
      // In front of the app's own style sheet, so that this one wins.
      document.head[isStyle ? 'prepend' : 'append'](element);
    });
  const done = loaded.get(path) ?? load();
  loaded.set(path, done);
  return done;
}

/** A map in an element with a size, empty before the first `fit` or `view`; rejects where Leaflet does not load. */
export async function openMap(element: HTMLElement, options: MapOptions) {
  // Its page is painted first.
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  await Promise.all([loadOnce('leaflet/leaflet.css'), loadOnce('leaflet/leaflet.js')]);
  if (options.tiles.kind === 'pmtiles')
    await loadOnce('protomaps-leaflet/protomaps-leaflet.js').catch(() => undefined);
  // Its classes extend those of Leaflet.
  const { createMap } = await import('./map.js');
  return createMap(element, options);
}
