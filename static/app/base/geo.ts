import type { Box, Position } from './types.js';

const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value));

/** The box that `bbox=w,s,e,n` of the API means, or undefined where the API would refuse it. */
export function parseBox(text: string | null | undefined): Box | undefined {
  const parts = (text ?? '').split(',').map((part) => (part.trim() === '' ? NaN : Number(part)));
  const [w = NaN, s = NaN, e = NaN, n = NaN] = parts;
  const isOnEarth = Math.abs(w) <= 180 && Math.abs(e) <= 180 && s >= -90 && s <= n && n <= 90;
  return parts.length === 4 && isOnEarth ? { w, s, e, n } : undefined;
}

/** `w,s,e,n` for a URL, rounded outward to four decimals (11 m). A parsed box prints as it was. */
export function printBox({ w, s, e, n }: Box) {
  // 10,000 times a figure of four decimals may differ a little from the whole number that it stands for.
  const down = (value: number) => Math.floor(value * 1e4 + 1e-6) / 1e4;
  const up = (value: number) => Math.ceil(value * 1e4 - 1e-6) / 1e4;
  const [west, east] = [clamp(down(w), -180, 180), clamp(up(e), -180, 180)];
  return [west, clamp(down(s), -90, 90), east, clamp(up(n), -90, 90)].join(',');
}

/** The same meridian, as near to another longitude as possible. */
export const nearestLng = (lng: number, to: number) => lng + 360 * Math.round((to - lng) / 360);

/** A box as the API takes it, of one beyond 180 degrees, as of a map that was moved around the world; `w` less than `e`. */
export function wrapBox({ w, s, e, n }: Box): Box {
  const lats = { s: clamp(s, -90, 90), n: clamp(n, -90, 90) };
  if (e - w >= 360) return { w: -180, e: 180, ...lats };
  const west = nearestLng(w, 0);
  const east = west + (e - w);
  return { w: west, e: east > 180 ? east - 360 : east, ...lats };
}

/** Whether a position lies in the box; its edges belong to it. */
export const contains = ({ w, s, e, n }: Box, { lat, lng }: Position) =>
  lat >= s && lat <= n && (w <= e ? lng >= w && lng <= e : lng >= w || lng <= e);

/** Metres between two positions (haversine, as the API measures). */
export function metresBetween(a: Position, b: Position) {
  const half = (degrees: number) => Math.sin((degrees * Math.PI) / 360) ** 2;
  const cosine = (degrees: number) => Math.cos((degrees * Math.PI) / 180);
  const chord = half(b.lat - a.lat) + cosine(a.lat) * cosine(b.lat) * half(b.lng - a.lng);
  return 2 * 6_371_008.8 * Math.asin(Math.sqrt(Math.min(1, chord)));
}

/** The smallest box around all positions, across the antimeridian where that is narrower; undefined for none. */
export function boxAround(positions: readonly Position[]): Box | undefined {
  const lats = positions.map(({ lat }) => lat).sort((a, b) => a - b);
  const lngs = positions.map(({ lng }) => lng).sort((a, b) => a - b);
  const [s, n, first, last] = [lats[0], lats.at(-1), lngs[0], lngs.at(-1)];
  if (s === undefined || n === undefined || first === undefined || last === undefined) return undefined;
  let [w, e, gap] = [first, last, first + 360 - last];
  lngs.forEach((lng, at) => {
    const before = lngs[at - 1] ?? lng;
    if (lng - before > gap) [w, e, gap] = [lng, before, lng - before];
  });
  return { w, s, e, n };
}

export const centerOf = ({ w, s, e, n }: Box): Position => ({
  lat: (s + n) / 2,
  lng: nearestLng((w + e) / 2 + (e < w ? 180 : 0), 0),
});

/** The box around a circle with a radius in metres. */
export function boxAroundCircle({ lat, lng }: Position, metres: number): Box {
  const high = metres / 111_195;
  const wide = Math.min(180, high / Math.max(0.01, Math.cos((lat * Math.PI) / 180)));
  return wrapBox({ w: lng - wide, s: lat - high, e: lng + wide, n: lat + high });
}

/** Where a position lies in Web Mercator, west to east and north to south, each from 0 to 1. */
export function mercator(lat: number, lng: number): [x: number, y: number] {
  const sine = Math.sin((clamp(lat, -85.05112878, 85.05112878) * Math.PI) / 180);
  return [lng / 360 + 0.5, 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)];
}

/**
 * The highest whole zoom, 0 to `max`, at which a box fits into `size`, in pixels.
 * @param slack the share of a zoom level by which the box may be too large
 */
export function zoomOf({ w, s, e, n }: Box, size: { width: number; height: number }, max = 16, slack = 0) {
  const wide = (e < w ? e - w + 360 : e - w) / 360;
  const high = mercator(s, 0)[1] - mercator(n, 0)[1];
  const zoom = Math.log2(Math.min(size.width / wide, size.height / high) / 256);
  return clamp(Math.floor(zoom + slack), 0, max);
}
