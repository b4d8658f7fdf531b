import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstWithin, fitted } from '../../static/app/place/photo-size.js';

test('A photo keeps its proportions, and is never enlarged', () => {
  assert.deepEqual(fitted({ width: 4000, height: 3000 }, 2560), { width: 2560, height: 1920 });
  assert.deepEqual(fitted({ width: 3000, height: 4000 }, 2560), { width: 1920, height: 2560 });
  assert.deepEqual(fitted({ width: 640, height: 480 }, 2560), { width: 640, height: 480 });
  assert.deepEqual(fitted({ width: 12_000, height: 3 }, 640), { width: 640, height: 1 });
});

test('A thumbnail gets worse until it is small enough, and is left out where it never is', async () => {
  const sizes = [400, 200, 100];
  const tried: number[] = [];
  const encode = (size: number): Promise<Blob | null> => {
    tried.push(size);
    return Promise.resolve(size === 400 ? null : new Blob(['x'.repeat(size)]));
  };
  assert.equal((await firstWithin(sizes, encode, 200))?.size, 200);
  assert.deepEqual(tried, [400, 200]);
  assert.equal(await firstWithin(sizes, encode, 50), undefined);
});
