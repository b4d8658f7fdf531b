import * as format from '../base/format.js';
import { boxAroundCircle, parseBox, printBox } from '../base/geo.js';
import { fill, texts } from '../base/texts.js';
import { hasPosition } from '../state/actions.js';
import { setQuery } from '../state/router.js';
import { setUi, state as current } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { mapFault } from './head.js';
import * as query from './query.js';
import { chip, iconButton, leader, openingLine, scoreMark, swapButton } from '../parts/parts.js';
import { placeBar } from '../parts/place-bar.js';
import { WORLD, dropText, onMap, shownArea, streetsButton } from '../parts/place-map.js';
import { placeHref, showRow } from '../parts/place-parts.js';
import type { AppConfig, Restaurant, State } from '../base/types.js';
import type { CatalogueMap } from '../map/map.js';
import type { Area, MapPins } from '../map/types.js';

const words = texts.map;

/** The map on the page, and the view that the address last had it show. */
let shown: CatalogueMap | undefined;
let view = '';

/** The map next to the list of `total` places, with what floats over it; `notice` replaces the rows there. */
export function mapPane(state: State, config: AppConfig, total: number | undefined, notice: unknown) {
  const options: Parameters<typeof onMap>[1] = {
    label: words.label,
    onRest: (area) => rest(area, area.byUser),
    onHover(key) {
      document.querySelector('.row.over')?.classList.remove('over');
      document.querySelector(`[data-row="${key}"]`)?.classList.add('over');
    },
    onOpen(key) {
      setQuery({ sel: key?.toString() }, { replace: true });
      if (key !== undefined) showRow(key);
    },
  };
  const isFollowing = state.ui.follow !== false;
  const back = total === undefined ? words.list : fill(words.listOf, { total: format.count(total) });
  const { place } = query.selection(state) ?? {};
  const isNoted = notice !== nothing && !query.wide.matches;
  const below = place ? peek(place) : isNoted ? html`<div class="box peek">${notice}</div>` : nothing;
  return html`<section class="stage" aria-label=${words.label}>
    <div class="map" ${onMap(config, options, (map, element) => syncMap(state, map, element))}></div>
    ${mapFault(state)}
    <div class="follow">${chip(words.follow, isFollowing, () => follow(!isFollowing), 'follow')}</div>
    ${hasPosition ? iconButton('here', words.near, query.showNear, 'here') : nothing} ${streetsButton(config)}
    <div class="below">${swapButton('list', back, () => query.swap(state))} ${below}</div>
  </section>`;
}

function peek(place: Restaurant) {
  const { name, address, avg_rating: means, is_suggestion: isPending } = place;
  return html`<article class="box peek" aria-label=${name}>
    ${leader(html`<h2><a href=${placeHref(place)} dir="auto">${name}</a></h2>`, scoreMark(means))}
    <p class="small soft cut">${format.dotted([format.kindLine(place), address])}</p>
    <p class="small">${openingLine(place)}</p>
    ${isPending ? nothing : placeBar(place)}
  </article>`;
}

/** Lifts the pin of the place whose row is pointed at. */
export const liftPin = (key?: number) => shown?.hover(key);

/** Lets panning filter the list, or not. */
function follow(isOn: boolean) {
  setUi({ follow: isOn });
  const area = shown?.area();
  if (isOn && area) rest(area, true);
}

function rest({ bbox, zoom }: Area, byUser: boolean) {
  const text = printBox(bbox);
  setUi({ area: `bbox=${text}&zoom=${zoom}` });
  if (!byUser || current.ui.follow === false) return;
  view = `bbox ${text}`;
  setUi({ zooms: { ...current.ui.zooms, [text]: zoom } });
  // The distance from here stays in the rows, but no longer bounds the list.
  setQuery({ bbox: text, radius: undefined }, { replace: true, top: true });
}

/** Brings the map in line with the state. */
function syncMap(state: State, map: CatalogueMap | undefined, element: HTMLElement) {
  if (map && map !== shown) view = '';
  shown = map;
  const mapFailed = map ? undefined : true;
  if (state.ui.mapFailed !== mapFailed) setUi({ mapFailed });
  if (!map) return;
  map.showMe(state.ui.me);
  // Keeps the drop clear of what stands over the map.
  const whole = element.getBoundingClientRect();
  const below = element.parentElement?.querySelector('.below')?.getBoundingClientRect();
  const height = below?.height ? Math.round(whole.bottom - below.top) : 0;
  element.style.setProperty('--covered', `${height}px`);
  map.cover({ width: Math.round(whole.right - (below?.left ?? 0)), height });
  const pins = query.pinsOf(state);
  // While an answer is under way the pins of the last one stand.
  if (pins) map.setPins(pins);
  if (showView(state, pins, map)) view = wantedView(state);
  const { key, place } = query.selection(state) ?? {};
  const { latitude: lat = null, longitude: lng = null, avg_rating: means } = place ?? {};
  const isPlaced = key !== undefined && lat !== null && lng !== null;
  map.select(isPlaced ? { id: key, lat, lng, score: dropText(means?.overall) } : undefined);
  element.toggleAttribute('data-ready', true);
}

/** What the address has the map show. */
function wantedView(state: State) {
  const { bbox, lat, lng, radius, q } = state.route.query;
  if (parseBox(bbox)) return `bbox ${bbox}`;
  if (radius) return `near ${lat} ${lng} ${radius}`;
  return query.isSearch(state) ? `q ${q}` : 'all';
}

/** @returns whether the map shows what is wanted from now on: where all places are may not be known yet */
function showView(state: State, pins: MapPins | undefined, map: CatalogueMap) {
  const wanted = wantedView(state);
  if (wanted === view) return false;
  const animate = view !== '';
  const { bbox, lat, lng, radius } = state.route.query;
  // Back from another screen, it goes on where it was.
  const box = parseBox(bbox) ?? (!animate && wanted === 'all' ? shownArea() : undefined);
  const around = radius && boxAroundCircle({ lat: Number(lat), lng: Number(lng) }, Number(radius) * 1000);
  if (box) map.fit(box, { animate, exact: true });
  else if (around) map.fit(around, { animate });
  else {
    const isCut = !query.isSearch(state) && state.ui.area !== undefined;
    // The pins in view do not tell where all places are.
    if (isCut) setUi({ area: undefined });
    if (isCut || !pins) return false;
    const positions = [
      ...pins.points.map(([, lat, lng]) => ({ lat, lng })),
      ...pins.groups.map(([lat, lng]) => ({ lat, lng })),
    ];
    if (positions.length > 0) map.fit(positions, { animate });
    else if (!animate) map.view(WORLD);
  }
  return true;
}
