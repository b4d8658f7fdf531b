import { nearestLng } from '../base/geo.js';
import { discRadius, mergeSpots } from './merge.js';
import type { CircleMarkerOptions, Map as LeafletMap, Point } from 'leaflet';
import type { Spot } from './merge.js';
import type { Names } from './names.js';
import type { Colours, MapOptions, MapPins, MapPoint } from './types.js';

/** From here on places that lie on each other stay apart, so that each of them can be pressed. */
const APART_ZOOM = 16;
const LIFTED = 1.35;

/** The bits of a point's flags, as GET /restaurants/map adds them up. */
const FLAG = { pending: 1, closed: 2 | 4, want: 8, favourite: 16, been: 32 };

/** Which pins lie on top: what is closed under what is suggested, places on those, what I marked above all. */
const rank = (flags: number) => (flags & FLAG.closed ? 0 : flags & FLAG.pending ? 1 : flags === 0 ? 2 : 3);

type Circle = readonly [radius: number, fill: string | undefined, line: string | undefined, width?: number];
interface Look extends CircleMarkerOptions {
  readonly circles: readonly Circle[];
  readonly dash?: number[];
  readonly text?: string;
  readonly ink?: string | undefined;
}

/** Circles on each other, and a text on them. */
class Pin extends L.CircleMarker {
  declare options: Look;
  /** Where it is, once it was on the map. */
  declare readonly _point: Point | undefined;
  declare readonly _renderer: { readonly _drawing: boolean; readonly _ctx: CanvasRenderingContext2D };
  _updatePath() {
    const { circles, dash = [], text = '', ink = '', radius = 1 } = this.options;
    const { _ctx: context, _drawing: isDrawing } = this._renderer;
    const point = this._point;
    if (!point || !isDrawing) return;
    const scale = radius / (circles[0]?.[0] ?? 1);
    for (const [size, fillStyle = '', strokeStyle = '', lineWidth = 2] of circles) {
      Object.assign(context, { fillStyle, strokeStyle, lineWidth });
      context.setLineDash(dash);
      context.beginPath();
      context.arc(point.x, point.y, size * scale, 0, 2 * Math.PI);
      context.fill();
      context.stroke();
    }
    const font = `600 ${text === '×' ? 18 : 13}px system-ui, sans-serif`;
    Object.assign(context, { font, fillStyle: ink, textAlign: 'center', textBaseline: 'middle' });
    context.fillText(text, point.x, point.y + 1);
  }
}

/** What the pin of a place looks like, its largest circle first. */
function lookOf(flags: number, { page, accent, want, soft }: Colours): Look {
  if (flags & FLAG.closed) return { circles: [[7, page, page]], text: '×', ink: soft };
  if (flags & FLAG.pending) return { circles: [[7, page, accent]], dash: [3.4, 2.5] };
  const ring: Circle[] = flags & FLAG.been ? [[11, page, accent]] : [];
  if (flags & FLAG.want) return { circles: [...ring, [6, page, want, 4]] };
  if (flags & FLAG.favourite) return { circles: [...ring, [8, accent, page]], text: '★', ink: page };
  return { circles: [...ring, [7, accent, page]] };
}

/** The pins of a map: what they look like, where they lie, and which of them a pointer means. */
export function createPins(map: LeafletMap, { labels }: MapOptions, names: Names, colours: () => Colours) {
  const layer = L.layerGroup().addTo(map);
  let spots: (Spot & { readonly point?: MapPoint })[] = [];
  let shown: MapPins = { points: [], groups: [] };
  let answered = '';
  let lifted: Pin | undefined;
  let liftedId: number | undefined;
  let hidden: number | undefined;

  const radiusOf = ({ count }: Spot) => discRadius(count) + Number(count > 1);
  // Of the copies of a place around and around the world, the one next to the middle of the view.
  const spotAt = (lat: number, lng: number, count = 1, point?: MapPoint) => {
    const { x, y } = map.project([lat, nearestLng(lng, map.getCenter().lng)]);
    return { x, y, count, ...(point && { point }) };
  };
  const pinOf = ({ x, y }: Spot, look: Look, scale = 1) => {
    const radius = (look.circles[0]?.[0] ?? 0) * scale;
    return new Pin(map.unproject([x, y]), { ...look, radius, weight: 6, interactive: false });
  };
  const lift = (id: number | undefined) => {
    lifted?.remove();
    liftedId = id;
    const [, lat, lng, , flags, name] = shown.points.find(([one]) => one === id && id !== hidden) ?? [];
    if (lat === undefined || lng === undefined || flags === undefined) return;
    const tip = Object.assign(document.createElement('span'), { textContent: name });
    lifted = pinOf(spotAt(lat, lng), lookOf(flags, colours()), LIFTED)
      .bindTooltip(tip, {
        ...{ className: 'map-name', direction: 'right', offset: [12, 0], opacity: 1, permanent: true },
      })
      .addTo(map);
  };
  const draw = () => {
    layer.clearLayers();
    const points = shown.points
      .filter(([id]) => id !== hidden)
      .toSorted((a, b) => rank(a[4]) - rank(b[4]))
      .map((point) => spotAt(point[1], point[2], 1, point));
    spots = [...shown.groups.map((group) => spotAt(...group)), ...points];
    if (map.getZoom() < APART_ZOOM) spots = mergeSpots(spots).reverse();
    const look = colours();
    const { page, accent, 'on-accent': ink } = look;
    for (const spot of spots) {
      const group: Look = {
        circles: [[radiusOf(spot), accent, page, 3]],
        text: labels.count(spot.count),
        ink,
      };
      layer.addLayer(pinOf(spot, spot.point ? lookOf(spot.point[4], look) : group));
    }
    lift(liftedId);
    names.show(
      spots.map((spot) => ({ at: L.point(spot.x, spot.y), radius: radiusOf(spot), name: spot.point?.[5] })),
    );
  };
  map.on('moveend', draw);

  return {
    draw,
    /** @returns whether they are others than before */
    set: (answer: MapPins) => {
      const text = JSON.stringify(answer);
      if (text === answered) return false;
      [shown, answered] = [answer, text];
      map.whenReady(draw);
      return true;
    },
    /** Leaves out the pin of a place, which is drawn by other means. */
    hide(id: number | undefined) {
      hidden = id;
      map.whenReady(draw);
    },
    /** Shows the pin of a place larger and above all, with its name; puts the last one back. */
    lift: (id: number | undefined) => map.whenReady(() => lift(id)),
    /** The pin within `extra` pixels around a layer point: the id of a place, or where a group is. */
    at(pointer: Point, extra: number) {
      const to = pointer.add(map.getPixelOrigin());
      const far = (spot: Spot) => Math.hypot(spot.x - to.x, spot.y - to.y);
      const [spot] = spots
        .filter((one) => far(one) <= radiusOf(one) + extra)
        .toSorted((a, b) => far(a) - far(b));
      return spot && { id: spot.point?.[0], at: map.unproject([spot.x, spot.y]) };
    },
  };
}
