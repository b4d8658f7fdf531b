import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { boxAround, kilometresFrom } from '../../src/index/geo.ts';
import { randomNumbers, referenceDistance } from '../support/catalogue.ts';

describe('the distance', () => {
  test('is that of an independent calculation, from metres to antipodes', () => {
    const random = randomNumbers(3);
    for (let round = 0; round < 5_000; round += 1) {
      const scale = 10 ** (-6 * random());
      const from = { latitude: random() * 180 - 90, longitude: random() * 360 - 180 };
      const to = {
        latitude: Math.max(-90, Math.min(90, from.latitude + (random() - 0.5) * 180 * scale)),
        longitude: from.longitude + (random() - 0.5) * 360 * scale,
      };
      const expected = referenceDistance([from.latitude, from.longitude], [to.latitude, to.longitude]);
      assert.ok(
        Math.abs(kilometresFrom(from)(to.latitude, to.longitude) - expected) < 1e-4,
        JSON.stringify([from, to]),
      );
    }
  });

  test('is a number for exact antipodes and the same point', () => {
    const point = { latitude: 12.3456789, longitude: -45.678901 };
    assert.equal(kilometresFrom(point)(point.latitude, point.longitude), 0);
    const antipode = { latitude: -point.latitude, longitude: point.longitude + 180 };
    assert.ok(
      Math.abs(kilometresFrom(point)(antipode.latitude, antipode.longitude) - Math.PI * 6371.0088) < 1e-6,
    );
  });
});

describe('the latitudes around a place', () => {
  test('hold every point within the radius, at the poles, too', () => {
    const random = randomNumbers(11);
    let within = 0;
    for (let round = 0; round < 20_000; round += 1) {
      const extreme = random() < 0.3;
      const centre = {
        latitude: extreme ? (random() < 0.5 ? -90 : 90) * (1 - random() * 0.01) : random() * 180 - 90,
        longitude: extreme ? (random() < 0.5 ? -180 : 180) * (1 - random() * 0.01) : random() * 360 - 180,
      };
      const radius = 10 ** (random() * 5.3 - 1);
      const spread = Math.min(180, radius / 50);
      const latitude = Math.max(-90, Math.min(90, centre.latitude + (random() - 0.5) * spread));
      const longitude = ((centre.longitude + (random() - 0.5) * 2 * spread + 540) % 360) - 180;
      if (kilometresFrom(centre)(latitude, longitude) > radius) continue;
      within += 1;
      const { south, north, west, east } = boxAround(centre, radius);
      const isBetween = longitude >= west && longitude <= east;
      const isBetweenMeridians = west <= east ? isBetween : longitude >= west || longitude <= east;
      assert.ok(
        latitude >= south && latitude <= north && isBetweenMeridians,
        JSON.stringify({ centre, radius, latitude, longitude }),
      );
    }
    assert.ok(within > 1_000, `${within} points were within`);
  });

  test('are small for a small radius', () => {
    const { south, north, west, east } = boxAround({ latitude: 48.8566, longitude: 2.3522 }, 1);
    assert.ok(north - south < 0.02);
    assert.ok(east - west < 0.03);
  });
});
