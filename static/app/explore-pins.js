import { placeKey } from './explore-query.js';

/**
 * @import { Restaurant } from './types.js'
 * @import { MapAnswer, MapPoint, Position } from './map-types.js'
 */

/** @type {Readonly<Record<string, number>>} */
const STATUS_FLAG = { temporarily_closed: 2, closed: 4 };

/**
 * An answer of GET /restaurants/map with the keys of places in place of their ids.
 * @param {MapAnswer} answer
 * @returns {MapAnswer}
 */
export const keyedPins = ({ points, ...rest }) => ({
  ...rest,
  points: points.map(([id, lat, lng, overall, flags, name]) => {
    const key = placeKey({ id, is_suggestion: (flags & 1) === 1 });
    return /** @type {MapPoint} */ ([key, lat, lng, overall, flags, name]);
  }),
});

/**
 * The pins of places that are known as rows.
 * @param {readonly Restaurant[]} rows
 * @returns {MapAnswer}
 */
export function rowPins(rows) {
  const points = rows.flatMap((row) => {
    const { latitude, longitude, name, status, mine, avg_rating: means } = row;
    if (latitude === null || longitude === null) return [];
    const own = mine ? Number(mine.want) * 8 + Number(mine.favourite) * 16 + Number(mine.visits > 0) * 32 : 0;
    const flags = Number(row.is_suggestion) + (STATUS_FLAG[status] ?? 0) + own;
    const overall = means.count === 0 ? null : means.overall;
    return [/** @type {MapPoint} */ ([placeKey(row), latitude, longitude, overall, flags, name])];
  });
  return { total: points.length, points, groups: [] };
}

/**
 * Where the pins are, each group as one.
 * @param {MapAnswer} answer
 * @returns {Position[]}
 */
export const pinPositions = ({ points, groups }) => [
  ...points.map(([, lat, lng]) => ({ lat, lng })),
  ...groups.map(([lat, lng]) => ({ lat, lng })),
];
