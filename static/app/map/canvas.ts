import type { CanvasLayer, Colours, Draw, Frame, Leaflet, Me } from './types.js';
import type { Position } from '../base/types.js';

const RINGS_M = [50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000];

/**
 * Metres that one pixel covers in Web Mercator.
 * @param world pixels around the world
 */
export const metresPerPixel = (lat: number, world: number) =>
  (40_075_016.7 * Math.cos((lat * Math.PI) / 180)) / world;

/**
 * A canvas that moves and zooms with the map, as Leaflet's own vectors do, and is drawn again when the view leaves it.
 * @param padding how far it goes beyond the view, as a share of that
 */
export function canvasLayer(L: Leaflet, pane: string, padding: number, draw: Draw): CanvasLayer {
  const parent = L.Renderer.prototype as any;
  const Canvas = (L.Renderer as any).extend({
    getEvents() {
      return { ...parent.getEvents.call(this), move: this._onMove };
    },
    _initContainer() {
      this._container = document.createElement('canvas');
      this._container.ariaHidden = 'true';
    },
    _destroyContainer() {
      this._container.remove();
      delete this._container;
    },
    // It is drawn for the new view, and a transform on top of that would only blur it.
    _reset() {
      this._update();
    },
    _onMove() {
      if (this._map.getZoom() !== this._zoom) return;
      const min = this._map.containerPointToLayerPoint([0, 0]);
      if (!this._bounds.contains(L.bounds(min, min.add(this._map.getSize())))) this._update();
    },
    _update() {
      // While a zoom is animated the canvas is stretched: it shows the old zoom until the end.
      if (this._map._animatingZoom && this._bounds) return;
      parent._update.call(this);
      const { x, y } = this._bounds.getSize();
      const ratio = Math.min(2, devicePixelRatio);
      const canvas = this._container;
      if (canvas.width !== x * ratio || canvas.height !== y * ratio) {
        Object.assign(canvas, { width: x * ratio, height: y * ratio });
        Object.assign(canvas.style, { width: `${x}px`, height: `${y}px` });
      }
      L.DomUtil.setPosition(canvas, this._bounds.min);
      const context = canvas.getContext('2d');
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, x, y);
      context.translate(-this._bounds.min.x, -this._bounds.min.y);
      const world = 256 * 2 ** this._map.getZoom();
      draw(context, { bounds: this._bounds, origin: this._map.getPixelOrigin(), world, map: this._map });
    },
    redraw() {
      if (this._map) this._update();
    },
  });
  return new Canvas({ pane, padding });
}

/** Dotted circles around a position, each with its distance. */
export function drawRings(
  context: CanvasRenderingContext2D,
  { map, world }: Frame,
  at: Position,
  { accent = '', land = '', soft = '' }: Colours,
  distance: (metres: number) => string,
) {
  const { x, y } = map.latLngToLayerPoint(at);
  const size = map.getSize();
  Object.assign(context, { font: '12px system-ui, sans-serif', textAlign: 'center', lineCap: 'round' });
  for (const metres of RINGS_M) {
    const radius = metres / metresPerPixel(at.lat, world);
    if (radius < 70 || radius > Math.hypot(size.x, size.y) / 2) continue;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.setLineDash([0.1, 5]);
    Object.assign(context, { strokeStyle: accent, lineWidth: 1.6, globalAlpha: 0.7 });
    context.stroke();
    context.setLineDash([]);
    Object.assign(context, { strokeStyle: land, fillStyle: soft, lineWidth: 4, globalAlpha: 1 });
    context.strokeText(distance(metres), x, y - radius - 5);
    context.fillText(distance(metres), x, y - radius - 5);
  }
}

/** Where the reader is, and how sure that is. */
export function drawMe(
  context: CanvasRenderingContext2D,
  { map, world }: Frame,
  me: Me,
  { info = '', page = '' }: Colours,
) {
  const { x, y } = map.latLngToLayerPoint(me);
  const disc = (radius: number, fillStyle: string, globalAlpha = 1) => {
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    Object.assign(context, { fillStyle, globalAlpha });
    context.fill();
  };
  disc(me.accuracy / metresPerPixel(me.lat, world), info, 0.12);
  disc(8, page);
  disc(6, info);
}
