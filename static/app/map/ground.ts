import { mercator } from '../base/geo.js';
import { root } from '../base/texts.js';
import type { Bounds, Coords, Layer, Map as LeafletMap } from 'leaflet';
import type { Names } from './names.js';
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

const OSM = { textContent: 'OpenStreetMap', href: 'https://www.openstreetmap.org/copyright' };

/** Attribution is text; Leaflet would take it for HTML. That of OpenStreetMap has to be a link. */
export function credit({ attribution }: Tiles) {
  const [before = '', ...after] = (attribution ?? '').split(OSM.textContent);
  if (after.length === 0) return [before];
  return [before, Object.assign(document.createElement('a'), OSM), after.join(OSM.textContent)];
}

/** Puts the ground under a map, tiles or a coast and names of our own; `draw` follows the theme. */
export function addGround(
  map: LeafletMap,
  tiles: Tiles,
  options: MapOptions,
  names: Names,
  colours: () => Colours,
) {
  const { kind, url } = tiles;
  const layers = L.layerGroup().addTo(map);
  // Tile servers refuse requests without a Referer, but need not know the page. No tile is loaded that is not in view.
  const referrerPolicy = 'strict-origin' as const;
  const pictures = { maxZoom: 19, referrerPolicy, keepBuffer: 0, updateWhenZooming: false };
  const land = new Land(options, colours);
  const draw = () => {
    const { theme: flavor = 'light' } = document.documentElement.dataset;
    layers.clearLayers();
    if (kind === 'none') layers.addLayer(land).addLayer(names);
    else if (kind === 'raster') layers.addLayer(L.tileLayer(url ?? '', pictures));
    // Where they could not be loaded, the pins stand on bare paper.
    else if (typeof protomapsL !== 'undefined')
      layers.addLayer(
        protomapsL.leafletLayer({ ...tiles, attribution: '', flavor, lang: root.lang.replace(/-.*/, '') }),
      );
  };
  draw();
  return { layers, draw };
}
