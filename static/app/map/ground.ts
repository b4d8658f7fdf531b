import { mercator } from '../base/geo.js';
import { loadOnce } from './load.js';
import { Names } from './names.js';
import type { Bounds, Layer, Map as LeafletMap } from 'leaflet';
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

/** A canvas that is drawn again as soon as the view leaves it, not only when the hand lets go. */
export class RollingCanvas extends L.Canvas {
  declare readonly _bounds: Bounds;
  declare readonly _update: () => void;
  override getEvents() {
    const move = () => {
      const min = this._map.containerPointToLayerPoint([0, 0]);
      if (!this._bounds.contains(L.bounds(min, min.add(this._map.getSize())))) this._update();
    };
    return { ...super.getEvents?.(), move };
  }
}

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

/** The land in view: as polygons of Leaflet all of it would be projected at every zoom, which takes half a second. */
class Land extends L.Path {
  declare readonly _renderer: RollingCanvas & {
    readonly _drawing: boolean;
    readonly _ctx: CanvasRenderingContext2D;
  };
  declare readonly _map: LeafletMap;
  readonly #lands = new Map<string, Ring[]>();
  readonly #options: MapOptions;
  readonly #colours: () => Colours;
  constructor(options: MapOptions, colours: () => Colours) {
    super();
    [this.#options, this.#colours] = [options, colours];
    L.setOptions(this, {
      renderer: new RollingCanvas({ pane: 'tilePane', padding: 0.25 }),
      interactive: false,
    });
  }
  _project() {
    // Positions are computed as it is drawn.
  }
  _update() {
    // The canvas draws all that is on it.
  }
  _updatePath() {
    if (!this._renderer._drawing) return;
    const zoom = this._map.getZoom();
    this._map.getContainer().classList.toggle('map-sea', zoom < PAPER_ZOOM);
    if (zoom >= PAPER_ZOOM) return;
    const detail = zoom < FINE_COAST_ZOOM || this.#options.saveData ? '110m' : '50m';
    if (!this.#lands.has(detail)) void this.#load(detail);
    this.#draw(this.#lands.get(detail) ?? []);
  }
  /** A ring out of view costs no more than a comparison. */
  #draw(rings: readonly Ring[]) {
    const { _bounds: bounds, _ctx: context } = this._renderer;
    const [{ x, y }, world] = [this._map.getPixelOrigin(), 256 * 2 ** this._map.getZoom()];
    const land = new Path2D();
    const [min, max] = [bounds.getTopLeft(), bounds.getBottomRight()].map((corner) =>
      corner.add([x, y]).divideBy(world),
    );
    if (!min || !max) return;
    for (let copy = Math.floor(min.x) - 1; copy <= max.x + 1; copy += 1) {
      const view = L.bounds(min.subtract([copy, 0]), max.subtract([copy, 0]));
      for (const ring of rings)
        if (ring.bounds.intersects(view))
          land.addPath(ring.path, { a: world, d: world, e: copy * world - x, f: -y });
    }
    context.fillStyle = this.#colours().land ?? '';
    context.fill(land, 'evenodd');
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

/** Attribution is text; Leaflet would take it for HTML. That of OpenStreetMap has to be a link. */
const credit = (text: string | null) =>
  Object.assign(document.createElement('i'), { textContent: text }).innerHTML.replace(
    'OpenStreetMap',
    '<a href="https://www.openstreetmap.org/copyright">$&</a>',
  );

/**
 * Puts the ground under a map: tiles of a server, tiles of one file, or a coast and names of our own.
 * @returns to be called with true when the colours change, with false to take the ground away
 */
export function addGround(map: LeafletMap, tiles: Tiles, options: MapOptions, colours: () => Colours) {
  const { kind, url } = tiles;
  const layers = L.layerGroup().addTo(map);
  const attribution = credit(tiles.attribution);
  let land: Land | undefined;
  const addVectorTiles = async () => {
    await loadOnce('protomaps-leaflet/protomaps-leaflet.js');
    const { theme = 'light' } = document.documentElement.dataset;
    layers.clearLayers();
    layers.addLayer(protomapsL.leafletLayer({ ...tiles, attribution, flavor: theme, lang: 'en' }));
  };
  const draw = () => {
    // Without tiles the pins stand on bare paper.
    if (kind === 'pmtiles') void addVectorTiles().catch(() => undefined);
    else land?.redraw();
  };
  if (kind === 'none') {
    land = new Land(options, colours);
    layers.addLayer(land).addLayer(new Names(options.load, attribution));
  } else if (kind === 'raster') {
    // Tile servers refuse requests without a Referer, but need not know the page. No tile is loaded that is not in view.
    const referrerPolicy = 'strict-origin-when-cross-origin';
    const ahead = { keepBuffer: 0, updateWhenZooming: false };
    layers.addLayer(L.tileLayer(url ?? '', { maxZoom: 19, attribution, referrerPolicy, ...ahead }));
  } else draw();
  return {
    draw,
    remove() {
      layers.remove();
      map.getContainer().classList.remove('map-sea');
    },
  };
}
