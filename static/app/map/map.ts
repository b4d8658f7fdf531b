import { boxAround, nearestLng, wrapBox, zoomOf } from '../base/geo.js';
import { PAPER_ZOOM, addGround } from './ground.js';
import { RollingCanvas, createPins } from './pins.js';
import { createRings, label } from './rings.js';
import type { Marker } from 'leaflet';
import type { Colours, MapOptions, MapPins, Me, Selected, Tiles } from './types.js';
import type { Box, Position } from '../base/types.js';

const REST_MS = 300;
const MARGIN = 24;
const DROP_HEIGHT = 54;
/** What the buttons cover at the top and the right of a map. */
const BUTTONS = { top: 40, right: 48 };
const TOKENS = ['accent', 'on-accent', 'want', 'page', 'soft', 'land'];
/** Endless from west to east, but without the void beyond the poles. */
const WORLD = L.latLngBounds([-85.06, -1e5], [85.06, 1e5]);

export type CatalogueMap = ReturnType<typeof createMap>;

/** To be called by `openMap`, once Leaflet is loaded. */
export function createMap(element: HTMLElement, options: MapOptions) {
  const { labels, onPick, interactive = true } = options;
  const animate = !matchMedia('(prefers-reduced-motion: reduce)').matches;
  const map = L.map(element, {
    ...{ attributionControl: false, zoomControl: false, keyboard: false, fadeAnimation: false },
    ...{ zoomAnimation: animate, markerZoomAnimation: animate, inertia: animate },
    ...{ dragging: interactive, scrollWheelZoom: interactive, doubleClickZoom: interactive },
    ...{ boxZoom: interactive, touchZoom: interactive },
    // It would go on after the map is gone; this one watches its element.
    trackResize: false,
    renderer: new RollingCanvas({ padding: 0.25 }),
    ...{ minZoom: 1, maxZoom: 19, maxBounds: WORLD, maxBoundsViscosity: 1 },
  });
  Object.assign(element, { role: 'group', ariaLabel: labels.map });
  element.classList.toggle('map-picking', onPick !== undefined);

  let colours: Colours = {};
  let cover = { width: 0, height: 0 };
  let me: Me | undefined;
  let drop: Marker | undefined;
  let pointedAt: number | undefined;
  let pending: (() => void) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let [isShown, isZooming, byUser] = [false, false, false];

  const readColours = () => {
    const style = getComputedStyle(element);
    // Such as `light-dark(#fff, #181614)`, which a canvas does not know.
    const both = (name: string) => style.getPropertyValue(`--${name}`).match(/#\w+/g);
    const at = style.colorScheme === 'dark' ? 1 : 0;
    colours = Object.fromEntries(TOKENS.map((name) => [name, both(name)?.[at] ?? '']));
  };
  readColours();
  for (const pane of ['names', 'rings']) map.createPane(pane).ariaHidden = 'true';
  const drawRings = createRings(map, labels.distance);
  let { tiles } = options;
  let ground = addGround(map, tiles, options, () => colours);
  const pins = createPins(map, options, () => colours);
  const theme = new MutationObserver(() => {
    readColours();
    ground.draw();
    map.whenReady(pins.draw);
  });
  theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });

  // Of the copies of a place around and around the world, the one next to the middle of the view.
  const nearby = ({ lat, lng }: Position) =>
    L.latLng(lat, nearestLng(lng, isShown ? map.getCenter().lng : 0));
  const showRings = () => {
    const [isOurs, isPaper] = [tiles.kind === 'none', map.getZoom() >= PAPER_ZOOM];
    element.classList.toggle('map-sea', isOurs && !isPaper);
    drawRings(me ? nearby(me) : isOurs && isPaper ? map.getCenter() : undefined, me);
  };
  /** Shows a box clear of what covers the map, or with `exact` the view that it was taken from. */
  const show = ({ w, s, e, n }: Box, { exact = false, animate = true, zoom = NaN }) => {
    const { x, y } = map.getSize();
    const right = exact ? 0 : BUTTONS.right;
    const [top, bottom] = exact ? [0, 0] : [BUTTONS.top, cover.height];
    const margin = exact ? 0 : 2 * MARGIN;
    const room = { width: Math.max(1, x - right - margin), height: Math.max(1, y - top - bottom - margin) };
    const fits = exact ? zoomOf({ w, s, e, n }, room, map.getMaxZoom(), 0.2) : zoomOf({ w, s, e, n }, room);
    const to = zoom || Math.max(fits, map.getMinZoom());
    const corners = map.project([s, w], to).add(map.project([n, e < w ? e + 360 : e], to));
    const middle = corners.divideBy(2).add([right / 2, (bottom - top) / 2]);
    map.setView(map.unproject(middle, to), to, { animate });
  };
  const isUnder = ({ lat, lng }: Position, margin: number) => {
    const point = map.latLngToContainerPoint([lat, lng]);
    const { x, y } = map.getSize().subtract([cover.width + margin, cover.height + margin]);
    return cover.height > 0 && point.x > x && point.y > y;
  };
  /** Brings the drop into view, clear of what covers the map. */
  const showDrop = () => {
    if (!drop || !isShown || element.clientWidth === 0) return;
    // The end of a zoom would undo it.
    if (isZooming) return void map.once('moveend', showDrop);
    const at = drop.getLatLng();
    const { lat, lng } = at;
    if (!map.getBounds().contains(at))
      return show({ w: lng, s: lat, e: lng, n: lat }, { animate, zoom: map.getZoom() });
    const [{ x, y }, size] = [map.latLngToContainerPoint(at), map.getSize()];
    const lowest = Math.max(DROP_HEIGHT, size.y - MARGIN - (isUnder(at, MARGIN) ? cover.height : 0));
    const highest = Math.min(lowest, BUTTONS.top + MARGIN + DROP_HEIGHT);
    const beyond = (value: number, least: number, most: number) =>
      Math.round(value - Math.max(least, Math.min(most, value)));
    const by = L.point(beyond(x, MARGIN, size.x - BUTTONS.right - MARGIN), beyond(y, highest, lowest));
    if (by.x !== 0 || by.y !== 0) map.panBy(by, { animate });
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
  const observer = new ResizeObserver(() => {
    // The zoom at which the world is as wide as the element: nothing is in view twice.
    map.setMinZoom(Math.max(1, Math.ceil(Math.log2(element.clientWidth / 256))));
    map.invalidateSize({ animate: false });
    if (pending) whenSized(pending);
    showDrop();
  });
  observer.observe(element);

  const listen = () => {
    const byHand = () => void (byUser = true);
    map.on('dragstart boxzoomend', byHand);
    for (const name of ['wheel', 'dblclick']) element.addEventListener(name, byHand, { passive: true });
    element.addEventListener('touchmove', ({ touches }) => touches.length > 1 && byHand(), { passive: true });
    const titles = { zoomInTitle: labels.zoomIn, zoomOutTitle: labels.zoomOut };
    const zoom = L.control.zoom({ position: 'topright', ...titles }).addTo(map);
    zoom.getContainer()?.addEventListener('click', byHand, true);
    const scale = L.control.scale({ position: 'bottomright', imperial: false, maxWidth: 80 }).addTo(map);
    const line = scale.getContainer()?.firstElementChild;
    // Leaflet names the units in English.
    const nameUnit = () => {
      const [figure, unit] = line?.textContent.split(' ') ?? [];
      if (line && (unit === 'm' || unit === 'km'))
        line.textContent = labels.distance(Number(figure) * (unit === 'm' ? 1 : 1000));
    };
    map.on('move', nameUnit).whenReady(nameUnit);
    const point = (id: number | undefined) => {
      if (id === pointedAt) return;
      pins.lift((pointedAt = id));
      options.onHover?.(id);
    };
    // Leaflet drops moves over a canvas that follow each other closely, and so the last one.
    element.addEventListener('mousemove', (event) => {
      const pin = onPick ? undefined : pins.at(map.mouseEventToLayerPoint(event), 4);
      element.classList.toggle('map-over', pin !== undefined);
      point(pin?.id);
    });
    map.on('mouseout', () => point(undefined));
    map.on('click', ({ latlng, layerPoint, originalEvent }) => {
      if (onPick) return onPick({ lat: latlng.lat, lng: nearestLng(latlng.lng, 0) });
      const isFinger = originalEvent instanceof PointerEvent && originalEvent.pointerType === 'touch';
      const pin = pins.at(layerPoint, isFinger ? 15 : 5);
      if (!pin || pin.id !== undefined) return options.onOpen?.(pin?.id);
      byHand();
      if (pin.at) map.setView(pin.at, map.getZoom() + 2, { animate });
    });
  };
  if (interactive) listen();
  L.control.attribution({ prefix: false }).addTo(map);

  map.whenReady(() => (isShown = true));
  map.on('zoomanim', () => (isZooming = true)).on('zoomend', () => (isZooming = false));
  map.on('move zoomend', () => isZooming || showRings());
  map.on('movestart', () => clearTimeout(timer));
  map.on('moveend', () => {
    clearTimeout(timer);
    drop?.setLatLng(nearby(drop.getLatLng()));
    if (drop && isUnder(drop.getLatLng(), 0) && map.getBounds().contains(drop.getLatLng())) showDrop();
    timer = setTimeout(() => {
      if (element.clientWidth > 0) options.onRest?.({ ...area(), byUser });
      byUser = false;
    }, REST_MS);
  });

  return {
    area,
    setPins: (answer: MapPins) => pins.set(answer),
    /** Lifts the pin of a place and says its name; puts the last one back. */
    hover: (id: number | undefined) => pins.lift(id),
    /** Puts the drop on a place and brings that into view; without one takes the drop away. */
    select(place?: Selected) {
      drop?.remove();
      drop = undefined;
      pins.hide(place?.id);
      // At the edge of the world a drop comes clear of what covers it by showing the void.
      map.setMaxBounds(place ? undefined : WORLD);
      if (!place) return;
      const look = { className: 'map-drop', iconSize: L.point(42, 42), iconAnchor: L.point(21, 51) };
      drop = label(nearby(place), place.score, look).addTo(map);
      drop.on('click', () => options.onOpen?.(place.id));
      showDrop();
    },
    /** Shows a box, or all of some positions. `exact` gets back the view whose `area` the box was. */
    fit(target: Box | readonly Position[], how: { animate?: boolean; exact?: boolean } = {}) {
      const box = 'w' in target ? target : boxAround(target);
      if (!box) return;
      whenSized(() => {
        const { lng: w } = nearby({ lat: 0, lng: box.w });
        show({ ...box, w, e: box.e + w - box.w }, { ...how, animate: how.animate !== false && animate });
      });
    },
    view: ({ zoom, ...to }: Position & { zoom: number }) =>
      whenSized(() => map.setView(nearby(to), zoom, { animate })),
    /** How many pixels something covers in the lower right corner: what is shown or selected keeps clear of it. */
    cover(size: { width: number; height: number }) {
      cover = size;
      if (drop && isShown && isUnder(drop.getLatLng(), 0)) showDrop();
    },
    showMe(position?: Me) {
      me = position;
      map.whenReady(showRings);
    },
    /** Puts another ground under the map. */
    setTiles(next: Tiles) {
      if (next.kind === tiles.kind) return;
      ground.layers.remove();
      tiles = next;
      ground = addGround(map, tiles, options, () => colours);
      map.whenReady(showRings);
    },
    destroy() {
      observer.disconnect();
      theme.disconnect();
      clearTimeout(timer);
      const remove = () => {
        map.remove();
        clearTimeout(timer);
      };
      // Leaflet ends a zoom by a timer, which fails on a map that is gone.
      if (isZooming) map.once('zoomend', () => setTimeout(remove));
      else remove();
      element.replaceChildren();
    },
  };
}
