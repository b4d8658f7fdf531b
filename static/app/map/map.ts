import { boxAround, nearestLng, wrapBox, zoomOf } from '../base/geo.js';
import { addBase } from './base.js';
import { canvasLayer, drawMe, drawRings } from './canvas.js';
import { addFoot, addZoomButtons, drop, loadOnce, tag } from './parts.js';
import { createPins } from './pins.js';
import type { Marker } from 'leaflet';
import type { CatalogueMap, Colours, Edges, Leaflet, LeafletMap, MapOptions, Me, Selected } from './types.js';
import type { Box, Position } from '../base/types.js';

const REST_MS = 300;
const MARGIN = 24;
const DROP_HEIGHT = 64;
const NO_EDGES = { top: 0, right: 0, bottom: 0, left: 0 };
const TOKENS = ['accent', 'on-accent', 'want', 'page', 'soft', 'info', 'land'];

function leafletMap(L: Leaflet, element: HTMLElement, isStill: boolean, interactive: boolean) {
  const motions = ['zoomAnimation', 'fadeAnimation', 'markerZoomAnimation', 'inertia'];
  const gestures = ['dragging', 'scrollWheelZoom', 'doubleClickZoom', 'boxZoom', 'touchZoom'];
  const off = [...(isStill ? motions : []), ...(interactive ? [] : gestures)];
  return L.map(element, {
    attributionControl: false,
    zoomControl: false,
    keyboard: false,
    minZoom: 1,
    maxZoom: 19,
    ...Object.fromEntries(off.map((name) => [name, false])),
    // Endless from west to east, but without the void beyond the poles.
    maxBounds: L.latLngBounds([-85.06, -1e5], [85.06, 1e5]),
    maxBoundsViscosity: 1,
  });
}

/**
 * Shows a box clear of the edges, or with `exact` the view that a box was taken from.
 * @param box its west next to the middle of the view
 */
function showBox(
  map: LeafletMap,
  { w, s, e, n }: Box,
  covered: Edges,
  { exact = false, animate, zoom }: { exact?: boolean; animate: boolean; zoom?: number },
) {
  const { x, y } = map.getSize();
  const { top, right, bottom, left } = exact ? NO_EDGES : covered;
  const margin = exact ? 0 : 2 * MARGIN;
  const pixels = {
    width: Math.max(1, x - left - right - margin),
    height: Math.max(1, y - top - bottom - margin),
  };
  const fits = exact ? zoomOf({ w, s, e, n }, pixels, map.getMaxZoom(), 0.2) : zoomOf({ w, s, e, n }, pixels);
  const to = zoom ?? Math.max(fits, map.getMinZoom());
  const middle = map
    .project([s, w], to)
    .add(map.project([n, e < w ? e + 360 : e], to))
    .divideBy(2);
  const center = middle.add([(right - left) / 2, (bottom - top) / 2]);
  map.setView(map.unproject(center, to), to, { animate });
}

/**
 * A map in an element with a size of its own; it is empty before the first `fit` or `view`.
 * @returns rejects where Leaflet does not load
 */
export async function createMap(element: HTMLElement, options: MapOptions): Promise<CatalogueMap> {
  const { tiles, labels, load, interactive = true, saveData = false } = options;
  await Promise.all([loadOnce('leaflet/leaflet.css'), loadOnce('leaflet/leaflet.js')]);
  const { L } = globalThis as unknown as { L: Leaflet };
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const map = leafletMap(L, element, isStill, interactive);
  Object.assign(element, { role: 'group', ariaLabel: labels.map });

  let colours = {} as Colours;
  let covered = NO_EDGES as Edges;
  let me = undefined as Me | undefined;
  let selected = undefined as (Selected & { marker: Marker }) | undefined;
  let lifted = undefined as { id: number; marker: Marker } | undefined;
  let pointedAt = undefined as number | undefined;
  let pending = undefined as (() => void) | undefined;
  let timer = undefined as ReturnType<typeof setTimeout> | undefined;
  let [isShown, isPicking, byUser] = [false, false, false];

  const pins = createPins(() => colours, labels.count);
  // Without a margin it is drawn at every move, so that rings around the middle of the view stay there.
  const rings = canvasLayer(L, 'overlayPane', 0, (context, frame) => {
    const isRadar = tiles.kind === 'none' && map.getZoom() >= 9;
    const at = me ?? (isRadar ? map.getCenter() : undefined);
    if (at) drawRings(context, frame, at, colours, labels.distance);
    if (me) drawMe(context, frame, me, colours);
  });
  const pinLayer = canvasLayer(L, 'overlayPane', 0.25, (context, frame) =>
    pins.draw(context, frame, selected?.id),
  );
  const readColours = () => {
    const style = getComputedStyle(element);
    colours = Object.fromEntries(TOKENS.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  };
  readColours();
  let isZooming = false;
  map.on('zoomanim', () => (isZooming = true)).on('zoomend', () => (isZooming = false));
  const loadVectorTiles = () => loadOnce('protomaps-leaflet/protomaps-leaflet.js');
  const ground = { tiles, saveData, load, loadVectorTiles, colours: () => colours };
  const layers = [addBase(L, map, ground), rings.addTo(map), pinLayer.addTo(map)];
  const theme = new MutationObserver(() => {
    readColours();
    pins.forget();
    for (const layer of layers) layer.redraw();
  });
  theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });

  // Of the copies of a place around and around the world, the one next to the middle of the view.
  const nearby = ({ lat, lng }: Position) =>
    L.latLng(lat, nearestLng(lng, isShown ? map.getCenter().lng : 0));
  const mark = (position: Position, html: HTMLElement) => {
    const icon = L.divIcon({ className: '', html, iconSize: [0, 0] });
    return L.marker(nearby(position), { icon, keyboard: false }).addTo(map);
  };
  const lift = (id: number | undefined) => {
    if (id === lifted?.id) return;
    lifted?.marker.remove();
    const [, lat = 0, lng = 0, , flags = 0, name = ''] = pins.find(id) ?? [];
    lifted = undefined;
    if (id === undefined || id === selected?.id || name === '') return;
    const html = tag('span', 'map-lift', pins.sprite(flags), tag('span', 'map-name', name));
    lifted = { id, marker: mark({ lat, lng }, html) };
  };
  const showSelected = () => {
    if (!selected || !isShown || element.clientWidth === 0) return;
    const at = nearby(selected);
    const animate = !isStill;
    if (!map.getBounds().contains(at)) {
      const { lat, lng } = at;
      return showBox(map, { w: lng, s: lat, e: lng, n: lat }, covered, { animate, zoom: map.getZoom() });
    }
    const { top, right, bottom, left } = covered;
    map.panInside(at, {
      paddingTopLeft: [left + MARGIN, top + MARGIN + DROP_HEIGHT],
      paddingBottomRight: [right + MARGIN, bottom + MARGIN],
      animate,
    });
  };
  // A map without a size has no view; once it has one, it gets the view that was asked for last.
  const whenSized = (move: () => void) => {
    // Leaflet keeps the first size that it sees, until it has a view.
    pending = element.clientWidth > 0 && element.clientHeight > 0 ? undefined : move;
    if (!pending) move();
  };
  const area = () => {
    const bounds = map.getBounds();
    const [w, s, e, n] = [bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()];
    return { bbox: wrapBox({ w, s, e, n }), zoom: map.getZoom() };
  };
  const resize = () => {
    // The zoom at which the world is as wide as the element: nothing is in view twice.
    map.setMinZoom(Math.max(1, Math.ceil(Math.log2(element.clientWidth / 256))));
    map.invalidateSize({ animate: false });
    if (pending) whenSized(pending);
    showSelected();
  };
  const point = (id: number | undefined) => {
    if (id === pointedAt) return;
    pointedAt = id;
    lift(id);
    options.onHover?.(id);
  };
  const listen = () => {
    const byHand = () => void (byUser = true);
    map.on('dragstart boxzoomend', byHand);
    for (const name of ['wheel', 'dblclick']) element.addEventListener(name, byHand, { passive: true });
    element.addEventListener('touchmove', ({ touches }) => touches.length > 1 && byHand(), { passive: true });
    addZoomButtons(L, map, labels, (step) => {
      byHand();
      map.setZoom(map.getZoom() + step);
    });
    map.on('mousemove', ({ layerPoint }) => {
      const pin = isPicking ? undefined : pins.at(layerPoint, 2);
      element.classList.toggle('map-over', pin !== undefined);
      point(pin?.point?.[0]);
    });
    map.on('mouseout', () => point(undefined));
    map.on('click', ({ latlng, layerPoint, originalEvent }) => {
      if (isPicking) return options.onPick?.({ lat: latlng.lat, lng: nearestLng(latlng.lng, 0) });
      const isFinger = originalEvent instanceof PointerEvent && originalEvent.pointerType === 'touch';
      const pin = pins.at(layerPoint, isFinger ? 10 : 2);
      if (!pin?.group) return options.onOpen?.(pin?.point?.[0]);
      byHand();
      const [lat, lng] = pin.group;
      map.setView(nearby({ lat, lng }), map.getZoom() + 2, { animate: !isStill });
    });
  };

  map.whenReady(() => (isShown = true));
  map.on('movestart', () => clearTimeout(timer));
  map.on('moveend', () => {
    clearTimeout(timer);
    selected?.marker.setLatLng(nearby(selected));
    timer = setTimeout(() => {
      if (element.clientWidth > 0) options.onRest?.({ ...area(), byUser });
      byUser = false;
    }, REST_MS);
  });
  if (interactive) listen();
  addFoot(map, labels, tiles.attribution, interactive);
  const observer = new ResizeObserver(resize);
  observer.observe(element);
  resize();

  return {
    setPins(answer) {
      pins.set(answer);
      pinLayer.redraw();
    },
    select(place) {
      lift(undefined);
      selected?.marker.remove();
      selected = place && { ...place, marker: mark(place, drop(place.score)) };
      selected?.marker.on('click', () => options.onOpen?.(place?.id));
      pinLayer.redraw();
      showSelected();
    },
    hover: lift,
    fit(target, { animate = true, exact = false } = {}) {
      const box = 'w' in target ? target : boxAround(target);
      if (!box) return;
      whenSized(() => {
        const { lng: w } = nearby({ lat: 0, lng: box.w });
        showBox(map, { ...box, w, e: box.e + w - box.w }, covered, { exact, animate: animate && !isStill });
      });
    },
    view: ({ zoom, ...to }) => whenSized(() => map.setView(nearby(to), zoom, { animate: !isStill })),
    padding(edges) {
      covered = { ...NO_EDGES, ...edges };
      element.style.setProperty('--covered', `${covered.bottom}px`);
      showSelected();
    },
    showMe(position) {
      me = position;
      rings.redraw();
    },
    pick(on) {
      isPicking = on;
      element.classList.toggle('map-picking', on);
    },
    area,
    resize,
    destroy() {
      observer.disconnect();
      theme.disconnect();
      const remove = () => {
        map.remove();
        clearTimeout(timer);
      };
      // Leaflet ends a zoom by a timer of its own, which fails on a map that is gone. The zoom ends with two events.
      if (isZooming) map.once('zoomend', () => map.once('moveend', remove));
      else remove();
      element.replaceChildren();
    },
  };
}
