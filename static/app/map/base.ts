import { mercator } from '../base/geo.js';
import { canvasLayer } from './canvas.js';
import type { Layer } from 'leaflet';
import type { BaseOptions, Frame, Leaflet, LeafletMap, Ring, Topology } from './types.js';

/** From here on the coast is so crude that bare paper is more honest. */
const PAPER_ZOOM = 9;
const FINE_COAST_ZOOM = 5;

/** The rings of a land mass in Web Mercator, each with its extent. */
export function decodeLand({ transform, arcs, objects }: Topology): Ring[] {
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
    const points = ring.flatMap(line).map(([x, y]) => [(last = x + Math.round(last - x)), y]);
    // A ring that went around the world encloses the South Pole.
    if (Math.abs(last - first) > 0.5) points.push([last, 1], [first, 1]);
    const [xs, ys] = [points.map(([x = 0]) => x), points.map(([, y = 0]) => y)];
    const extent = { x0: Math.min(...xs), y0: Math.min(...ys), x1: Math.max(...xs), y1: Math.max(...ys) };
    return { points: Float64Array.from(points.flat()), ...extent };
  });
}

/** Fills the land in view; a ring out of view costs no more than a comparison. */
function drawLand(
  context: CanvasRenderingContext2D,
  { bounds, origin, world }: Frame,
  rings: readonly Ring[],
  colour: string | undefined = '',
) {
  const [min, max] = [bounds.getTopLeft().add(origin), bounds.getBottomRight().add(origin)];
  context.beginPath();
  for (let copy = Math.floor(min.x / world) - 1; copy <= max.x / world + 1; copy += 1)
    for (const { points, x0, y0, x1, y1 } of rings) {
      if ((x1 + copy) * world < min.x || (x0 + copy) * world > max.x) continue;
      if (y1 * world < min.y || y0 * world > max.y) continue;
      let [lastX, lastY] = [Infinity, Infinity];
      for (let i = 0; i < points.length; i += 2) {
        const x = ((points[i] ?? 0) + copy) * world - origin.x;
        const y = (points[i + 1] ?? 0) * world - origin.y;
        if (i > 0 && Math.abs(x - lastX) + Math.abs(y - lastY) < 1) continue;
        context[i === 0 ? 'moveTo' : 'lineTo'](x, y);
        [lastX, lastY] = [x, y];
      }
      context.closePath();
    }
  context.fillStyle = colour;
  context.fill('evenodd');
}

/**
 * Puts the ground under a map: tiles of a server, tiles of one file, or a coast of our own.
 * @returns for when the colours change
 */
export function addBase(L: Leaflet, map: LeafletMap, options: BaseOptions): { redraw: () => void } {
  const { kind, url } = options.tiles;
  if (kind === 'none') return addCoast(L, map, options);
  if (kind === 'pmtiles') return addVectorTiles(map, options);
  // Tile servers refuse requests without a Referer, but need not know the page.
  L.tileLayer(url ?? '', { maxZoom: 19, referrerPolicy: 'strict-origin-when-cross-origin' }).addTo(map);
  return { redraw: () => undefined };
}

function addVectorTiles(map: LeafletMap, { tiles, loadVectorTiles }: BaseOptions) {
  let layer: Layer | undefined;
  const redraw = async () => {
    await loadVectorTiles();
    const { theme } = document.documentElement.dataset;
    const { protomapsL } = globalThis as any;
    layer?.remove();
    layer = protomapsL.leafletLayer({ url: tiles.url, flavor: theme ?? 'light', lang: 'en' });
    layer?.addTo(map);
  };
  // Without tiles the pins stand on bare paper.
  const attempt = () => void redraw().catch(() => undefined);
  attempt();
  return { redraw: attempt };
}

function addCoast(L: Leaflet, map: LeafletMap, { saveData, colours, load }: BaseOptions) {
  const lands = new Map<string, Ring[]>();
  const layer = canvasLayer(L, 'tilePane', 0.25, (context, frame) => {
    if (map.getZoom() >= PAPER_ZOOM) return;
    const detail = map.getZoom() < FINE_COAST_ZOOM || saveData ? '110m' : '50m';
    if (!lands.has(detail)) void fetchLand(detail);
    drawLand(context, frame, lands.get(detail) ?? [], colours().land);
  });
  const fetchLand = async (detail: string) => {
    // Until the fine coast is there the crude one stands in; without any the pins stand in bare sea.
    lands.set(detail, lands.get('110m') ?? []);
    const topology = await load(`vendor/world-atlas/land-${detail}.json`).catch(() => undefined);
    if (topology === undefined) return;
    lands.set(detail, decodeLand(topology as Topology));
    layer.redraw();
  };
  map.on('viewreset zoomend', () => {
    const { classList } = map.getContainer();
    classList.toggle('map-sea', map.getZoom() < PAPER_ZOOM);
    classList.toggle('map-paper', map.getZoom() >= PAPER_ZOOM);
  });
  layer.addTo(map);
  return layer;
}
