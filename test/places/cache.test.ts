import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Cache, type CacheOptions, createCache } from '../../src/places/cache.ts';

/** A cache of texts on a clock that the test turns, in milliseconds. */
function cacheAt(options: Partial<CacheOptions> = {}): {
  readonly cache: Cache<string>;
  readonly wait: (ms: number) => void;
} {
  let time = 0;
  const limits = { maxAgeMs: 60_000, maxEntries: 3, maxBytes: 1_000 };
  const cache = createCache<string>({ ...limits, ...options, now: () => time });
  const wait = (ms: number): void => {
    time += ms;
  };
  return { cache, wait };
}

/** Which of these keys are known. */
function known(cache: Cache<string>, ...keys: readonly string[]): string[] {
  return keys.filter((key) => cache.get(key) !== undefined);
}

describe('the cache', () => {
  test('knows what was put into it, and nothing else', () => {
    const { cache } = cacheAt();
    cache.set('a', 'x');
    assert.equal(cache.get('a'), 'x');
    for (const key of ['b', 'A', '', '__proto__', 'constructor'])
      assert.equal(cache.get(key), undefined, key);
    assert.deepEqual(cache.size(), { entries: 1, bytes: 4 });
  });

  test('forgets at the end of the age, however often it was asked', () => {
    const { cache, wait } = cacheAt();
    cache.set('a', 'x');
    wait(30_000);
    cache.set('b', 'y');
    wait(29_999);
    assert.deepEqual(known(cache, 'a', 'b'), ['a', 'b']);
    wait(1);
    assert.deepEqual(known(cache, 'a', 'b'), ['b']);
    assert.deepEqual(cache.size(), { entries: 1, bytes: 4 });
    wait(30_000);
    assert.deepEqual(known(cache, 'a', 'b'), []);
    assert.deepEqual(cache.size(), { entries: 0, bytes: 0 });
  });

  test('forgets what was used least recently when there are too many', () => {
    const { cache } = cacheAt();
    for (const key of ['a', 'b', 'c']) cache.set(key, 'x');
    cache.get('a');
    cache.set('d', 'x');
    assert.equal(cache.get('b'), undefined);
    cache.set('c', 'again');
    cache.set('e', 'x');
    assert.deepEqual(known(cache, 'a', 'b', 'c', 'd', 'e'), ['c', 'd', 'e']);
    assert.equal(cache.size().entries, 3);
  });

  test('replaces what stood under a key, and counts its age and bytes anew', () => {
    const { cache, wait } = cacheAt();
    cache.set('a', 'a long text');
    wait(59_999);
    cache.set('a', 'é');
    assert.deepEqual(cache.size(), { entries: 1, bytes: 5 });
    wait(59_999);
    assert.equal(cache.get('a'), 'é');
  });

  test('forgets as many as it takes to make room in bytes', () => {
    const { cache } = cacheAt({ maxEntries: 100, maxBytes: 100 });
    for (const key of ['a', 'b', 'c', 'd']) cache.set(key, 'x'.repeat(22));
    assert.deepEqual(cache.size(), { entries: 4, bytes: 100 });
    cache.set('e', 'x'.repeat(40));
    assert.deepEqual(known(cache, 'a', 'b', 'c', 'd', 'e'), ['c', 'd', 'e']);
    assert.deepEqual(cache.size(), { entries: 3, bytes: 93 });
  });

  test('keeps nothing that is larger than itself, not even what stood there before', () => {
    const { cache } = cacheAt({ maxBytes: 100 });
    cache.set('a', 'x');
    cache.set('b', 'y');
    cache.set('a', 'x'.repeat(98));
    assert.deepEqual(known(cache, 'a', 'b'), ['b']);
    cache.set('k'.repeat(200), '');
    assert.deepEqual(cache.size(), { entries: 1, bytes: 4 });
    cache.set('a', 'x'.repeat(97));
    assert.deepEqual(known(cache, 'a', 'b'), ['a']);
  });

  test('stays within its bounds in 10,000 uses', () => {
    const { cache, wait } = cacheAt({ maxEntries: 50, maxBytes: 2_000 });
    for (let index = 0; index < 10_000; index += 1) {
      cache.set(`key ${(index * 7919) % 200}`, 'é'.repeat((index * 31) % 60));
      cache.get(`key ${(index * 104_729) % 200}`);
      wait(index % 1_000);
      const { entries, bytes } = cache.size();
      assert.ok(entries <= 50 && bytes >= 0 && bytes <= 2_000, `${entries} ${bytes}`);
    }
    wait(60_000);
    for (let index = 0; index < 200; index += 1) cache.get(`key ${index}`);
    assert.deepEqual(cache.size(), { entries: 0, bytes: 0 });
  });
});
