import type { TestContext } from 'node:test';
import { type App, type NewOptions, openNew } from './web-app.ts';

export interface MapOptions extends NewOptions {
  /** Further options of the map, as JavaScript; in place of tiles there is the app's own ground. */
  readonly options?: string;
}

/**
 * Opens a page of the app and puts nothing but a map on it: `map` in the page. Its callbacks fill the lists of `calls`,
 * and `geo` are the functions for boxes and distances.
 */
export async function openMap(
  t: TestContext,
  { options = '', ...appOptions }: MapOptions = {},
): Promise<App> {
  const app = await openNew(t, { path: '/join', viewport: { width: 940, height: 840 }, ...appOptions });
  await app.page.evaluate(`(async () => {
    const { base } = document.documentElement.dataset;
    const element = Object.assign(document.createElement('div'), { className: 'map' });
    element.style.height = '100vh';
    const title = Object.assign(document.createElement('h1'), { className: 'vh', textContent: 'Map' });
    const main = document.createElement('main');
    main.append(title, element);
    document.body.replaceChildren(main);
    const { openMap } = await import(base + '/map/open.js');
    window.geo = await import(base + '/base/geo.js');
    window.calls = { rests: [], opened: [], hovered: [], picked: [] };
    window.map = await openMap(element, {
      tiles: { kind: 'none', url: null, attribution: 'Natural Earth' },
      labels: {
        map: 'Map of places', zoomIn: 'Zoom in', zoomOut: 'Zoom out', count: String,
        distance: (metres) => (metres < 1000 ? metres + ' m' : metres / 1000 + ' km'),
      },
      load: async (path) => (await fetch(base + '/' + path)).json(),
      onRest: (area) => calls.rests.push(area),
      onOpen: (id) => calls.opened.push(id ?? null),
      onHover: (id) => calls.hovered.push(id ?? null),
      ${options}
    });
  })()`);
  return app;
}
