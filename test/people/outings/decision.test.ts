import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Ballot, type Choice, type Standing, decide } from '../../../src/people/outings/decision.ts';

const UNRATED = { overall: 0, out: null };
const OPTIONS: readonly Standing[] = [1, 2, 3].map((id) => ({ id, ...UNRATED }));

/** Of someone who comes: a choice for each option in turn, and the option that is vetoed. */
function ballot(choices: readonly (Choice | null)[], veto: number | null = null, coming = true): Ballot {
  const chosen = choices.flatMap((choice, index) => (choice ? [[index + 1, choice] as const] : []));
  return { coming, choices: new Map(chosen), veto };
}

describe('the decision', () => {
  const cases: readonly {
    readonly title: string;
    readonly options?: readonly Standing[];
    readonly ballots: readonly Ballot[];
    readonly expected: readonly [number | null, string];
  }[] = [
    { title: 'is none without ballots', ballots: [], expected: [null, 'no_votes'] },
    {
      title: 'is none when no one comes, whatever they chose',
      ballots: [ballot(['yes'], null, false), ballot(['yes'], 2, false)],
      expected: [null, 'no_votes'],
    },
    {
      title: 'counts a yes as two that are fine',
      ballots: [ballot(['yes', 'ok']), ballot(['no', 'ok'])],
      expected: [1, 'tie_order'],
    },
    {
      title: 'goes to the most points, not the most yes',
      ballots: [ballot(['yes', 'ok']), ballot(['no', 'ok']), ballot(['no', 'ok'])],
      expected: [2, 'votes'],
    },
    {
      title: 'does not count those who do not come',
      ballots: [ballot(['no', 'yes']), ballot(['yes'], null, false), ballot(['yes'], null, false)],
      expected: [2, 'votes'],
    },
    {
      title: 'takes one veto for many yes',
      ballots: [ballot(['yes', 'no']), ballot(['yes', 'ok']), ballot(['yes'], 1)],
      expected: [2, 'votes'],
    },
    {
      title: 'ignores the veto of those who do not come',
      ballots: [ballot(['yes']), ballot([], 1, false)],
      expected: [1, 'votes'],
    },
    {
      title: 'is none when everything is vetoed',
      ballots: [ballot(['yes'], 1), ballot(['yes'], 2), ballot(['yes'], 3)],
      expected: [null, 'nothing_left'],
    },
    {
      title: 'is none when everything is out',
      options: [
        { id: 1, overall: 5, out: 'deleted' },
        { id: 2, overall: 5, out: 'closed' },
      ],
      ballots: [ballot(['yes', 'yes'])],
      expected: [null, 'nothing_left'],
    },
    {
      title: 'says that no one voted even when everything is out',
      options: [{ id: 1, overall: 5, out: 'deleted' }],
      ballots: [ballot([], null, false)],
      expected: [null, 'no_votes'],
    },
    {
      title: 'leaves out a place that is gone, however many want it',
      options: [{ id: 1, overall: 5, out: 'closed' }, ...OPTIONS.slice(1)],
      ballots: [ballot(['yes', 'no', 'ok']), ballot(['yes', 'no', 'no'])],
      expected: [3, 'votes'],
    },
    {
      title: 'of a tie goes to the better rated place',
      options: [
        { id: 1, overall: 4, out: null },
        { id: 2, overall: 4.01, out: null },
      ],
      ballots: [ballot(['yes', 'yes'])],
      expected: [2, 'tie_rating'],
    },
    {
      title: 'of a tie of rated and unrated places goes to the rated one',
      options: [
        { id: 1, ...UNRATED },
        { id: 2, overall: 1, out: null },
      ],
      ballots: [ballot(['ok', 'ok'])],
      expected: [2, 'tie_rating'],
    },
    {
      title: 'of a tie of equally rated places goes to the earlier one, not the lower id',
      options: [
        { id: 9, ...UNRATED },
        { id: 1, ...UNRATED },
      ],
      ballots: [ballot([])],
      expected: [9, 'tie_order'],
    },
    {
      title: 'of three that tie, two rated equally, names the order',
      options: [
        { id: 1, ...UNRATED },
        { id: 2, overall: 3, out: null },
        { id: 3, overall: 3, out: null },
      ],
      ballots: [ballot(['yes', 'yes', 'yes'])],
      expected: [2, 'tie_order'],
    },
    {
      title: 'is by votes when the other one of a tie is vetoed or out',
      options: [
        { id: 1, overall: 1, out: null },
        { id: 2, overall: 5, out: 'closed' },
        { id: 3, overall: 5, out: null },
      ],
      ballots: [ballot(['yes', 'yes', 'yes'], 3)],
      expected: [1, 'votes'],
    },
    {
      title: 'is by votes when a single option is left, even with no point',
      ballots: [ballot(['no', 'yes', 'yes'], 2), ballot(['no', 'yes', 'yes'], 3)],
      expected: [1, 'votes'],
    },
    {
      title: 'is the first where everyone said no',
      ballots: [ballot(['no', 'no', 'no'])],
      expected: [1, 'tie_order'],
    },
  ];
  for (const { title, options = OPTIONS, ballots, expected } of cases)
    test(title, () => {
      const { winner, outcome } = decide(options, ballots);
      assert.deepEqual([winner, outcome], expected);
      assert.deepEqual(decide(options, ballots.toReversed()), { winner, outcome });
    });
});
