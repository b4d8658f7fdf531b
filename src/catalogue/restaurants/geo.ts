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

/** The latitudes, in degrees, between which every point within `radiusKm` lies. */
export function latitudesAround(
  { latitude }: Point,
  radiusKm: number,
): { readonly south: number; readonly north: number } {
  // A little more than the circle, since the arithmetic rounds.
  const angle = degrees((radiusKm / EARTH_RADIUS_KM) * 1.000001 + 1e-9);
  return { south: latitude - angle, north: latitude + angle };
}
