import { placeKey } from './query.js';
import type { Restaurant, Position } from '../base/types.js';
import type { MapAnswer, MapPoint } from '../map/types.js';

const STATUS_FLAG: Readonly<Record<string, number>> = { temporarily_closed: 2, closed: 4 };

/** An answer of GET /restaurants/map with the keys of places in place of their ids. */
export const keyedPins = ({ points, ...rest }: MapAnswer): MapAnswer => ({
  ...rest,
  points: points.map(([id, lat, lng, overall, flags, name]) => {
    const key = placeKey({ id, is_suggestion: (flags & 1) === 1 });
    return [key, lat, lng, overall, flags, name] as MapPoint;
  }),
});

/** The pins of places that are known as rows. */
export function rowPins(rows: readonly Restaurant[]): MapAnswer {
  const points = rows.flatMap((row) => {
    const { latitude, longitude, name, status, mine, avg_rating: means } = row;
    if (latitude === null || longitude === null) return [];
    const own = mine ? Number(mine.want) * 8 + Number(mine.favourite) * 16 + Number(mine.visits > 0) * 32 : 0;
    const flags = Number(row.is_suggestion) + (STATUS_FLAG[status] ?? 0) + own;
    const overall = means.count === 0 ? null : means.overall;
    return [[placeKey(row), latitude, longitude, overall, flags, name] as MapPoint];
  });
  return { total: points.length, points, groups: [] };
}

/** Where the pins are, each group as one. */
export const pinPositions = ({ points, groups }: MapAnswer): Position[] => [
  ...points.map(([, lat, lng]) => ({ lat, lng })),
  ...groups.map(([lat, lng]) => ({ lat, lng })),
];
