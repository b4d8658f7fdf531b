import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Ballot, type Choice, sumsOf, translated } from '../../../src/people/outings/decision.ts';

/** Of someone who comes: a choice for each option in turn, and the option that is vetoed. */
function ballot(choices: readonly (Choice | null)[], veto: number | null = null, coming = true): Ballot {
  const chosen = choices.flatMap((choice, index) => (choice ? [[index + 1, choice] as const] : []));
  return { coming, choices: new Map(chosen), veto };
}

describe('the sums', () => {
  test('are those of the people who come; what they left out counts as nothing', () => {
    const ballots = [ballot(['yes'], 2), ballot(['ok'], 2), ballot(['no', 'yes']), ballot(['yes'], 1, false)];
    assert.deepEqual(sumsOf(1, ballots), { yes: 1, ok: 1, no: 1, veto: 0 });
    assert.deepEqual(sumsOf(2, ballots), { yes: 1, ok: 0, no: 0, veto: 2 });
    assert.deepEqual(sumsOf(3, ballots), { yes: 0, ok: 0, no: 0, veto: 0 });
  });
});

describe('the ballot after a merge', () => {
  const merged = new Map([
    [1, 1],
    [2, 1],
    [3, 7],
  ]);

  test('has the better choice of two options that became one, in either order', () => {
    for (const choices of [['no', 'yes'] as const, ['yes', 'no'] as const])
      assert.deepEqual(translated(ballot(choices), merged).choices, new Map([[1, 'yes']]));
    assert.deepEqual(translated(ballot(['no', 'ok']), merged).choices, new Map([[1, 'ok']]));
    assert.deepEqual(translated(ballot([null, 'no']), merged).choices, new Map([[1, 'no']]));
  });

  test('is for the place that stayed, and so is its veto', () => {
    const { choices, veto } = translated(ballot([null, null, 'ok'], 3), merged);
    assert.deepEqual([choices, veto], [new Map([[7, 'ok']]), 7]);
    assert.equal(translated(ballot([], 2), merged).veto, 1);
  });
});
