import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FIRST_BATCH, nextBatch } from '../../src/transfer/run.ts';

/** The sizes of batches where a row takes so long and a commit so long, once they no longer change. */
function settledSize(rowMs: number, commitMs: number): number {
  let size = FIRST_BATCH;
  for (let batch = 0; batch < 20; batch += 1) size = nextBatch(size, size * rowMs, size * rowMs + commitMs);
  return size;
}

describe('the batches of an import', () => {
  test('hold the write lock for about 20 ms, the commit included', () => {
    assert.equal(settledSize(0.1, 1), 190);
    assert.equal(settledSize(1, 2), 18);
    assert.equal(settledSize(0.001, 0), 500);
  });

  test('have at least a row, and do not shrink for a slow disk, on which small ones take as long', () => {
    assert.equal(settledSize(300, 1), 1);
    assert.equal(settledSize(0.1, 80), 100);
  });

  test('begin small, grow step by step, and shrink at once', () => {
    let size = FIRST_BATCH;
    const sizes = [1, 1, 1].map((workMs) => (size = nextBatch(size, workMs, workMs)));
    assert.deepEqual(sizes, [20, 40, 80]);
    assert.equal(nextBatch(80, 160, 161), 9);
  });
});
