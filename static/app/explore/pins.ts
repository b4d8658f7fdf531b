import { marksOf, meansOf } from '../state/places.js';
import { state } from '../state/store.js';
import { placeKey } from './query.js';
import type { Restaurant, Position } from '../base/types.js';
import type { MapAnswer, MapPoint } from '../map/types.js';

const STATUS_FLAG: Readonly<Record<string, number>> = { temporarily_closed: 2, closed: 4 };

/** An answer of GET /restaurants/map with the keys of places in place of their ids. */
export const keyedPins = ({ points, ...rest }: MapAnswer): MapAnswer => ({
  ...rest,
  points: points.map(([id, lat, lng, overall, flags, name]): MapPoint => {
    const key = placeKey({ id, is_suggestion: (flags & 1) === 1 });
    // What the reader did is known here alone, and a rating of a moment ago as well.
    const place = state.places.get(key);
    const mean = place ? overallOf(place) : overall;
    return [key, lat, lng, mean, flags | ownFlags({ id: key, is_suggestion: key < 0 }), name];
  }),
});

/** The mean of all ratings of a place; null without any. */
function overallOf(place: Restaurant) {
  const { count, overall } = place.is_suggestion ? place.avg_rating : meansOf(place);
  return count === 0 ? null : overall;
}

/** What the reader did with a place, as bits of its flags. */
function ownFlags({ id, is_suggestion: isPending }: Pick<Restaurant, 'id' | 'is_suggestion'>) {
  const marks = isPending ? undefined : marksOf(id);
  if (!marks) return 0;
  return Number(marks.want) * 8 + Number(marks.favourite) * 16 + Number(marks.visits > 0) * 32;
}

/** The pins of places that are known as rows. */
export function rowPins(rows: readonly Restaurant[]): MapAnswer {
  const points = rows.flatMap((row): MapPoint[] => {
    const { latitude, longitude, name, status } = row;
    if (latitude === null || longitude === null) return [];
    const flags = Number(row.is_suggestion) + (STATUS_FLAG[status] ?? 0) + ownFlags(row);
    return [[placeKey(row), latitude, longitude, overallOf(row), flags, name]];
  });
  return { total: points.length, points, groups: [] };
}

/** Where the pins are, each group as one. */
export const pinPositions = ({ points, groups }: MapAnswer): Position[] => [
  ...points.map(([, lat, lng]) => ({ lat, lng })),
  ...groups.map(([lat, lng]) => ({ lat, lng })),
];
