import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  boxAround,
  contains,
  mercator,
  metresBetween,
  nearestLng,
  parseBox,
  printBox,
  wrapBox,
  zoomOf,
} from '../../static/app/base/geo.js';
import { discRadius, mergeSpots } from '../../static/app/map/merge.js';
import { kilometresFrom } from '../../src/index/geo.ts';

// Places are known to a tenth of a metre.
const degrees = (most: number): fc.Arbitrary<number> =>
  fc.integer({ min: -most * 1e6, max: most * 1e6 }).map((millionths) => millionths / 1e6);
const lat = degrees(85);
const lng = degrees(180);
const position = fc.record({ lat, lng });

test('A box is read from an address as the API reads it', () => {
  assert.deepEqual(parseBox('12.4,41.8,12.6,42'), { w: 12.4, s: 41.8, e: 12.6, n: 42 });
  assert.deepEqual(parseBox('170,-20,-170,-10'), { w: 170, s: -20, e: -170, n: -10 });
  for (const text of ['', '1,2,3', '1,2,3,4,5', 'a,2,3,4', '1,,3,4', '1,4,3,2', '181,2,3,4', '1,-91,3,4'])
    assert.equal(parseBox(text), undefined, text);
  for (const absent of [null, undefined]) assert.equal(parseBox(absent), undefined);
});

test('A box is printed with four decimals, rounded outward', () => {
  assert.equal(
    printBox({ w: 12.43969917, s: 41.87313997, e: 12.52038002, n: 41.9268032 }),
    '12.4396,41.8731,12.5204,41.9269',
  );
  assert.equal(printBox({ w: -180, s: -90, e: 180, n: 90 }), '-180,-90,180,90');
  assert.equal(printBox({ w: -0.00001, s: -0.00001, e: 0, n: 0 }), '-0.0001,-0.0001,0,0');
});

test('A printed box holds what the box held, and prints the same again', () => {
  fc.assert(
    fc.property(position, position, (a, b) => {
      // Of what goes around all of the earth but for a few metres the rounding makes nothing at all.
      fc.pre(Math.abs(a.lng - b.lng) > 0.001);
      const box = { w: a.lng, e: b.lng, s: Math.min(a.lat, b.lat), n: Math.max(a.lat, b.lat) };
      const text = printBox(box);
      const read = parseBox(text);
      assert.ok(read && contains(read, a) && contains(read, b), text);
      assert.equal(printBox(read), text);
    }),
  );
});

test('A map that went around the world reports the same box as one that did not', () => {
  assert.deepEqual(wrapBox({ w: 170, s: -20, e: 190, n: -10 }), { w: 170, s: -20, e: -170, n: -10 });
  assert.deepEqual(wrapBox({ w: 530, s: -20, e: 550, n: -10 }), { w: 170, s: -20, e: -170, n: -10 });
  assert.deepEqual(wrapBox({ w: -370, s: 0, e: -350, n: 10 }), { w: -10, s: 0, e: 10, n: 10 });
  assert.deepEqual(wrapBox({ w: -200, s: -95, e: 300, n: 95 }), { w: -180, s: -90, e: 180, n: 90 });
});

test('Edges belong to a box, also where it crosses the antimeridian', () => {
  const pacific = { w: 170, s: -20, e: -170, n: -10 };
  for (const inside of [170, 180, -180, -170]) assert.ok(contains(pacific, { lat: -10, lng: inside }));
  for (const outside of [0, 169.9, -169.9]) assert.ok(!contains(pacific, { lat: -15, lng: outside }));
  assert.ok(!contains(pacific, { lat: -9.9, lng: 175 }));
});

test('Distances are those of the API', () => {
  assert.ok(Math.abs(metresBetween({ lat: 41.9, lng: 12.5 }, { lat: 48.86, lng: 2.35 }) - 1_107_000) < 3_000);
  fc.assert(
    fc.property(position, position, (a, b) => {
      const from = kilometresFrom({ latitude: a.lat, longitude: a.lng });
      const expected = 1_000 * from(b.lat, b.lng);
      assert.ok(Math.abs(metresBetween(a, b) - expected) < 0.5);
    }),
  );
});

test('The box around positions is the smallest, across the antimeridian where that is narrower', () => {
  assert.equal(boxAround([]), undefined);
  assert.deepEqual(boxAround([{ lat: 41.9, lng: 12.5 }]), { w: 12.5, s: 41.9, e: 12.5, n: 41.9 });
  const fiji = [
    { lat: -17, lng: 178 },
    { lat: -18, lng: -178 },
    { lat: -16, lng: -179.5 },
  ];
  assert.deepEqual(boxAround(fiji), { w: 178, s: -18, e: -178, n: -16 });
  fc.assert(
    fc.property(fc.array(position, { minLength: 1, maxLength: 20 }), (positions) => {
      const box = boxAround(positions);
      assert.ok(box && positions.every((one) => contains(box, one)));
      const width = box.e - box.w + (box.e < box.w ? 360 : 0);
      assert.ok(positions.length > 2 || width <= 180);
    }),
  );
});

test('A meridian is named by the longitude next to another', () => {
  assert.equal(nearestLng(-179, 179), 181);
  assert.equal(nearestLng(179, -179), -181);
  assert.equal(nearestLng(10, 730), 730);
});

test('Web Mercator puts the world into a square', () => {
  assert.deepEqual(mercator(0, 0), [0.5, 0.5]);
  assert.deepEqual(mercator(90, -180), mercator(85.05112878, -180));
  const [x, y] = mercator(85.05112878, 180);
  assert.equal(x, 1);
  assert.ok(Math.abs(y) < 1e-6);
});

test('A box gets the highest zoom at which it fits, and a single position not the highest of all', () => {
  const pixels = { width: 512, height: 512 };
  assert.equal(zoomOf({ w: -180, s: -85, e: 180, n: 85 }, pixels), 1);
  assert.equal(zoomOf({ w: 179, s: 0, e: -179, n: 1 }, pixels), 8);
  assert.equal(zoomOf({ w: 12, s: 41, e: 12, n: 41 }, pixels), 16);
  assert.equal(zoomOf({ w: -90, s: -10, e: 91, n: 10 }, pixels), 1);
  assert.equal(zoomOf({ w: -90, s: -10, e: 91, n: 10 }, pixels, 16, 0.2), 2);
});

test('Discs that cover each other by more than a quarter become one, and no place is lost', () => {
  const pixel = fc.integer({ min: 0, max: 800 });
  const spot = fc.record({ x: pixel, y: pixel, count: fc.integer({ min: 1, max: 500 }) });
  const places = (spots: readonly { readonly count: number }[]): number =>
    spots.reduce((sum, { count }) => sum + count, 0);
  fc.assert(
    fc.property(fc.array(spot, { maxLength: 200 }), (spots) => {
      const merged = mergeSpots(spots);
      assert.equal(places(merged), places(spots));
      merged.forEach((one, at) => {
        for (const other of merged.slice(at + 1)) {
          const [large, small] = [discRadius(one.count), discRadius(other.count)].sort((a, b) => b - a);
          const covered = (large ?? 0) + (small ?? 0) - Math.hypot(one.x - other.x, one.y - other.y);
          assert.ok(covered <= (2 * (small ?? 0)) / 4 + 1e-9, JSON.stringify([one, other]));
        }
      });
    }),
  );
  const apart = [
    { x: 0, y: 0, count: 2 },
    { x: 30, y: 0, count: 2 },
  ];
  assert.equal(mergeSpots(apart).length, 2);
});
