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

/** The range of latitudes, in degrees, that contains every point within `radiusKm`. */
export function latitudesAround(
  { latitude }: Point,
  radiusKm: number,
): { readonly south: number; readonly north: number } {
  // Slightly wider than the circle, to allow for rounding.
  const angle = degrees((radiusKm / EARTH_RADIUS_KM) * 1.000001 + 1e-9);
  return { south: latitude - angle, north: latitude + angle };
}
