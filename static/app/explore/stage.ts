import { texts } from '../base/texts.js';
import { keyedPins, pinPositions, rowPins } from './pins.js';
import { isSearch, pinSource, placeKey, selection } from './query.js';
import { boxAroundCircle, parseBox, printBox } from '../base/geo.js';
import { setQuery } from '../state/router.js';
import { setUi, state as current } from '../state/store.js';
import { dropText, mapOptions, shownArea } from '../parts/place-map.js';
import { openMap } from '../map/open.js';
import { showRow } from '../parts/row.js';
import { shownTiles } from '../parts/streets.js';
import type { Restaurant, State } from '../base/types.js';
import type { CatalogueMap } from '../map/map.js';
import type { Area, MapAnswer } from '../map/types.js';

const words = texts.map;

interface Stage {
  readonly element: HTMLElement;
  readonly observer: ResizeObserver;
  map?: CatalogueMap;
  view: string;
  source?: unknown;
  pins?: MapAnswer;
  flags?: string;
  drop: string;
  me?: unknown;
}

const WORLD = { lat: 25, lng: 10, zoom: 1 };

let stage: Stage | undefined;

/** Puts a map into an element that is about to be on the page; undefined takes the last one away. */
export function mountMap(element: Element | undefined) {
  stage?.observer.disconnect();
  stage?.map?.destroy();
  stage = undefined;
  if (!(element instanceof HTMLElement)) return;
  stage = { element, observer: new ResizeObserver(keepClear), view: '', drop: '' };
  void open(stage);
}

async function open(mine: Stage) {
  const { config } = current;
  if (!config) return;
  try {
    const map = await openMap(mine.element, {
      ...mapOptions(config, words.label),
      onRest: (area) => rest(area, area.byUser),
      onOpen: select,
      onHover: markRow,
    });
    if (stage !== mine) return map.destroy();
    mine.map = map;
    const below = mine.element.parentElement?.querySelector('.below');
    if (below) mine.observer.observe(below);
    setUi({ mapFailed: undefined });
  } catch {
    setUi({ mapFailed: true });
  }
}

/** Keeps the drop clear of what stands over the map, also when that grows. */
function keepClear([entry]: ResizeObserverEntry[]) {
  if (!entry || !stage) return;
  const [map, below] = [stage.element.getBoundingClientRect(), entry.target.getBoundingClientRect()];
  const height = below.height > 0 ? Math.round(map.bottom - below.top) : 0;
  stage.element.style.setProperty('--covered', `${height}px`);
  stage.map?.cover({ width: Math.round(map.right - below.left), height });
}

/** Lifts the pin of a place as long as its row is pointed at. */
export const liftPin = (place: Restaurant) => (isOver: boolean) =>
  stage?.map?.hover(isOver ? placeKey(place) : undefined);

/** Lets panning filter the list, or not. */
export function follow(isOn: boolean) {
  setUi({ follow: isOn });
  if (isOn && stage?.map) rest(stage.map.area(), true);
}

function rest({ bbox, zoom }: Area, byUser: boolean) {
  const text = printBox(bbox);
  setUi({ area: `bbox=${text}&zoom=${zoom}` });
  if (!stage || !byUser || current.ui.follow === false) return;
  stage.view = `bbox ${text}`;
  setUi({ zooms: { ...current.ui.zooms, [text]: zoom } });
  // The distance from here stays in the rows, but no longer bounds the list.
  setQuery({ bbox: text, radius: undefined }, { replace: true, top: true });
}

function select(key: number | undefined) {
  setQuery({ sel: key === undefined ? undefined : String(key) }, { replace: true });
  if (key !== undefined) showRow(key);
}

function markRow(key: number | undefined) {
  document.querySelector('.row.over')?.classList.remove('over');
  document.querySelector(`[data-row="${key}"]`)?.classList.add('over');
}

/** Brings the map in line with the state; to be called once the screen is drawn. */
export function syncMap(state: State) {
  if (!stage?.map) return;
  const { map } = stage;
  if (state.config) map.setTiles(shownTiles(state.config));
  if (state.ui.me !== stage.me) map.showMe((stage.me = state.ui.me));
  showPins(state, stage, map);
  showView(state, stage, map);
  showDrop(state, stage, map);
  stage.element.toggleAttribute('data-ready', true);
}

function showPins(state: State, stage: Stage, map: CatalogueMap) {
  const source = pinSource(state);
  // While an answer is under way the pins of the last one stand.
  if (!source) return;
  const pins = 'points' in source ? keyedPins(source) : rowPins(source);
  // What I mark changes the pins of the same answer.
  const flags = pins.points.map((point) => point[4]).join();
  if (source === stage.source && flags === stage.flags) return;
  Object.assign(stage, { source, pins, flags });
  map.setPins(pins);
}

/** What the address has the map show. */
function wantedView(state: State) {
  const { bbox, lat, lng, radius, q } = state.route.query;
  if (parseBox(bbox)) return `bbox ${bbox}`;
  if (radius) return `near ${lat} ${lng} ${radius}`;
  return isSearch(state) ? `q ${q}` : 'all';
}

function showView(state: State, stage: Stage, map: CatalogueMap) {
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

/** @returns whether it was known where all are */
function showAll(state: State, stage: Stage, map: CatalogueMap): boolean {
  // The pins in view do not tell where all places are.
  if (!isSearch(state) && state.ui.area) {
    setUi({ area: undefined });
    return false;
  }
  if (!stage.pins || !pinSource(state)) return false;
  const positions = pinPositions(stage.pins);
  if (positions.length > 0) map.fit(positions, { animate: stage.view !== '' });
  else if (stage.view === '') map.view(WORLD);
  return true;
}

function showDrop(state: State, stage: Stage, map: CatalogueMap) {
  const drop = dropOf(state);
  const text = JSON.stringify(drop ?? '');
  if (text !== stage.drop) map.select(drop);
  stage.drop = text;
}

function dropOf(state: State) {
  const { key, place } = selection(state) ?? {};
  const { latitude: lat = null, longitude: lng = null, avg_rating: means } = place ?? {};
  if (key === undefined || lat === null || lng === null) return undefined;
  return { id: key, lat, lng, score: dropText(means?.overall) };
}
