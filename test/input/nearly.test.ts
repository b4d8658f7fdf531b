import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nearlyNamed } from '../../src/input/nearly.ts';

const NAMES = [
  'q',
  'lat',
  'lng',
  'sort',
  'limit',
  'cursor',
  'radius',
  'category_id',
  'food_type_ids',
  'min_rating',
];

describe('a name that is nearly another', () => {
  const near: readonly (readonly [string, readonly string[]])[] = [
    ['Category-ID', ['category_id']],
    ['categoryId', ['category_id']],
    ['category', ['category_id']],
    ['category_ids', ['category_id']],
    ['categorys', ['category_id']],
    ['food_type', ['food_type_ids']],
    ['foodtypes', ['food_type_ids']],
    ['LAT', ['lat']],
    ['lats', ['lat']],
    ['srot', ['sort']],
    ['sor', ['sort']],
    ['sortt', ['sort']],
    ['port', ['sort']],
    ['limits', ['limit']],
    ['categroy_id', ['category_id']],
    ['ctaegroy_id', ['category_id']],
    ['min_ratng', ['min_rating']],
    ['minratin', ['min_rating']],
  ];
  for (const [given, expected] of near)
    test(`is found: ${given} for ${expected.join()}`, () => {
      assert.deepEqual(nearlyNamed(given, NAMES), expected);
    });

  for (const given of [
    'sort',
    'lag',
    'long',
    'p',
    's',
    '_id',
    '',
    '-',
    'srrtt',
    'crsr',
    'page',
    'min_rtg',
    'foo',
  ])
    test(`is not found: ${JSON.stringify(given)}`, () => {
      assert.deepEqual(nearlyNamed(given, NAMES), []);
    });

  test('is the nearest one, and all of those that are as near', () => {
    assert.deepEqual(nearlyNamed('types', ['type', 'tyres', 'type_ids']), ['type', 'type_ids']);
    assert.deepEqual(nearlyNamed('cart', ['card', 'cars', 'carts']), ['carts']);
    assert.deepEqual(nearlyNamed('care', ['card', 'cars', 'house']), ['card', 'cars']);
    assert.deepEqual(nearlyNamed('card', ['card', 'cars']), []);
  });
});
