import { keyedPins, pinPositions, rowPins } from '../explore-pins.js';
import { isSearch, mapUrl, placeKey, selection, shownArea, shownRows } from '../explore-query.js';
import { boxAroundCircle, parseBox, printBox } from '../geo.js';
import { setQuery } from '../router.js';
import { setUi, state as current } from '../store.js';
import { words } from '../texts/map.js';
import { dropText, mapOptions } from './place-map.js';
import { showRow } from './row.js';

/**
 * @import { Restaurant, State } from '../types.js'
 * @import { Area, CatalogueMap, MapAnswer } from '../map-types.js'
 *
 * The map on the screen, and what it was last made to show, so that nothing is done twice.
 * @typedef {{ element: HTMLElement, map?: CatalogueMap, view: string, source?: unknown, pins?: MapAnswer,
 *   drop: string, covered: number, me?: unknown }} Stage
 */

const WORLD = { lat: 25, lng: 10, zoom: 1 };
/** What the buttons on the map cover at its top and its right, in pixels. */
const BUTTONS = { top: 40, right: 48 };

/** @type {Stage | undefined} */
let stage;

/**
 * Puts a map into an element that is about to be on the page; undefined takes the last one away.
 * @param {Element | undefined} element
 */
export function mountMap(element) {
  stage?.map?.destroy();
  stage = element instanceof HTMLElement ? { element, view: '', drop: '', covered: 0 } : undefined;
  if (stage) void open(stage);
}

/** @param {Stage} mine */
async function open(mine) {
  const { config } = current;
  if (!config) return;
  try {
    const { createMap } = await import('../map.js');
    const map = await createMap(mine.element, {
      ...mapOptions(config, words.label),
      onRest: (area) => rest(area, area.byUser),
      onOpen: select,
      onHover: markRow,
    });
    if (stage !== mine) return map.destroy();
    mine.map = map;
    setUi({ mapFailed: undefined });
  } catch {
    setUi({ mapFailed: true });
  }
}

/**
 * Lifts the pin of a place as long as its row is pointed at.
 * @param {Restaurant} place
 */
export const liftPin = (place) => (/** @type {boolean} */ isOver) =>
  stage?.map?.hover(isOver ? placeKey(place) : undefined);

/** Lets panning filter the list, or not. @param {boolean} isOn */
export function follow(isOn) {
  setUi({ follow: isOn });
  if (isOn && stage?.map) rest(stage.map.area(), true);
}

/** @param {Area} area @param {boolean} byUser */
function rest({ bbox, zoom }, byUser) {
  const text = printBox(bbox);
  setUi({ area: `bbox=${text}&zoom=${zoom}` });
  if (!stage || !byUser || current.ui['follow'] === false) return;
  stage.view = `bbox ${text}`;
  // The distance from here stays in the rows, but no longer bounds the list.
  setQuery({ bbox: text, radius: undefined }, { replace: true, top: true });
}

/** @param {number | undefined} key */
function select(key) {
  setQuery({ sel: key === undefined ? undefined : String(key) }, { replace: true });
  if (key !== undefined) showRow(key);
}

/** @param {number | undefined} key */
function markRow(key) {
  document.querySelector('.row.over')?.classList.remove('over');
  document.querySelector(`[data-row="${key}"]`)?.classList.add('over');
}

/**
 * Brings the map in line with the state; to be called once the screen is drawn.
 * @param {State} state
 */
export function syncMap(state) {
  if (!stage?.map) return;
  const { map } = stage;
  if (state.ui['me'] !== stage.me) map.showMe((stage.me = state.ui['me']));
  showPins(state, stage, map);
  showView(state, stage, map);
  showDrop(state, stage, map);
  stage.element.toggleAttribute('data-ready', true);
}

/** Where the pins come from: the answer for the area, or where there is none the rows. @param {State} state */
function pinSource(state) {
  const url = mapUrl(state);
  return url === undefined ? shownRows(state)?.rows : state.data[url]?.body;
}

/** @param {State} state @param {Stage} stage @param {CatalogueMap} map */
function showPins(state, stage, map) {
  const source = pinSource(state);
  // While an answer is under way the pins of the last one stand.
  if (!source || source === stage.source) return;
  stage.source = source;
  stage.pins = Array.isArray(source) ? rowPins(source) : keyedPins(/** @type {MapAnswer} */ (source));
  map.setPins(stage.pins);
}

/** What the address has the map show. @param {State} state */
function wantedView(state) {
  const { bbox, lat, lng, radius, q } = state.route.query;
  if (parseBox(bbox)) return `bbox ${bbox}`;
  if (radius) return `near ${lat} ${lng} ${radius}`;
  return isSearch(state) ? `q ${q}` : 'all';
}

/** @param {State} state @param {Stage} stage @param {CatalogueMap} map */
function showView(state, stage, map) {
  const view = wantedView(state);
  if (view === stage.view) return;
  const isFirst = stage.view === '';
  const { bbox, lat, lng, radius } = state.route.query;
  // Back from another screen, it goes on where it was.
  const box = parseBox(bbox) ?? (isFirst && view === 'all' ? shownArea(state) : undefined);
  if (box) map.fit(box, { animate: !isFirst, exact: true });
  else if (radius) {
    const here = { lat: Number(lat), lng: Number(lng) };
    map.fit(boxAroundCircle(here, Number(radius) * 1000), { animate: !isFirst });
  } else if (!showAll(state, stage, map)) return;
  stage.view = view;
}

/** @param {State} state @param {Stage} stage @param {CatalogueMap} map @returns {boolean} whether it was known where all are */
function showAll(state, stage, map) {
  // The pins in view do not tell where all places are.
  if (!isSearch(state) && state.ui['area']) {
    setUi({ area: undefined });
    return false;
  }
  if (!stage.pins || pinSource(state) !== stage.source) return false;
  const positions = pinPositions(stage.pins);
  if (positions.length > 0) map.fit(positions, { animate: stage.view !== '' });
  else if (stage.view === '') map.view(WORLD);
  return true;
}

/** Puts the drop on the selected place, clear of what stands over the map. @param {State} state @param {Stage} stage @param {CatalogueMap} map */
function showDrop(state, stage, map) {
  const drop = dropOf(state);
  const text = JSON.stringify(drop ?? '');
  const below = stage.element.parentElement?.querySelector('.below')?.getBoundingClientRect();
  const bottom = below?.height ? Math.round(stage.element.getBoundingClientRect().bottom - below.top) : 0;
  if (text !== stage.drop) map.select();
  if (bottom !== stage.covered) map.padding({ ...BUTTONS, bottom });
  if (text !== stage.drop && drop) map.select(drop);
  Object.assign(stage, { drop: text, covered: bottom });
}

/** @param {State} state */
function dropOf(state) {
  const { key, place } = selection(state) ?? {};
  if (key === undefined || !place || place.latitude === null || place.longitude === null) return undefined;
  const { latitude: lat, longitude: lng, avg_rating: means } = place;
  return { id: key, lat, lng, score: dropText(means.overall) };
}
