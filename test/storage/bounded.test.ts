import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createBounded } from '../../src/storage/bounded.ts';

const count = (held: { get: (key: number) => number | undefined }, most: number): number =>
  Array.from({ length: most }, (_, key) => held.get(key)).filter((value) => value !== undefined).length;

describe('a bounded map', () => {
  test('gives what was put in, until it is deleted or replaced', () => {
    const held = createBounded<string, number>(10_000);
    assert.equal(held.get('a'), undefined);
    held.set('a', 1, 10);
    held.set('b', 2, 10);
    assert.deepEqual([held.get('a'), held.get('b')], [1, 2]);
    held.set('a', 3, 10);
    assert.equal(held.get('a'), 3);
    held.delete('a');
    held.delete('never there');
    assert.deepEqual([held.get('a'), held.get('b')], [undefined, 2]);
  });

  test('holds no more bytes than it may, whatever is put in', () => {
    const held = createBounded<number, number>(100_000);
    for (let key = 0; key < 10_000; key += 1) held.set(key, key, 400);
    const left = count(held, 10_000);
    assert.ok(left > 90 && left <= 200, `${left} entries of 500 bytes`);
    assert.equal(held.get(9_999), 9_999);
  });

  test('forgets first what was not asked for', () => {
    const held = createBounded<number, number>(100_000);
    for (let key = 0; key < 10_000; key += 1) {
      held.set(key, key, 400);
      assert.equal(held.get(0), 0);
    }
    assert.equal(held.get(1), undefined);
  });

  test('deletes also what it was about to forget', () => {
    const held = createBounded<number, number>(100_000);
    for (let key = 0; key < 150; key += 1) held.set(key, key, 400);
    for (let key = 0; key < 150; key += 1) held.delete(key);
    assert.equal(count(held, 150), 0);
  });

  test('keeps its count of bytes when the same is put in again and again', () => {
    const held = createBounded<number, number>(100_000);
    held.set(1, 1, 400);
    for (let turn = 0; turn < 10_000; turn += 1) held.set(2, turn, 400);
    assert.deepEqual([held.get(1), held.get(2)], [1, 9_999]);
  });

  test('does not hold what would take most of the room', () => {
    const held = createBounded<number, number>(100_000);
    held.set(1, 1, 400);
    held.set(2, 2, 50_000);
    assert.deepEqual([held.get(1), held.get(2)], [1, undefined]);
  });
});
