import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createBatchSizer } from '../../src/transfer/batches.ts';

/** The sizes of batches where a row takes so long and a commit so long, once they no longer change. */
function settledSize(rowMs: number, commitMs: number): number {
  const sizer = createBatchSizer();
  for (let batch = 0; batch < 20; batch += 1) {
    const workMs = sizer.size() * rowMs;
    sizer.learn({ workMs, heldMs: workMs + commitMs });
  }
  return sizer.size();
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
    const sizer = createBatchSizer();
    const sizes = [1, 1, 1].map((workMs) => {
      sizer.learn({ workMs, heldMs: workMs });
      return sizer.size();
    });
    assert.deepEqual(sizes, [20, 40, 80]);
    sizer.learn({ workMs: 160, heldMs: 161 });
    assert.equal(sizer.size(), 9);
  });
});
