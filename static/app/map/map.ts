import { boxAround, nearestLng, wrapBox, zoomOf } from '../base/geo.js';
import { PAPER_ZOOM, addGround, credit } from './ground.js';
import { Names, label } from './names.js';
import { createPins } from './pins.js';
import { type Me, createRings } from './rings.js';
import type { Marker } from 'leaflet';
import type { Colours, MapOptions, Tiles } from './types.js';
import type { Box, Position } from '../base/types.js';

const REST_MS = 300;
const MARGIN = 24;
const DROP_HEIGHT = 54;
/** As near as a map comes by itself. */
const MOST_ZOOM = 16;
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
    ...{ zoomAnimation: animate, inertia: animate },
    ...{ dragging: interactive, scrollWheelZoom: interactive, doubleClickZoom: interactive },
    ...{ boxZoom: interactive, touchZoom: interactive },
    // It would go on after the map is gone; this one watches its element.
    trackResize: false,
    renderer: L.canvas({ padding: 0.25 }),
    ...{ minZoom: 1, maxZoom: 19, maxBounds: WORLD, maxBoundsViscosity: 1 },
  });
  Object.assign(element, { role: 'group', ariaLabel: labels.map });
  element.classList.toggle('map-picking', onPick !== undefined);

  let cover = { width: 0, height: 0 };
  let me: Me | undefined;
  let drop: Marker | undefined;
  let selected: string | undefined;
  let pointedAt: number | undefined;
  let pending: (() => void) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let [isShown, isZooming, byUser] = [false, false, false];

  const colours = (): Colours => {
    const style = getComputedStyle(element);
    // Such as `light-dark(#fff, #181614)`, which a canvas does not know.
    const both = (name: string) => style.getPropertyValue(`--${name}`).match(/#\w+/g);
    const at = style.colorScheme === 'dark' ? 1 : 0;
    return Object.fromEntries(TOKENS.map((name) => [name, both(name)?.[at] ?? '']));
  };
  for (const pane of ['names', 'rings']) map.createPane(pane).ariaHidden = 'true';
  const drawRings = createRings(map, labels.distance);
  const names = new Names(options.load);
  let { tiles } = options;
  let ground = addGround(map, tiles, options, names, colours);
  const pins = createPins(map, options, names, colours);
  const theme = new MutationObserver(() => {
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
  /** Keeps what is shown clear of the buttons, and of what covers the map as far as there is room. */
  const padding = (above = 0, below = cover.height) => {
    const top = BUTTONS.top + MARGIN + above;
    const bottom = MARGIN + Math.max(0, Math.min(below, map.getSize().y - top - 2 * MARGIN));
    return {
      paddingTopLeft: L.point(MARGIN, top),
      paddingBottomRight: L.point(BUTTONS.right + MARGIN, bottom),
    };
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
    if (map.getBounds().contains(at))
      map.panInside(at, { ...padding(DROP_HEIGHT, isUnder(at, MARGIN) ? cover.height : 0), animate });
    else map.fitBounds(L.latLngBounds(at, at), { ...padding(), maxZoom: map.getZoom(), animate });
  };
  /** The same, where it is in view but for what covers it. */
  const uncoverDrop = () => {
    const at = isShown && drop?.getLatLng();
    if (at && isUnder(at, 0) && map.getBounds().contains(at)) showDrop();
  };
  // A map without a size has no view; once it has one, it gets the view that was asked for last.
  const whenSized = (move: () => void) => {
    // Leaflet keeps the first size that it sees, until it has a view.
    pending = element.clientWidth > 0 && element.clientHeight > 0 ? undefined : move;
    if (!pending) move();
  };
  /** What is in view, once there is a view. */
  const area = () => {
    if (!isShown) return undefined;
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
    const texts = { zoomInText: '+', zoomOutText: '−' };
    const zoom = L.control.zoom({ position: 'topright', ...titles, ...texts }).addTo(map);
    zoom.getContainer()?.addEventListener('click', byHand, true);
    const scale = L.control.scale({ position: 'bottomright', imperial: false, maxWidth: 80 }).addTo(map);
    const line = scale.getContainer()?.firstElementChild;
    // Leaflet names the units in English.
    const nameUnit = () => {
      const text = line?.textContent;
      if (text) line.textContent = labels.distance(parseFloat(text) * (text.endsWith('km') ? 1000 : 1));
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
      map.setView(pin.at, map.getZoom() + 2, { animate });
    });
  };
  if (interactive) listen();
  const credits = L.control.attribution({ prefix: false }).addTo(map).getContainer();
  credits?.append(...credit(tiles));

  map.whenReady(() => (isShown = true));
  map.on('zoomanim', () => (isZooming = true)).on('zoomend', () => (isZooming = false));
  map.on('move zoomend', () => isZooming || showRings());
  map.on('movestart', () => clearTimeout(timer));
  map.on('moveend', () => {
    clearTimeout(timer);
    drop?.setLatLng(nearby(drop.getLatLng()));
    uncoverDrop();
    timer = setTimeout(() => {
      const shown = area();
      if (shown && element.clientWidth > 0) options.onRest?.({ ...shown, byUser });
      byUser = false;
    }, REST_MS);
  });

  return {
    area,
    setPins: pins.set,
    /** Lifts the pin of a place and says its name; puts the last one back. */
    hover: pins.lift,
    /**
     * Puts the drop with a score on a place and brings that into view; without one takes the drop away.
     * @returns whether that is new
     */
    select(place?: Position & { readonly id: number; readonly score: string }) {
      const text = JSON.stringify(place);
      if (text === selected) return false;
      selected = text;
      drop?.remove();
      drop = undefined;
      pins.hide(place?.id);
      // At the edge of the world a drop comes clear of what covers it by showing the void.
      map.setMaxBounds(place ? undefined : WORLD);
      if (!place) return true;
      const look = { className: 'map-drop', iconSize: L.point(42, 42), iconAnchor: L.point(21, 51) };
      drop = label(nearby(place), place.score, look).addTo(map);
      drop.on('click', () => options.onOpen?.(place.id));
      showDrop();
      return true;
    },
    /** Shows a box, or all of some positions. `exact` gets back the view whose `area` the box was. */
    fit(target: Box | readonly Position[], how: { animate?: boolean; exact?: boolean } = {}) {
      const box = 'w' in target ? target : boxAround(target);
      if (!box) return;
      const { w, s, e, n } = box;
      whenSized(() => {
        const from = nearby({ lat: s, lng: w });
        const to = L.latLng(n, from.lng + (e < w ? e + 360 : e) - w);
        const quick = { animate: how.animate !== false && animate };
        if (!how.exact)
          return void map.fitBounds(L.latLngBounds(from, to), { ...padding(), ...quick, maxZoom: MOST_ZOOM });
        const { x: width, y: height } = map.getSize();
        const zoom = zoomOf(box, { width, height }, map.getMaxZoom(), 0.2);
        const middle = map.project(from, zoom).add(map.project(to, zoom)).divideBy(2);
        map.setView(map.unproject(middle, zoom), Math.max(zoom, map.getMinZoom()), quick);
      });
    },
    view: ({ zoom, ...to }: Position & { zoom: number }) =>
      whenSized(() => map.setView(nearby(to), zoom, { animate })),
    /** How many pixels something covers in the lower right corner: what is shown or selected keeps clear of it. */
    cover(size: { width: number; height: number }) {
      cover = size;
      uncoverDrop();
    },
    showMe(position?: Me) {
      if (position === me) return;
      me = position;
      map.whenReady(showRings);
    },
    /** Puts another ground under the map. */
    setTiles(next: Tiles) {
      if (next.kind === tiles.kind) return;
      ground.layers.remove();
      tiles = next;
      ground = addGround(map, tiles, options, names, colours);
      credits?.replaceChildren(...credit(tiles));
      map.whenReady(showRings);
    },
    destroy() {
      observer.disconnect();
      theme.disconnect();
      isShown = false;
      // Leaflet ends a zoom by a timer, and draws in a frame that it cannot call off: both fail on a map that is gone.
      const remove = () => requestAnimationFrame(() => map.remove());
      if (isZooming) map.once('moveend', remove);
      else remove();
    },
  };
}
