import { label } from './names.js';
import type { Map as LeafletMap } from 'leaflet';
import type { Position } from '../base/types.js';

/** The reader's own position; `accuracy` in metres. */
export type Me = Position & { readonly accuracy: number };

const RINGS_M = [50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000];

/** Draws dotted circles around a position, each with its distance, and where the reader is. */
export function createRings(map: LeafletMap, distance: (metres: number) => string) {
  const layer = L.layerGroup().addTo(map);
  const pane = 'rings';
  const shared = { renderer: L.svg({ pane }), interactive: false };
  return (center: Position | undefined, me: Me | undefined) => {
    layer.clearLayers();
    if (!center) return;
    const { x, y } = map.getSize();
    const perPixel = (40_075_016.7 * Math.cos((center.lat * Math.PI) / 180)) / (256 * 2 ** map.getZoom());
    for (const radius of RINGS_M) {
      if (radius < 70 * perPixel || radius > (Math.hypot(x, y) / 2) * perPixel) continue;
      layer.addLayer(L.circle(center, { radius, className: 'map-ring', ...shared }));
      const top = L.latLng(center.lat + radius / 111_320, center.lng);
      layer.addLayer(label(top, distance(radius), { className: 'map-distance', pane }));
    }
    if (!me) return;
    layer.addLayer(L.circle(center, { radius: me.accuracy, className: 'map-around', ...shared }));
    layer.addLayer(L.circleMarker(center, { radius: 7, className: 'map-me', ...shared }));
  };
}
