import { mercator } from '../base/geo.js';
import type { Colours, Frame, MapAnswer, Pin } from './types.js';

/** The bits of a point's flags, as GET /restaurants/map adds them up. */
const FLAG = { pending: 1, closed: 2 | 4, want: 8, favourite: 16, been: 32 };
const SIZE = 28;

/** From two places, 12 pixels, to 150 and more, 22. */
const groupRadius = (count: number) => Math.min(22, Math.max(12, 9 + 6 * Math.log10(count)));

/** Which pins lie on top: what is closed under what is suggested, places on those, what I marked above all. */
const rank = (flags: number) => (flags & FLAG.closed ? 0 : flags & FLAG.pending ? 1 : flags === 0 ? 2 : 3);

/** Draws one pin around 0,0. */
function paint(
  context: CanvasRenderingContext2D,
  flags: number,
  { page = '', accent = '', want = '', soft = '' }: Colours,
) {
  const disc = (radius: number, fillStyle: string, strokeStyle = page, lineWidth = 2) => {
    context.beginPath();
    context.arc(0, 0, radius, 0, 2 * Math.PI);
    Object.assign(context, { fillStyle, strokeStyle, lineWidth });
    context.fill();
    context.stroke();
  };
  const star = (radius: number) => {
    context.beginPath();
    for (let i = 0; i < 10; i += 1) {
      const [far, angle] = [i % 2 ? radius * 0.42 : radius, (i * Math.PI) / 5 - Math.PI / 2];
      context.lineTo(far * Math.cos(angle), far * Math.sin(angle));
    }
    context.fillStyle = page;
    context.fill();
  };
  const cross = (strokeStyle: string, lineWidth: number) => {
    Object.assign(context, { strokeStyle, lineWidth, lineCap: 'round' });
    context.stroke(new Path2D('M-4.5-4.5l9 9m0-9l-9 9'));
  };
  const isBeen = (flags & FLAG.been) > 0;
  if (flags & FLAG.closed) {
    cross(page, 6.5);
    cross(soft, 2.8);
  } else if (flags & FLAG.pending) {
    disc(9, page);
    context.setLineDash([3.4, 2.5]);
    disc(7.5, page, accent, 2.2);
  } else {
    if (isBeen) disc(11, page);
    if (isBeen) disc(10, page, accent);
    if (flags & FLAG.want) {
      if (!isBeen) disc(8, page);
      disc(5.5, page, want, 4);
    } else {
      disc(isBeen ? 6.5 : flags & FLAG.favourite ? 9 : 7, accent);
      if (flags & FLAG.favourite) star(isBeen ? 4 : 6);
    }
  }
}

/** Draws a group and its count. */
function paintGroup(
  context: CanvasRenderingContext2D,
  { px, py, radius }: Pin,
  count: string,
  { page = '', accent = '', 'on-accent': onAccent = '' }: Colours,
) {
  const disc = (far: number, fillStyle: string) => {
    context.beginPath();
    context.arc(px, py, far, 0, 2 * Math.PI);
    context.fillStyle = fillStyle;
    context.fill();
  };
  disc(radius + 3, page);
  disc(radius, accent);
  context.fillStyle = onAccent;
  context.fillText(count, px, py + 0.5);
}

/** The pins of a map: what they look like, where they lie, and which of them a pointer means. */
export function createPins(colours: () => Colours, countText: (count: number) => string) {
  let pins: Pin[] = [];
  const sprites = new Map<number, HTMLCanvasElement>();

  const sprite = (flags: number) => {
    const known = sprites.get(flags);
    if (known) return known;
    const ratio = Math.min(2, devicePixelRatio);
    const canvas = Object.assign(document.createElement('canvas'), {
      width: SIZE * ratio,
      height: SIZE * ratio,
    });
    const context = canvas.getContext('2d')!;
    context.setTransform(ratio, 0, 0, ratio, (SIZE / 2) * ratio, (SIZE / 2) * ratio);
    paint(context, flags, colours());
    sprites.set(flags, canvas);
    return canvas;
  };

  return {
    set({ points, groups }: Pick<MapAnswer, 'points' | 'groups'>) {
      const place = (lat: number, lng: number) => {
        const [x, y] = mercator(lat, lng);
        return { x, y, px: NaN, py: NaN };
      };
      const [ordered, larger] = [
        points.toSorted((a, b) => rank(a[4]) - rank(b[4])),
        groups.toSorted((a, b) => a[2] - b[2]),
      ];
      pins = [
        ...ordered.map((point) => ({ ...place(point[1], point[2]), radius: SIZE / 2 - 2, point })),
        ...larger.map((group) => ({ ...place(group[0], group[1]), radius: groupRadius(group[2]), group })),
      ];
    },
    /** The point of a place, where it is a pin of its own. */
    find: (id: number | undefined) => pins.find(({ point }) => point?.[0] === id && point)?.point,
    sprite,
    /** Has pins painted anew: the colours are others. */
    forget: () => sprites.clear(),
    /**
     * Draws all pins in view but one.
     * @param hidden the place that is drawn by other means
     */
    draw(context: CanvasRenderingContext2D, { bounds, origin, world }: Frame, hidden: number | undefined) {
      const middle = (bounds.getCenter().x + origin.x) / world;
      const [min, max] = [
        bounds.getTopLeft().subtract([SIZE, SIZE]),
        bounds.getBottomRight().add([SIZE, SIZE]),
      ];
      Object.assign(context, {
        font: '600 13px system-ui, sans-serif',
        textAlign: 'center',
        textBaseline: 'middle',
      });
      for (const pin of pins) {
        // Of all copies of the world, in the one at the middle of the view.
        pin.px = Math.round((pin.x + Math.round(middle - pin.x)) * world - origin.x);
        pin.py = Math.round(pin.y * world - origin.y);
        if (pin.px < min.x || pin.px > max.x || pin.py < min.y || pin.py > max.y) continue;
        if (pin.group) paintGroup(context, pin, countText(pin.group[2]), colours());
        else if (pin.point && pin.point[0] !== hidden)
          context.drawImage(sprite(pin.point[4]), pin.px - SIZE / 2, pin.py - SIZE / 2, SIZE, SIZE);
      }
    },
    /**
     * The pin that a pointer means.
     * @param pointer in layer points
     * @param extra pixels around a pin that count as well
     */
    at({ x, y }: { x: number; y: number }, extra: number): Pin | undefined {
      let [nearest, found] = [Infinity, undefined as Pin | undefined];
      for (const pin of pins) {
        const far = Math.hypot(pin.px - x, pin.py - y);
        if (far < nearest && far <= pin.radius + extra) [nearest, found] = [far, pin];
      }
      return found;
    },
  };
}
