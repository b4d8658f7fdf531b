import * as format from '../base/format.js';
import { boxAroundCircle, parseBox, printBox } from '../base/geo.js';
import { fill, texts } from '../base/texts.js';
import { openMap } from '../map/open.js';
import { setQuery } from '../state/router.js';
import { setUi, state as current } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { ref } from '../vendor/lit-html/directives/ref.js';
import { mapFault } from './head.js';
import * as query from './query.js';
import { chip, iconButton, leader, openingLine, scoreMark, swapButton } from '../parts/parts.js';
import { placeBar } from '../parts/place-bar.js';
import { WORLD, dropText, mapOptions, shownArea, shownTiles, streetsButton } from '../parts/place-map.js';
import { placeHref, showRow } from '../parts/place-parts.js';
import type { Restaurant, State } from '../base/types.js';
import type { CatalogueMap } from '../map/map.js';
import type { Area, MapAnswer } from '../map/types.js';

const words = texts.map;

/** What the map on the page shows. */
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

let stage: Stage | undefined;

/** The map beside the list of `total` places with what floats over it; `notice` stands there in place of rows. */
export function mapPane(state: State, total: number | undefined, notice: unknown) {
  const isFollowing = state.ui.follow !== false;
  const back = total === undefined ? words.list : fill(words.listOf, { total: format.count(total) });
  const { place } = query.selection(state) ?? {};
  queueMicrotask(() => syncMap(state));
  const below = place
    ? peek(place)
    : notice === nothing
      ? nothing
      : html`<div class="box peek phone">${query.isWide() ? nothing : notice}</div>`;
  return html`<section class="stage" aria-label=${words.label}>
    <div class="map" ${ref(mountMap)}></div>
    ${mapFault(state)}
    <div class="follow">${chip(words.follow, isFollowing, () => follow(!isFollowing), 'follow')}</div>
    ${query.hasPosition ? iconButton('here', words.near, query.showNear, 'here') : nothing}
    ${state.config ? streetsButton(state.config) : nothing}
    <div class="below">${swapButton('list', back, () => query.swap(state))} ${below}</div>
  </section>`;
}

function peek(place: Restaurant) {
  const { name, address, avg_rating: means, is_suggestion: isPending } = place;
  return html`<article class="box peek" aria-label=${name}>
    ${leader(html`<h2><a href=${placeHref(place)}>${name}</a></h2>`, scoreMark(means))}
    <p class="small soft cut">${[format.kindLine(place), address].filter(Boolean).join(' · ')}</p>
    <p class="small">${openingLine(place)}</p>
    ${isPending ? nothing : placeBar(place)}
  </article>`;
}

/** Puts a map into an element that is about to be on the page; undefined takes the last one away. */
function mountMap(element: Element | undefined) {
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
      onHover(key) {
        document.querySelector('.row.over')?.classList.remove('over');
        document.querySelector(`[data-row="${key}"]`)?.classList.add('over');
      },
      onOpen(key) {
        setQuery({ sel: key?.toString() }, { replace: true });
        if (key !== undefined) showRow(key);
      },
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

/** Lifts the pin of the place whose row is pointed at. */
export const liftPin = (key?: number) => stage?.map?.hover(key);

/** Lets panning filter the list, or not. */
function follow(isOn: boolean) {
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

/** Brings the map in line with the state; to be called once the screen is drawn. */
function syncMap(state: State) {
  if (!stage?.map) return;
  const { map } = stage;
  if (state.config) map.setTiles(shownTiles(state.config));
  if (state.ui.me !== stage.me) map.showMe((stage.me = state.ui.me));
  showPins(state, stage, map);
  if (showView(state, stage, map)) stage.view = wantedView(state);
  const drop = dropOf(state);
  const text = JSON.stringify(drop ?? '');
  if (text !== stage.drop) map.select(drop);
  stage.drop = text;
  stage.element.toggleAttribute('data-ready', true);
}

function showPins(state: State, stage: Stage, map: CatalogueMap) {
  const source = query.pinSource(state);
  // While an answer is under way the pins of the last one stand.
  if (!source) return;
  const pins = 'points' in source ? query.keyedPins(source) : query.rowPins(source);
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
  return query.isSearch(state) ? `q ${q}` : 'all';
}

/** @returns whether the map shows what is wanted from now on: where all places are may not be known yet */
function showView(state: State, { view, pins }: Stage, map: CatalogueMap) {
  const wanted = wantedView(state);
  if (wanted === view) return false;
  const animate = view !== '';
  const { bbox, lat, lng, radius } = state.route.query;
  // Back from another screen, it goes on where it was.
  const box = parseBox(bbox) ?? (!animate && wanted === 'all' ? shownArea(state) : undefined);
  const around = radius && boxAroundCircle({ lat: Number(lat), lng: Number(lng) }, Number(radius) * 1000);
  if (box) map.fit(box, { animate, exact: true });
  else if (around) map.fit(around, { animate });
  else {
    const isCut = !query.isSearch(state) && state.ui.area !== undefined;
    // The pins in view do not tell where all places are.
    if (isCut) setUi({ area: undefined });
    if (isCut || !pins || !query.pinSource(state)) return false;
    const positions = query.pinPositions(pins);
    if (positions.length > 0) map.fit(positions, { animate });
    else if (!animate) map.view(WORLD);
  }
  return true;
}

function dropOf(state: State) {
  const { key, place } = query.selection(state) ?? {};
  const { latitude: lat = null, longitude: lng = null, avg_rating: means } = place ?? {};
  if (key === undefined || lat === null || lng === null) return undefined;
  return { id: key, lat, lng, score: dropText(means?.overall) };
}
