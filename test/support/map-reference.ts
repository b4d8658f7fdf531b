import assert from 'node:assert/strict';
import { openStorage } from '../../src/storage/storage.ts';
import type { Cleanup } from './cleanup.ts';
import { type Client, array, field } from './client.ts';
import { changeStored } from './people.ts';
import { type Service, startService, temporaryFolder } from './service.ts';

/** A place as a map has to show it. */
export interface Placed {
  readonly id: number;
  readonly name: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly overall: number | null;
  readonly flags: number;
}

/** West, south, east and north, in degrees. */
export type Edges = readonly [west: number, south: number, east: number, north: number];

type Group = readonly [latitude: number, longitude: number, count: number];

/** What a map has to show, by the plainest way to find it. */
export interface Reference {
  readonly total: number;
  readonly points: readonly (readonly unknown[])[];
  readonly groups: readonly Group[];
}

/** How many points, and how many groups, there are at most. */
export const MOST = { points: 1_000, groups: 400 };
// Means are answered with six decimals.
const ROUNDING = 1.1e-6;

/** Looks all places over, and doubles the cells one time after the other. */
export function referenceMap(places: readonly Placed[], box: Edges, zoom: number): Reference {
  const inside = places.filter((place) => isInside(place, box));
  for (let size = 64; ; size *= 2) {
    const cells = new Map<string, Placed[]>();
    for (const place of inside) {
      const cell = inside.length <= MOST.points ? String(place.id) : cellOf(place, zoom, size);
      cells.set(cell, [...(cells.get(cell) ?? []), place]);
    }
    const members = [...cells.values()];
    const alone = members.filter(({ length }) => length === 1).flat();
    const groups = members.filter(({ length }) => length > 1);
    if (alone.length > MOST.points || groups.length > MOST.groups) continue;
    return {
      total: inside.length,
      points: alone
        .sort((left, right) => left.id - right.id)
        .map(({ id, latitude, longitude, overall, flags, name }) => {
          return [id, latitude, longitude, overall, flags, name];
        }),
      groups: groups.map((group) => meanOf(group, box)),
    };
  }
}

function isInside({ latitude, longitude }: Placed, [west, south, east, north]: Edges): boolean {
  const isBetween =
    west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east;
  return latitude >= south && latitude <= north && isBetween;
}

/** The cell of a place, of so many pixels, by the formulas for Web Mercator. */
function cellOf({ latitude, longitude }: Placed, zoom: number, size: number): string {
  const world = 256 * 2 ** zoom;
  const angle = (latitude * Math.PI) / 180;
  const x = ((longitude + 180) / 360) * world;
  const y = ((1 - Math.log(Math.tan(angle) + 1 / Math.cos(angle)) / Math.PI) / 2) * world;
  const within = (pixels: number): number => Math.floor(Math.min(world - 1e-9, Math.max(0, pixels)) / size);
  return `${within(x)},${within(y)}`;
}

/** The mean, its longitude by the distances from the middle of the box. */
function meanOf(group: readonly Placed[], [west, , east]: Edges): Group {
  const middle = (west + (east < west ? east + 360 : east)) / 2;
  const mean = (of: (place: Placed) => number): number =>
    group.reduce((sum, place) => sum + of(place), 0) / group.length;
  const away = mean(({ longitude }) => turned(longitude - middle));
  return [mean(({ latitude }) => latitude), turned(middle + away), group.length];
}

/** The same direction between -180 and 180 degrees. */
function turned(degrees: number): number {
  return ((((degrees + 180) % 360) + 360) % 360) - 180;
}

/** Throws unless the map of a box is that of the reference. */
export async function checkMap(
  api: Client,
  places: readonly Placed[],
  box: Edges,
  zoom: number,
): Promise<Reference> {
  const where = `bbox=${box.join(',')}&zoom=${zoom}`;
  const { status, body } = await api.get(`/restaurants/map?${where}`);
  assert.equal(status, 200, where);
  const expected = referenceMap(places, box, zoom);
  assert.equal(field(body, 'total'), expected.total, where);
  assert.deepEqual(field(body, 'points'), expected.points, where);
  const groups = array(field(body, 'groups')).map(groupOf);
  const descending = counts(expected.groups).toSorted((left, right) => right - left);
  assert.deepEqual(counts(groups), descending, where);
  const left = new Set(expected.groups);
  for (const group of groups) {
    const same = [...left].find((one) => isSame(one, group));
    assert.ok(same, `${where}: no group of ${group[2]} at ${group[0]},${group[1]}`);
    left.delete(same);
  }
  return expected;
}

const counts = (groups: readonly Group[]): readonly number[] => groups.map(([, , count]) => count);

function groupOf(group: unknown): Group {
  const [latitude = NaN, longitude = NaN, count = NaN] = array(group).map(Number);
  return [latitude, longitude, count];
}

function isSame([latitude, longitude, count]: Group, other: Group): boolean {
  const isNear =
    Math.abs(latitude - other[0]) < ROUNDING && Math.abs(turned(longitude - other[1])) < ROUNDING;
  return isNear && count === other[2];
}

/** A service that starts on a catalogue with a restaurant at each of these points, `[latitude, longitude]`. */
export async function startCrowded(
  t: Cleanup,
  points: readonly (readonly [number, number])[],
): Promise<{ readonly service: Service; readonly places: readonly Placed[] }> {
  const folder = temporaryFolder(t);
  openStorage(folder).close();
  changeStored(
    folder,
    `INSERT INTO restaurants
       (id, name, latitude, longitude, status, identity_key, search_name, search_text, created_at, updated_at)
     SELECT key + 1, 'Place ' || key, value ->> 0, value ->> 1, 'active', 'place ' || key, 'place ' || key, '', :at, :at
     FROM json_each(:points)`
      .replaceAll(':at', "'2026-01-31T18:05:09.123Z'")
      .replace(':points', '?'),
    JSON.stringify(points),
  );
  changeStored(folder, 'UPDATE id_sequence SET last_id = ?', points.length);
  const service = await startService(t, { DATA_DIR: folder });
  const places = points.map(([latitude, longitude], index) => {
    return { id: index + 1, name: `Place ${index}`, latitude, longitude, overall: null, flags: 0 };
  });
  return { service, places };
}
