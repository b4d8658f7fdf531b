import type { LatLngExpression, Map as LeafletMap, DivIconOptions } from 'leaflet';
import type { Me } from './types.js';
import type { Position } from '../base/types.js';

const RINGS_M = [50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000];

/** A text at a position. */
export function label(at: LatLngExpression, text: string, { pane, ...look }: DivIconOptions) {
  const html = Object.assign(document.createElement('span'), { textContent: text });
  const icon = L.divIcon({ html, iconSize: [0, 0], ...look });
  return L.marker(at, { icon, keyboard: false, ...(pane && { pane, interactive: false }) });
}

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
