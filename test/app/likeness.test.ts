import assert from 'node:assert/strict';
import { test } from 'node:test';
import { likeness } from '../../static/app/suggestions/likeness.js';

const NOTHING = { address: null, phone: null, website: null, category: null };
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
    assert.ok(likeness(of(one), of(other))?.name);
    assert.ok(likeness(of(other), of(one))?.name);
  });

for (const [one, other] of OTHERS)
  test(`${one} does not look like ${other}`, () => {
    assert.equal(likeness(of(one), of(other)), undefined);
  });

test('Places under one phone number look alike, however it is written', () => {
  const found = likeness(of('A', { phone: '+39 06 581 2260' }), of('B', { phone: '06/5812260' }));
  assert.deepEqual(found?.same, ['phone']);
});

test('Places look alike that share a street with its number, and a category alone says nothing', () => {
  const address = { address: 'Via dei Vascellari 29, Roma' };
  assert.deepEqual(likeness(of('A', address), of('B', { address: 'Via dei Vascellari 29' }))?.same, [
    'street',
  ]);
  const thai = { category: { id: 3, name: 'Thai' } };
  assert.equal(likeness(of('A', thai), of('B', thai)), undefined);
});

test('Only what both have is compared', () => {
  const one = of('Soba Ya', {
    category: { id: 3, name: 'Thai' },
    phone: '110',
    website: 'https://www.soba.example/a',
    address: 'A 1',
  });
  const other = of('Soba Ya', {
    category: { id: 4, name: 'Japanese' },
    phone: '112',
    website: 'http://soba.example',
  });
  assert.deepEqual(likeness(one, other), {
    name: 'same',
    same: ['website'],
    different: ['category'],
  });
});
