import assert from 'node:assert/strict';
import { test } from 'node:test';
import { likeness } from '../../static/app/base/likeness.js';

const NOTHING = { id: 1, address: null, phone: null, website: null, category: null };
const of = (name: string, facts: object = {}): Parameters<typeof likeness>[0] => ({
  ...NOTHING,
  name,
  ...facts,
});

const ALIKE: readonly (readonly [string, string])[] = [
  ['Soba Ya', 'Soba-ya Kichi'],
  ['Café Lilas', 'CAFE LILAS'],
  ['Pizzeria da Gino', 'Pizzeria Gino'],
  ['蕎麦屋 吉', '蕎麦屋吉'],
  ['Ресторан Пушкин', 'ресторан «Пушкин»'],
];

const OTHERS: readonly (readonly [string, string])[] = [
  ['Soba Ya', 'Green Bowl'],
  ['Da Enzo', 'Da Gino'],
  ['Le Petit Four', 'Le Grand Four'],
  ['!!!', '???'],
];

for (const [one, other] of ALIKE)
  test(`${one} looks like ${other}`, () => {
    assert.equal(likeness(of(one), of(other)).isAlike, true);
    assert.equal(likeness(of(other), of(one)).isAlike, true);
  });

for (const [one, other] of OTHERS)
  test(`${one} does not look like ${other}`, () => {
    assert.equal(likeness(of(one), of(other)).isAlike, false);
  });

test('Places under one phone number look alike, however it is written', () => {
  const { isAlike, same } = likeness(of('A', { phone: '+39 06 581 2260' }), of('B', { phone: '06/5812260' }));
  assert.equal(isAlike, true);
  assert.deepEqual(same, ['phone']);
});

test('Places look alike that share a street with its number, and a category alone says nothing', () => {
  const address = { address: 'Via dei Vascellari 29, Roma' };
  assert.equal(likeness(of('A', address), of('B', { address: 'Via dei Vascellari 29' })).isAlike, true);
  assert.equal(likeness(of('A', { category: { id: 3 } }), of('B', { category: { id: 3 } })).isAlike, false);
});

test('Only what both have is compared', () => {
  const one = of('Soba Ya', {
    category: { id: 3 },
    phone: '110',
    website: 'https://www.soba.example/a',
    address: 'A 1',
  });
  const other = of('Soba Ya', { category: { id: 4 }, phone: '112', website: 'http://soba.example' });
  assert.deepEqual(likeness(one, other), {
    isAlike: true,
    same: ['name', 'website'],
    different: ['category'],
  });
});
