import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Opening } from '../../../src/catalogue/hours/opening.ts';
import { type Candidate, propose } from '../../../src/people/outings/proposal.ts';
import { randomNumbers } from '../../support/catalogue.ts';
import { SEED, scaled } from '../../support/size.ts';

const STATES = ['open', 'unknown', 'closed'] as const;

function opening(state: Opening['state'], until: string | null = null): Opening {
  return { state, until, reason: null };
}

/** A place that is open, unrated and unvisited, with no distance. */
function place(id: number, fields: Partial<Candidate> = {}): Candidate {
  return {
    id,
    name: `P${id}`,
    opening: opening('open'),
    overall: 0,
    distance: undefined,
    isVisited: false,
    ...fields,
  };
}

const idsOf = (places: readonly Candidate[]): number[] => propose(places).map(({ id }) => id);

describe('a proposal', () => {
  const orders: readonly (readonly [string, readonly Candidate[], readonly number[]])[] = [
    [
      'has open places before better ones with unknown hours',
      [place(1, { opening: opening('unknown'), overall: 5 }), place(2)],
      [2, 1],
    ],
    [
      'has open places that were visited before others with unknown hours',
      [place(1, { opening: opening('unknown') }), place(2, { isVisited: true })],
      [2, 1],
    ],
    [
      'has places where the caller was lately behind worse ones',
      [place(1, { isVisited: true, overall: 5 }), place(2, { overall: 1 })],
      [2, 1],
    ],
    [
      'has better rated places before nearer ones',
      [place(1, { distance: 0.1, overall: 4 }), place(2, { distance: 9, overall: 4.1 })],
      [2, 1],
    ],
    ['has nearer places first of equals', [place(1, { distance: 2 }), place(2, { distance: 1 })], [2, 1]],
    ['has places without coordinates behind far ones', [place(1), place(2, { distance: 19_000 })], [2, 1]],
    ['has those with the lower id first of all that is equal', [place(3), place(1), place(2)], [1, 2, 3]],
  ];
  for (const [title, places, expected] of orders)
    test(title, () => {
      assert.deepEqual(idsOf(places), expected);
    });

  test(`is the same in whatever order the candidates come (seed ${SEED})`, () => {
    const random = randomNumbers(SEED);
    const below = (count: number): number => Math.floor(random() * count);
    for (let round = 0; round < scaled(300); round += 1) {
      const places = Array.from({ length: 1 + below(12) }, (_, index) =>
        place(index + 1, {
          opening: opening(STATES[below(3)] ?? 'open'),
          isVisited: below(2) === 0,
          overall: below(3),
          distance: below(3) === 0 ? undefined : below(3),
        }),
      );
      const shuffled = places
        .map((one) => ({ one, key: random() }))
        .sort((a, b) => a.key - b.key)
        .map(({ one }) => one);
      assert.equal(JSON.stringify(propose(shuffled)), JSON.stringify(propose(places)));
    }
  });
});
