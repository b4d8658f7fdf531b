import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Cache, type CacheOptions, createCache } from '../../src/memory/cache.ts';

/** A cache on a clock that the test advances, in milliseconds. */
function cacheAt(options: CacheOptions): {
  readonly cache: Cache<string, number>;
  readonly wait: (ms: number) => void;
} {
  let time = 0;
  const wait = (ms: number): void => {
    time += ms;
  };
  return { cache: createCache({ ...options, now: () => time }), wait };
}

const count = (cache: Cache<number, number>, most: number): number =>
  Array.from({ length: most }, (_, key) => cache.get(key)).filter((value) => value !== undefined).length;

describe('a cache', () => {
  test('returns what was set, until it is deleted or replaced', () => {
    const cache = createCache<string, number>({ maxBytes: 10_000 });
    assert.equal(cache.get('a'), undefined);
    cache.set('a', 1, 10);
    cache.set('b', 2, 10);
    assert.deepEqual([cache.get('a'), cache.get('b')], [1, 2]);
    cache.set('a', 3, 10);
    assert.equal(cache.get('a'), 3);
    cache.delete('a');
    cache.delete('never there');
    assert.deepEqual([cache.get('a'), cache.get('b'), cache.size()], [undefined, 2, 1]);
  });

  test('holds no more bytes than it may, whatever is set', () => {
    const cache = createCache<number, number>({ maxBytes: 100_000 });
    for (let key = 0; key < 10_000; key += 1) cache.set(key, key, 400);
    const left = count(cache, 10_000);
    assert.ok(left > 90 && left <= 200, `${left} entries of 500 bytes`);
    assert.equal(cache.get(9_999), 9_999);
  });

  test('holds no more entries than it may, and at least the half of them that was used last', () => {
    const cache = createCache<number, number>({ maxEntries: 100 });
    for (let key = 0; key < 10_000; key += 1) {
      cache.set(key, key);
      assert.ok(cache.size() <= 100);
      assert.equal(cache.get(0), 0);
    }
    for (let key = 9_999; key > 9_951; key -= 1) assert.equal(cache.get(key), key);
    assert.equal(cache.get(1), undefined);
  });

  test('deletes also what it was about to drop', () => {
    const cache = createCache<number, number>({ maxBytes: 100_000 });
    for (let key = 0; key < 150; key += 1) cache.set(key, key, 400);
    for (let key = 0; key < 150; key += 1) cache.delete(key);
    assert.deepEqual([count(cache, 150), cache.size()], [0, 0]);
  });

  test('counts right when the same is set again and again', () => {
    const cache = createCache<number, number>({ maxBytes: 100_000, maxEntries: 100 });
    cache.set(1, 1, 400);
    for (let round = 0; round < 10_000; round += 1) cache.set(2, round, 400);
    assert.deepEqual([cache.get(1), cache.get(2), cache.size()], [1, 9_999, 2]);
  });

  test('does not store what would take most of it, nor keeps what that replaces', () => {
    const cache = createCache<number, number>({ maxBytes: 100_000 });
    cache.set(1, 1, 400);
    cache.set(2, 2, 400);
    cache.set(2, 3, 50_000);
    assert.deepEqual([cache.get(1), cache.get(2), cache.size()], [1, undefined, 1]);
  });

  test('forgets an entry at the end of its age, however often it was used', () => {
    const { cache, wait } = cacheAt({ maxAgeMs: 60_000 });
    cache.set('a', 1);
    wait(30_000);
    cache.set('b', 2);
    wait(29_999);
    assert.deepEqual([cache.get('a'), cache.get('b')], [1, 2]);
    wait(1);
    assert.deepEqual([cache.get('a'), cache.get('b')], [undefined, 2]);
    cache.set('b', 3);
    wait(59_999);
    assert.equal(cache.get('b'), 3);
  });

  test('removes old entries from memory as others are set', () => {
    const { cache, wait } = cacheAt({ maxAgeMs: 1_000 });
    for (let key = 0; key < 1_000; key += 1) cache.set(String(key), key);
    wait(1_000);
    cache.set('b', 1);
    wait(1_000);
    cache.set('b', 2);
    assert.equal(cache.size(), 1);
    for (let key = 0; key < 1_000; key += 1) cache.set(String(key), key);
    wait(2_000);
    cache.set('b', 3);
    assert.equal(cache.size(), 1);
  });
});
