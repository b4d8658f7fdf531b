import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nearlyNamed } from '../../src/input/nearly.ts';

const NAMES = [
  ...['q', 'lat', 'lng', 'sort', 'limit', 'cursor', 'radius'],
  ...['category_id', 'food_type_ids', 'min_rating'],
];

describe('a name that is nearly another', () => {
  const near: readonly (readonly [string, readonly string[]])[] = [
    ['category_id', ['Category-ID', 'categoryId', 'category', 'category_ids', 'categorys', 'ctaegroy_id']],
    ['food_type_ids', ['food_type', 'foodtypes']],
    ['lat', ['LAT', 'lats']],
    ['sort', ['srot', 'sor', 'sortt', 'port']],
    ['limit', ['limits']],
    ['min_rating', ['min_ratng', 'minratin']],
  ];
  test('is found', () => {
    for (const [name, given] of near)
      for (const one of given) assert.deepEqual(nearlyNamed(one, NAMES), [name], one);
  });

  const far = ['sort', 'lag', 'long', 'p', 's', '_id', '', '-', 'srrtt', 'crsr', 'page', 'min_rtg', 'foo'];
  test('is not found where it is too far', () => {
    for (const given of far) assert.deepEqual(nearlyNamed(given, NAMES), [], JSON.stringify(given));
  });

  test('is the nearest one, and all of those that are as near', () => {
    assert.deepEqual(nearlyNamed('types', ['type', 'tyres', 'type_ids']), ['type', 'type_ids']);
    assert.deepEqual(nearlyNamed('cart', ['card', 'cars', 'carts']), ['carts']);
    assert.deepEqual(nearlyNamed('care', ['card', 'cars', 'house']), ['card', 'cars']);
    assert.deepEqual(nearlyNamed('card', ['card', 'cars']), []);
  });
});
