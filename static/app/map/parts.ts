import { metresPerPixel } from './canvas.js';
import type { Labels, Leaflet, LeafletMap } from './types.js';

const files = () => document.documentElement.dataset.base ?? '';

const loaded = new Map<string, Promise<void>>();

/** Loads a classic script or a style sheet of a package once; a failure may be tried again. */
export function loadOnce(path: string): Promise<void> {
  const known = loaded.get(path);
  if (known) return known;
  const url = `${files()}/vendor/${path}`;
  const isStyle = path.endsWith('.css');
  const element = isStyle
    ? Object.assign(document.createElement('link'), { rel: 'stylesheet', href: url })
    : Object.assign(document.createElement('script'), { src: url });
  const done = new Promise<void>((resolve, reject) => {
    element.onload = () => resolve();
    element.onerror = () => {
      loaded.delete(path);
      element.remove();
      reject(new Error(`${path} did not load`));
    };
  });
  loaded.set(path, done);
  // In front of the app's own style sheet, so that this one wins.
  document.head[isStyle ? 'prepend' : 'append'](element);
  return done;
}

function svg(name: string, attributes: Record<string, string | number>, ...children: (Node | string)[]) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/** An HTML element with a class. */
export function tag(name: string, className: string, ...children: (Node | string)[]) {
  const element = Object.assign(document.createElement(name), { className });
  element.append(...children);
  return element;
}

/** The drop of the selected place, 48 by 64 pixels, which points down at the element's own position. */
export function drop(score: string) {
  const shape = 'M0 0C-7-13-22-21-22-36a22 22 0 0 1 44 0C22-21 7-13 0 0z';
  const parts = [
    svg('ellipse', { rx: 8, ry: 2.5 }),
    svg('path', { d: shape }),
    svg('text', { y: -30.5, 'text-anchor': 'middle' }, score),
  ];
  const size = { width: 48, height: 64, viewBox: '-24 -62 48 64', 'aria-hidden': 'true' };
  return tag('span', 'map-drop', svg('svg', size, ...parts));
}

/** The longest length of 1, 2 or 5 times a power of ten that is not longer than this. */
export function roundLength(most: number) {
  const power = 10 ** Math.floor(Math.log10(most));
  return power * ([5, 2].find((step) => step * power <= most) ?? 1);
}

export function addZoomButtons(L: Leaflet, map: LeafletMap, labels: Labels, onPress: (step: number) => void) {
  const button = (label: string, d: string, step: number, end: () => number) => {
    const picture = svg('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' }, svg('path', { d }));
    const element = tag('button', '', picture);
    Object.assign(element, { type: 'button', ariaLabel: label, title: label, onclick: () => onPress(step) });
    map.on('zoomend zoomlevelschange', () => {
      element.ariaDisabled = String(map.getZoom() === end());
    });
    return element;
  };
  const buttons = [
    button(labels.zoomIn, 'M12 5v14M5 12h14', 1, () => map.getMaxZoom()),
    button(labels.zoomOut, 'M5 12h14', -1, () => map.getMinZoom()),
  ];
  const box = tag('div', 'map-zoom', ...buttons);
  L.DomEvent.disableClickPropagation(box);
  map.getContainer().append(box);
}

/** Says whose map it is and, where wanted, how long a kilometre is. */
export function addFoot(map: LeafletMap, labels: Labels, attribution: string | null, withScale: boolean) {
  const [length, bar] = [tag('span', ''), tag('span', 'map-scale')];
  const parts = [
    ...(withScale ? [length, bar] : []),
    ...(attribution ? [tag('span', 'map-by', attribution)] : []),
  ];
  if (parts.length > 0) map.getContainer().append(tag('p', 'map-foot', ...parts));
  map.on('moveend', () => {
    const perPixel = metresPerPixel(map.getCenter().lat, 256 * 2 ** map.getZoom());
    const metres = roundLength(80 * perPixel);
    length.textContent = labels.distance(metres);
    bar.style.width = `${Math.round(metres / perPixel)}px`;
  });
}
