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

/** Mean Earth radius in kilometres, of the International Union of Geodesy and Geophysics. */
const EARTH_RADIUS_KM = 6371.0088;
/** No two places are further apart, in kilometres. */
export const MAX_DISTANCE_KM = 20_038;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;
const degrees = (angle: number): number => (angle * 180) / Math.PI;

/** Makes a function of the great-circle distance in kilometres (haversine) from a point. */
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

/** The square of the chord of the unit sphere between two points that are so many kilometres apart. */
export function squaredChord(kilometres: number): number {
  return (2 * Math.sin(Math.min(kilometres / (2 * EARTH_RADIUS_KM), Math.PI / 2))) ** 2;
}

/** The kilometres of a squared chord. */
export function kilometresOf(chord: number): number {
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(chord) / 2));
}

/** The greatest zoom of a map, whose world is 256 x 2^zoom pixels wide. */
export const FINEST_ZOOM = 22;
/** Cells are 64 pixels wide, so that the finest grid has 2^24 of them in a row; when they have doubled so often, there is one. */
export const DOUBLINGS = FINEST_ZOOM + 2;

/** The cell of a point in the finest grid of Web Mercator, counted from the west and from the north; what lies beyond its edges is in the outermost cells. */
export function finestCell({ latitude, longitude }: Point): readonly [x: number, y: number] {
  const sine = Math.sin((latitude * Math.PI) / 180);
  return [cellAt(longitude / 360 + 0.5), cellAt(0.5 - Math.atanh(sine) / (2 * Math.PI))];
}

function cellAt(share: number): number {
  const cells = 2 ** DOUBLINGS;
  return Math.min(cells - 1, Math.max(0, Math.floor(share * cells)));
}

/** The latitudes, in degrees, between which every point within `radiusKm` lies. */
export function latitudesAround(
  { latitude }: Point,
  radiusKm: number,
): { readonly south: number; readonly north: number } {
  // A little more than the circle, since the arithmetic rounds.
  const angle = degrees((radiusKm / EARTH_RADIUS_KM) * 1.000001 + 1e-9);
  return { south: latitude - angle, north: latitude + angle };
}
