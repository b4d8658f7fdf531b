import { nearestLng } from '../base/geo.js';
import { discRadius, mergeSpots } from './merge.js';
import type { Bounds, CircleMarkerOptions, Map as LeafletMap, Point } from 'leaflet';
import type { Spot } from './merge.js';
import type { Colours, MapOptions, MapPins, MapPoint } from './types.js';

/** The bits of a point's flags, as GET /restaurants/map adds them up. */
const FLAG = { pending: 1, closed: 2 | 4, want: 8, favourite: 16, been: 32 };

/** Which pins lie on top: what is closed under what is suggested, places on those, what I marked above all. */
const rank = (flags: number) => (flags & FLAG.closed ? 0 : flags & FLAG.pending ? 1 : flags === 0 ? 2 : 3);

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

interface Look extends CircleMarkerOptions {
  readonly radius: number;
  readonly text?: string;
  readonly ink?: string | undefined;
}

/** A circle with a text in it. */
class Disc extends L.CircleMarker {
  declare options: Look;
  /** Where it is, once it was on the map. */
  declare readonly _point: Point | undefined;
  declare readonly _renderer: {
    readonly _drawing: boolean;
    readonly _ctx: CanvasRenderingContext2D;
    readonly _updateCircle: (disc: Disc) => void;
  };
  _updatePath() {
    const { text, ink = '' } = this.options;
    const { _ctx: context, _drawing: isDrawing } = this._renderer;
    this._renderer._updateCircle(this);
    const point = this._point;
    if (text === undefined || !point || !isDrawing) return;
    const font = `600 ${text === '×' ? 18 : 13}px system-ui, sans-serif`;
    Object.assign(context, { font, fillStyle: ink, textAlign: 'center', textBaseline: 'middle' });
    context.fillText(text, point.x, point.y + 1);
  }
}

const disc = (radius: number, fillColor = '', color = '', weight = 2): Look => ({
  ...{ radius, fillColor, color, weight, fillOpacity: 1, interactive: false },
});

/** The circles that make up a pin. */
function looks(flags: number, { page, accent, want, soft }: Colours): Look[] {
  if (flags & FLAG.closed) return [{ ...disc(7, page, page), text: '×', ink: soft }];
  if (flags & FLAG.pending) return [{ ...disc(7, page, accent), dashArray: [3.4, 2.5] }];
  const ring = flags & FLAG.been ? [disc(11, page, accent)] : [];
  if (flags & FLAG.want) return [...ring, disc(6, page, want, 4)];
  if (flags & FLAG.favourite) return [...ring, { ...disc(8, accent, page), text: '★', ink: page }];
  return [...ring, disc(7, accent, page)];
}

interface Pin {
  readonly point?: MapPoint;
  readonly radius: number;
  readonly discs: readonly Disc[];
}

/** The pins of a map: what they look like, where they lie, and which of them a pointer means. */
export function createPins(map: LeafletMap, { labels }: MapOptions, colours: () => Colours) {
  const layer = L.layerGroup().addTo(map);
  const tip = L.tooltip({ className: 'map-name', direction: 'right', offset: [12, 0], opacity: 1 });
  let pins: readonly Pin[] = [];
  let shown: MapPins = { points: [], groups: [] };
  let lifted: Pin | undefined;
  let hidden: number | undefined;

  const find = (id: number | undefined) => pins.find(({ point }) => point && point[0] === id);
  const lift = (pin: Pin | undefined) => {
    if (pin === lifted) return;
    for (const one of lifted?.discs ?? []) one.setRadius(one.getRadius() / 1.35);
    lifted = pin;
    tip.remove();
    const [first] = lifted?.discs ?? [];
    if (!first) return;
    for (const one of lifted?.discs ?? []) one.setRadius(one.getRadius() * 1.35).bringToFront();
    const name = Object.assign(document.createElement('span'), { textContent: lifted?.point?.[5] });
    tip.setLatLng(first.getLatLng()).setContent(name).addTo(map);
  };
  const draw = () => {
    const liftedId = lifted?.point?.[0];
    lift(undefined);
    layer.clearLayers();
    // Of the copies of a place around and around the world, the one next to the middle of the view.
    const middle = map.getCenter().lng;
    const spot = (lat: number, lng: number, count: number, point?: MapPoint) => {
      const { x, y } = map.project([lat, nearestLng(lng, middle)]);
      return { x, y, count, ...(point && { point }) };
    };
    const points = shown.points
      .filter(([id]) => id !== hidden)
      .toSorted((a, b) => rank(a[4]) - rank(b[4]))
      .map((point) => spot(point[1], point[2], 1, point));
    const groups = shown.groups.map((group) => spot(...group));
    const spots: (Spot & { readonly point?: MapPoint })[] =
      groups.length > 0 ? mergeSpots([...groups, ...points]).reverse() : points;
    const { page, accent, 'on-accent': ink } = colours();
    pins = spots.map(({ x, y, count, point }) => {
      const radius = discRadius(count);
      const group = { ...disc(radius + 1, accent, page, 3), text: labels.count(count), ink };
      const circles = point ? looks(point[4], colours()) : [group];
      const at = map.unproject([x, y]);
      return { radius, discs: circles.map((look) => new Disc(at, look)), ...(point && { point }) };
    });
    for (const one of pins.flatMap(({ discs }) => discs)) layer.addLayer(one);
    lift(find(liftedId));
  };
  map.on('moveend', draw);

  return {
    draw,
    set(answer: MapPins) {
      shown = answer;
      map.whenReady(draw);
    },
    /** Leaves out the pin of a place, which is drawn by other means. */
    hide(id: number | undefined) {
      hidden = id;
      map.whenReady(draw);
    },
    /** Makes the pin of a place larger, and says its name; puts the last one back. */
    lift: (id: number | undefined) => lift(find(id)),
    /** The pin within `extra` pixels around a layer point: the id of a place, or where a group is. */
    at(pointer: Point, extra: number) {
      let nearest = Infinity;
      let found: Pin | undefined;
      for (const pin of pins) {
        const far = pin.discs[0]?._point?.distanceTo(pointer) ?? Infinity;
        if (far < nearest && far <= pin.radius + extra) [nearest, found] = [far, pin];
      }
      return found && { id: found.point?.[0], at: found.discs[0]?.getLatLng() };
    },
  };
}
