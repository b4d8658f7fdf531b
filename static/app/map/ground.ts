import { mercator, nearestLng } from '../base/geo.js';
import { loadOnce } from './load.js';
import { label } from './rings.js';
import type { Bounds, Coords, Layer, Map as LeafletMap } from 'leaflet';
import type { Colours, MapOptions, Tiles } from './types.js';

/** From here on the coast is so crude that bare paper is more honest. */
export const PAPER_ZOOM = 9;
const FINE_COAST_ZOOM = 5;

/** A coast or an island in Web Mercator. */
interface Ring {
  readonly path: Path2D;
  readonly bounds: Bounds;
}
/** TopoJSON as world-atlas has it. */
interface Topology {
  readonly transform: { readonly scale: [number, number]; readonly translate: [number, number] };
  readonly arcs: readonly (readonly [number, number][])[];
  readonly objects: { readonly land: { readonly geometries: readonly { readonly arcs: number[][][] }[] } };
}

declare const protomapsL: {
  leafletLayer: (options: Tiles & { readonly flavor: string; readonly lang: string }) => Layer;
};

const isTopology = (file: unknown): file is Topology =>
  typeof file === 'object' && file !== null && 'arcs' in file;

/** The rings of a land mass. */
function decodeLand({ transform, arcs, objects }: Topology): Ring[] {
  const { scale, translate } = transform;
  const lines = arcs.map((arc) => {
    let [x, y] = [0, 0];
    return arc.map(([dx, dy]) =>
      mercator((y += dy) * scale[1] + translate[1], (x += dx) * scale[0] + translate[0]),
    );
  });
  const line = (at: number) => (at < 0 ? lines[~at]?.toReversed() : lines[at]) ?? [];
  const rings = objects.land.geometries.flatMap((geometry) => geometry.arcs.flat());
  return rings.map((ring) => {
    const first = line(ring[0] ?? 0)[0]?.[0] ?? 0;
    let last = first;
    // What crosses the antimeridian goes on beyond the edge of the world instead of jumping across all of it.
    const points = ring.flatMap(line).map(([x, y]) => L.point((last = x + Math.round(last - x)), y));
    // A ring that went around the world encloses the South Pole.
    if (Math.abs(last - first) > 0.5) points.push(L.point(last, 1), L.point(first, 1));
    const path = new Path2D();
    for (const { x, y } of points) path.lineTo(x, y);
    path.closePath();
    return { path, bounds: L.bounds(points) };
  });
}

/** The land, tile by tile: as polygons of Leaflet all of it would be projected at every zoom, which takes half a second. */
class Land extends L.GridLayer {
  readonly #lands = new Map<string, Ring[]>();
  readonly #options: MapOptions;
  readonly #colours: () => Colours;
  constructor(options: MapOptions, colours: () => Colours) {
    super({ maxZoom: PAPER_ZOOM - 1, updateWhenIdle: false });
    [this.#options, this.#colours] = [options, colours];
  }
  override createTile({ x, y, z }: Coords) {
    const detail = z < FINE_COAST_ZOOM || this.#options.saveData ? '110m' : '50m';
    if (!this.#lands.has(detail)) void this.#load(detail);
    const [side, world] = [256 * devicePixelRatio, 2 ** z];
    const tile = Object.assign(document.createElement('canvas'), { width: side, height: side });
    const land = new Path2D();
    // A coast that goes on beyond one edge of the world belongs to the other one as well.
    for (const at of [x - world, x, x + world]) {
      const view = L.bounds([at / world, y / world], [(at + 1) / world, (y + 1) / world]);
      for (const { path, bounds } of this.#lands.get(detail) ?? [])
        if (bounds.intersects(view))
          land.addPath(path, { a: world * side, d: world * side, e: -at * side, f: -y * side });
    }
    const context = tile.getContext('2d');
    if (context) context.fillStyle = this.#colours().land ?? '';
    context?.fill(land, 'evenodd');
    return tile;
  }
  async #load(detail: string) {
    // Until the fine coast is there the crude one stands in; without any the pins stand in bare sea.
    this.#lands.set(detail, this.#lands.get('110m') ?? []);
    const topology = await this.#options
      .load(`vendor/world-atlas/land-${detail}.json`)
      .catch(() => undefined);
    if (!isTopology(topology)) return;
    this.#lands.set(detail, decodeLand(topology));
    this.redraw();
  }
}

type Name = readonly [name: string, lat: number, lng: number, zoom: number];
interface NamesFile {
  readonly countries: readonly Name[];
  readonly cities: readonly Name[];
}

/** Even the whole world on a phone has the names of its largest countries. */
const LEAST_ZOOM = 2;
const [LETTER, LINE] = [7.5, 18];

/** Which names have room, the important ones first: the same wherever the map is moved at this zoom. */
function placed({ countries, cities }: NamesFile, zoom: number) {
  const boxes: { x: number; y: number; width: number }[] = [];
  const kinds = [
    countries.map((name) => ({ kind: 'country', name })),
    cities.map((name) => ({ kind: 'city', name })),
  ];
  return kinds.flat().filter(({ name: [text, lat, lng, from] }) => {
    const [x, y] = mercator(lat, lng).map((share) => share * 256 * 2 ** zoom);
    const box = { x: x ?? 0, y: y ?? 0, width: text.length * LETTER + LINE };
    const hits = (other: typeof box) =>
      Math.abs(box.x - other.x) < (box.width + other.width) / 2 && Math.abs(box.y - other.y) < LINE;
    return from <= Math.max(zoom, LEAST_ZOOM) && !boxes.some(hits) && boxes.push(box) > 0;
  });
}

const isFile = (file: unknown): file is NamesFile =>
  typeof file === 'object' && file !== null && 'countries' in file;

/** The names of countries and cities, for a map without tiles. */
class Names extends L.LayerGroup {
  #file: NamesFile | undefined;
  constructor(load: MapOptions['load'], attribution: string) {
    super([], { attribution });
    void load('map/names.json')
      .then((file) => {
        if (isFile(file)) this.#file = file;
        this.#draw();
      })
      // They are no more than a help, and the map may be gone by now.
      .catch(() => undefined);
  }
  override getEvents() {
    return { moveend: () => this.#draw() };
  }
  #draw() {
    if (!this.#file) return;
    const [view, middle] = [this._map.getBounds().pad(0.1), this._map.getCenter().lng];
    this.clearLayers();
    for (const { kind, name } of placed(this.#file, this._map.getZoom())) {
      const at = L.latLng(name[1], nearestLng(name[2], middle));
      if (view.contains(at)) this.addLayer(label(at, name[0], { className: `map-${kind}`, pane: 'names' }));
    }
  }
}

/** Attribution is text; Leaflet would take it for HTML. That of OpenStreetMap has to be a link. */
const credit = (text: string | null) =>
  Object.assign(document.createElement('i'), { textContent: text }).innerHTML.replace(
    'OpenStreetMap',
    '<a href="https://www.openstreetmap.org/copyright">$&</a>',
  );

/** Puts the ground under a map, tiles or a coast and names of our own; `draw` follows the colours. */
export function addGround(map: LeafletMap, tiles: Tiles, options: MapOptions, colours: () => Colours) {
  const { kind, url } = tiles;
  const layers = L.layerGroup().addTo(map);
  const attribution = credit(tiles.attribution);
  let draw: () => unknown = () => undefined;
  if (kind === 'none') {
    const land = new Land(options, colours);
    layers.addLayer(land).addLayer(new Names(options.load, attribution));
    draw = () => land.redraw();
  } else if (kind === 'raster') {
    // Tile servers refuse requests without a Referer, but need not know the page. No tile is loaded that is not in view.
    const referrerPolicy = 'strict-origin-when-cross-origin';
    const ahead = { keepBuffer: 0, updateWhenZooming: false };
    layers.addLayer(L.tileLayer(url ?? '', { maxZoom: 19, attribution, referrerPolicy, ...ahead }));
  } else {
    draw = () =>
      loadOnce('protomaps-leaflet/protomaps-leaflet.js').then(
        () => {
          const { theme: flavor = 'light' } = document.documentElement.dataset;
          layers.clearLayers();
          layers.addLayer(protomapsL.leafletLayer({ ...tiles, attribution, flavor, lang: 'en' }));
        },
        // Without tiles the pins stand on bare paper.
        () => undefined,
      );
    draw();
  }
  return { layers, draw };
}
