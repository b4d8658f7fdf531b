import type { MapPoint, PlaceMap } from '../../index/request.ts';
import type { QueryFile } from '../../storage/statements.ts';
import type { OwnPlaces } from './filters.ts';

type PointText = readonly [
  id: number,
  latitude: number,
  longitude: number,
  overall: number | null,
  flags: number,
  name: string,
];

const STATUS_FLAGS: Readonly<Record<MapPoint['status'], number>> = {
  active: 0,
  pending: 1,
  temporarily_closed: 2,
  closed: 4,
};
/** Flags for the caller's lists and visits. */
const OWN_FLAGS: readonly (readonly [flag: number, read: (own: OwnPlaces) => readonly number[]])[] = [
  [8, (own) => own.on('want')],
  [16, (own) => own.on('favourites')],
  [32, (own) => own.visited()],
];

/** Writes a map as JSON; with `own`, places on the caller's lists or visited get flags. */
export type MapWriter = (map: PlaceMap, own: OwnPlaces | undefined) => string;

/** `sql` is restaurants.sql. */
export function createMapWriter(sql: QueryFile): MapWriter {
  const readNames = sql.prepare<readonly [id: number, name: string | null]>('readNames').raw();
  return ({ total, points, groups }, own) => {
    const names = new Map(readNames.all({ ids: JSON.stringify(points.map(({ id }) => id)) }));
    const noted = own ? OWN_FLAGS.map(([flag, read]) => [flag, new Set(read(own))] as const) : [];
    const texts = points.flatMap(({ id, latitude, longitude, overall, status }): PointText[] => {
      const name = names.get(id) ?? null;
      // Another process may have deleted a place that is still in the index.
      if (name === null) return [];
      const flags = noted.reduce((sum, [flag, ids]) => sum + (ids.has(id) ? flag : 0), STATUS_FLAGS[status]);
      // `overall` is 0 without ratings.
      return [[id, latitude, longitude, overall || null, flags, name]];
    });
    return JSON.stringify({ total: total - points.length + texts.length, points: texts, groups });
  };
}
