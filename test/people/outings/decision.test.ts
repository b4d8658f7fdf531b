import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Ballot, type Choice, type Standing, decide } from '../../../src/people/outings/decision.ts';

type Option = readonly [id: number, overall: number, out: Standing['out']];

const UNRATED: readonly Option[] = [1, 2, 3].map((id) => [id, 0, null]);
const CHOICES: Readonly<Record<string, Choice>> = { y: 'yes', o: 'ok', n: 'no' };

/** Ballots such as `yo-!2`: yes to the first option, ok to the second, a veto of the second; `~` of someone who does not come. */
function ballotsIn(text: string): Ballot[] {
  return text
    .split(' ')
    .filter(Boolean)
    .map((ballot) => {
      const [letters = '', veto] = ballot.replace('~', '').split('!');
      const chosen = Array.from(letters).flatMap((letter, index) => {
        const choice = CHOICES[letter];
        return choice ? [[index + 1, choice] as const] : [];
      });
      return {
        coming: !ballot.startsWith('~'),
        choices: new Map(chosen),
        veto: veto === undefined ? null : Number(veto),
      };
    });
}

describe('the decision', () => {
  const cases: readonly (readonly [
    title: string,
    ballots: string,
    expected: readonly [winner: number | null, outcome: string],
    options?: readonly Option[],
  ])[] = [
    ['is none without ballots', '', [null, 'no_votes']],
    ['is none when no one comes, whatever they chose', '~y ~y!2', [null, 'no_votes']],
    ['counts a yes as two that are fine', 'yo no', [1, 'tie_order']],
    ['goes to the most points, not the most yes', 'yo no no', [2, 'votes']],
    ['does not count those who do not come', 'ny ~y ~y', [2, 'votes']],
    ['takes one veto for many yes', 'yn yo y!1', [2, 'votes']],
    ['ignores the veto of those who do not come', 'y ~!1', [1, 'votes']],
    ['is none when everything is vetoed', 'y!1 y!2 y!3', [null, 'nothing_left']],
    [
      'is none when everything is out',
      'yy',
      [null, 'nothing_left'],
      [
        [1, 5, 'deleted'],
        [2, 5, 'closed'],
      ],
    ],
    ['says that no one voted even when everything is out', '~', [null, 'no_votes'], [[1, 5, 'deleted']]],
    [
      'leaves out a place that is gone, however many want it',
      'yno ynn',
      [3, 'votes'],
      [[1, 5, 'closed'], ...UNRATED.slice(1)],
    ],
    [
      'of a tie goes to the better rated place',
      'yy',
      [2, 'tie_rating'],
      [
        [1, 4, null],
        [2, 4.01, null],
      ],
    ],
    [
      'of a tie of equally rated places goes to the earlier one, not the lower id',
      '-',
      [9, 'tie_order'],
      [
        [9, 0, null],
        [1, 0, null],
      ],
    ],
    [
      'of three that tie, two rated equally, names the order',
      'yyy',
      [2, 'tie_order'],
      [
        [1, 0, null],
        [2, 3, null],
        [3, 3, null],
      ],
    ],
    [
      'is by votes when the other one of a tie is vetoed or out',
      'yyy!3',
      [1, 'votes'],
      [
        [1, 1, null],
        [2, 5, 'closed'],
        [3, 5, null],
      ],
    ],
    ['is by votes when a single option is left, even with no point', 'nyy!2 nyy!3', [1, 'votes']],
    ['is the first where everyone said no', 'nnn', [1, 'tie_order']],
  ];
  for (const [title, written, expected, options = UNRATED] of cases)
    test(title, () => {
      const [standings, ballots] = [
        options.map(([id, overall, out]): Standing => ({ id, overall, out })),
        ballotsIn(written),
      ];
      const { winner, outcome } = decide(standings, ballots);
      assert.deepEqual([winner, outcome], expected);
      assert.deepEqual(decide(standings, ballots.toReversed()), { winner, outcome });
    });
});
