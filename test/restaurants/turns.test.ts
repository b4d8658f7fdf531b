import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createTurns } from '../../src/restaurants/turns.ts';

describe('the turns of lists', () => {
  test('come one in each turn of the event loop, in the order they were asked for', async () => {
    const turn = createTurns();
    const went: number[] = [];
    const callers = [1, 2, 3].map((caller) => turn().then(() => went.push(caller)));
    const seen: number[] = [];
    while (went.length < callers.length) {
      await nextTurn();
      seen.push(went.length);
    }
    assert.deepEqual(went, [1, 2, 3]);
    assert.deepEqual(
      [1, 2].filter((count) => !seen.includes(count)),
      [],
    );
  });
});
