import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Opening } from '../../../src/catalogue/hours/opening.ts';
import { type Candidate, propose, reasonsOf } from '../../../src/people/outings/proposal.ts';
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
    ['leaves closed places out', [place(1, { opening: opening('closed') }), place(2)], [2]],
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
    ['has five at most', [6, 5, 4, 3, 2, 1].map((id) => place(id)), [1, 2, 3, 4, 5]],
    ['is empty without candidates', [], []],
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

  test('leaves its input as it was', () => {
    const places = [place(2), place(1)];
    propose(places);
    assert.deepEqual(
      places.map(({ id }) => id),
      [2, 1],
    );
  });
});

describe('the reasons of a proposal', () => {
  const unrated = { overall: 0, rating_count: 0 };

  test('say until when a place is open, which may be never', () => {
    const until = '2026-10-25T03:00:00.000Z';
    assert.deepEqual(reasonsOf({ ...unrated, opening: opening('open', until) }, null), [
      { kind: 'open', until },
    ]);
    assert.deepEqual(reasonsOf({ ...unrated, opening: opening('open') }, null), [
      { kind: 'open', until: null },
    ]);
  });

  test('say that hours are unknown, and nothing of places that are closed', () => {
    assert.deepEqual(reasonsOf({ ...unrated, opening: opening('unknown') }, null), [
      { kind: 'hours_unknown' },
    ]);
    assert.deepEqual(reasonsOf({ ...unrated, opening: opening('closed') }, null), []);
  });

  test('name a list and the rating, in this order', () => {
    assert.deepEqual(reasonsOf({ overall: 4.5, rating_count: 2, opening: opening('open') }, 'Lyon'), [
      { kind: 'open', until: null },
      { kind: 'list', name: 'Lyon' },
      { kind: 'rated', overall: 4.5, count: 2 },
    ]);
  });
});
