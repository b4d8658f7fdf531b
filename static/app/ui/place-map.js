import { ownFile } from '../api.js';
import * as format from '../format.js';
import { contains } from '../geo.js';
import { words } from '../texts/map.js';
import { html } from '../vendor/lit-html/lit-html.js';
import { ref } from '../vendor/lit-html/directives/ref.js';

/**
 * @import { AppConfig } from '../types.js'
 * @import { Box, CatalogueMap, MapOptions, Position } from '../map-types.js'
 *
 * @typedef {object} PlaceMap
 * @property {Position | undefined} position
 * @property {number | undefined} [overall] the mean of its ratings
 * @property {Box | undefined} [around] what to show while there is no position
 * @property {string} [mark] stands in the drop instead of it
 * @property {(position: Position) => void} [onPick] makes it a map to pick a position on
 */

/** At this zoom a street has a shape. */
const STREET_ZOOM = 16;
const WORLD = { lat: 25, lng: 10, zoom: 1 };

/**
 * What all maps of the app have in common.
 * @param {AppConfig} config
 * @param {string} label
 * @returns {MapOptions}
 */
export function mapOptions({ tiles }, label) {
  const { zoomIn, zoomOut } = words;
  const { connection } = /** @type {{ connection?: { saveData?: boolean } }} */ (navigator);
  return {
    tiles: tiles.kind === 'none' ? { ...tiles, attribution: words.coast } : tiles,
    labels: { map: label, zoomIn, zoomOut, distance: format.distance, count: format.compact },
    load: async (path) => JSON.parse(await (await ownFile(path)).text()),
    saveData: connection?.saveData === true,
  };
}

/**
 * What stands in a drop.
 * @param {number | null | undefined} overall
 */
export const dropText = (overall) => (overall ? format.score(overall) : '–');

/** @type {WeakMap<Element, { map: Promise<CatalogueMap | undefined>, options: PlaceMap, shown: string }>} */
const maps = new WeakMap();

/**
 * A small map of one place: a picture, or with `onPick` a map on which a press moves the place.
 * @param {AppConfig} config
 * @param {PlaceMap} options
 */
export function placeMap(config, options) {
  /** @type {HTMLElement | undefined} */
  let mine;
  return html`<div
    class="map place-map"
    ${ref((element) => {
      if (element instanceof HTMLElement) void show((mine = element), config, options);
      else queueMicrotask(() => mine && !mine.isConnected && end(mine));
    })}
  ></div>`;
}

/**
 * @param {HTMLElement} element
 * @param {AppConfig} config
 * @param {PlaceMap} options
 */
async function show(element, config, options) {
  const entry = maps.get(element) ?? { map: open(element, config, options), options, shown: '' };
  maps.set(element, entry);
  entry.options = options;
  const map = await entry.map;
  const { position, overall, around, onPick, mark = onPick ? '' : dropText(overall) } = entry.options;
  const shown = JSON.stringify(position ?? null);
  if (!map || shown === entry.shown) return;
  const isFirst = entry.shown === '';
  entry.shown = shown;
  map.select(position && { id: 0, ...position, score: mark });
  if (!position && isFirst) around ? map.fit(around, { animate: false }) : map.view(WORLD);
  // A place that was picked on the map is in view already.
  else if (position && (isFirst || !contains(map.area().bbox, position)))
    map.view({ ...position, zoom: STREET_ZOOM });
}

/**
 * @param {HTMLElement} element
 * @param {AppConfig} config
 * @param {PlaceMap} options
 * @returns {Promise<CatalogueMap | undefined>} undefined where no map can be loaded: it is no more than a picture
 */
async function open(element, config, { onPick }) {
  try {
    const { createMap } = await import('../map.js');
    const map = await createMap(element, {
      ...mapOptions(config, onPick ? words.pickLabel : words.placeLabel),
      interactive: onPick !== undefined,
      onPick: (position) => maps.get(element)?.options.onPick?.(position),
    });
    map.pick(onPick !== undefined);
    return map;
  } catch {
    return undefined;
  }
}

/** @param {HTMLElement} element */
function end(element) {
  void maps.get(element)?.map.then((map) => map?.destroy());
  maps.delete(element);
}
