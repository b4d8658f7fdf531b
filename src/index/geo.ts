export interface Point {
  readonly latitude: number;
  readonly longitude: number;
}

/** A range of latitudes and longitudes, in degrees. */
export interface Box {
  readonly south: number;
  readonly north: number;
  readonly west: number;
  readonly east: number;
}

/** Mean Earth radius in kilometres, as defined by the International Union of Geodesy and Geophysics. */
const EARTH_RADIUS_KM = 6371.0088;
/** The longest possible distance between two places, in kilometres. */
export const MAX_DISTANCE_KM = 20_038;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;
const degrees = (angle: number): number => (angle * 180) / Math.PI;

/** Returns a function for the great-circle distance from a point, in kilometres (haversine). */
export function kilometresFrom({
  latitude,
  longitude,
}: Point): (latitude: number, longitude: number) => number {
  const cosine = Math.cos(radians(latitude));
  return (otherLatitude, otherLongitude) => {
    const north = Math.sin(radians(otherLatitude - latitude) / 2);
    const east = Math.sin(radians(otherLongitude - longitude) / 2);
    const square = north * north + cosine * Math.cos(radians(otherLatitude)) * east * east;
    // Rounding may push antipodes a hair over 1.
    return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(square)));
  };
}

/** A point as x, y and z on the unit sphere. */
export function unitVector({ latitude, longitude }: Point): readonly [number, number, number] {
  const cosine = Math.cos(radians(latitude));
  return [
    cosine * Math.cos(radians(longitude)),
    cosine * Math.sin(radians(longitude)),
    Math.sin(radians(latitude)),
  ];
}

/** The squared chord length on the unit sphere for a distance in kilometres. */
export function squaredChord(kilometres: number): number {
  return (2 * Math.sin(Math.min(kilometres / (2 * EARTH_RADIUS_KM), Math.PI / 2))) ** 2;
}

/** The inverse of `squaredChord`. */
export function kilometresOf(chord: number): number {
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(chord) / 2));
}

/** The largest zoom of a map. The world is 256 x 2^zoom pixels wide. */
export const FINEST_ZOOM = 22;
/** Cells are 64 pixels wide, so a row of the finest grid has 2^24; after this many doublings, one cell covers the world. */
export const DOUBLINGS = FINEST_ZOOM + 2;

/** The cell of a point in the finest Web Mercator grid, from the north-west corner; points beyond its edges go to the outermost cells. */
export function finestCell({ latitude, longitude }: Point): readonly [x: number, y: number] {
  const sine = Math.sin((latitude * Math.PI) / 180);
  return [cellAt(longitude / 360 + 0.5), cellAt(0.5 - Math.atanh(sine) / (2 * Math.PI))];
}

function cellAt(share: number): number {
  const cells = 2 ** DOUBLINGS;
  return Math.min(cells - 1, Math.max(0, Math.floor(share * cells)));
}

/**
 * Compares two cells by their positions along a Morton curve, which visits all of a square, of any size, before it leaves
 * it.
 */
export function compareCells(x: number, y: number, otherX: number, otherY: number): number {
  // The highest differing bit decides (Chan, "Closest-point problems simplified on the RAM").
  const differentX = x ^ otherX;
  const differentY = y ^ otherY;
  const isByY = differentX < differentY && differentX < (differentX ^ differentY);
  return isByY ? y - otherY : x - otherX;
}

/** The box, in degrees, that contains every point within `radiusKm`. */
export function boxAround({ latitude, longitude }: Point, radiusKm: number): Box {
  // Slightly wider than the circle, to allow for rounding.
  const angle = (radiusKm / EARTH_RADIUS_KM) * 1.000001 + 1e-9;
  const [south, north] = [latitude - degrees(angle), latitude + degrees(angle)];
  // With a pole in it, the circle meets every meridian.
  if (south <= -90 || north >= 90) return { south, north, west: -180, east: 180 };
  const wide = degrees(Math.asin(Math.min(1, Math.sin(angle) / Math.cos(radians(latitude))))) * 1.000001;
  const [west, east] = [longitude - wide, longitude + wide];
  return { south, north, west: west < -180 ? west + 360 : west, east: east > 180 ? east - 360 : east };
}
