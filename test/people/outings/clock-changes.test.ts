import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { openingAt } from '../../../src/catalogue/hours/opening.ts';
import { propose } from '../../../src/people/outings/proposal.ts';
import { createRestaurants } from '../../support/catalogue.ts';
import { bodyOf, field } from '../../support/client.ts';
import { ofOptions, refusalOf } from '../../support/outings.ts';
import { type Service, startService } from '../../support/service.ts';

const LATE = { opening_hours: 'Mo-Su 22:00-03:00', time_zone: 'Europe/Berlin' };
const EARLY = { opening_hours: 'Mo-Su 03:00-12:00', time_zone: 'Europe/Berlin' };
const WINTER = '2026-10-20T12:00:00Z';
const SUMMER = '2027-03-20T12:00:00Z';

/** A service at a moment, with one place that is open late, one that opens early, and one that always is. */
async function startAt(t: TestContext, now: string): Promise<Service> {
  t.mock.timers.enable({ apis: ['Date'], now: new Date(now) });
  const service = await startService(t);
  await createRestaurants(service.api, [
    { name: 'Late', ...LATE },
    { name: 'Early', ...EARLY },
    { name: 'Always', opening_hours: '24/7', time_zone: 'Europe/Berlin' },
    { name: 'Unknown' },
  ]);
  return service;
}

// Clocks go back from 03:00 to 02:00 at 01:00 UTC, and forward from 02:00 to 03:00 at 01:00 UTC.
const LATE_OPEN = ['Late', 'Always', 'Unknown'];
const EARLY_OPEN = ['Early', 'Always', 'Unknown'];
const nights: readonly (readonly [string, string, readonly string[], string])[] = [
  [
    'at the first 02:30, when clocks go back',
    '2026-10-25T02:30+02:00',
    LATE_OPEN,
    '2026-10-25T02:00:00.000Z',
  ],
  ['at the second 02:30', '2026-10-25T02:30+01:00', LATE_OPEN, '2026-10-25T02:00:00.000Z'],
  [
    'at 03:00, when one closes and one opens',
    '2026-10-25T03:00+01:00',
    EARLY_OPEN,
    '2026-10-25T11:00:00.000Z',
  ],
  ['at 01:59, before clocks go forward', '2027-03-28T01:59+01:00', LATE_OPEN, '2027-03-28T01:00:00.000Z'],
  ['at 03:00, which follows 01:59', '2027-03-28T03:00+02:00', EARLY_OPEN, '2027-03-28T10:00:00.000Z'],
];

describe('the night of a clock change', () => {
  for (const [title, at, expected, until] of nights)
    test(`${title}: ${expected.join(', ')} at ${at}`, async (t) => {
      const { api } = await startAt(t, at < '2027' ? WINTER : SUMMER);
      const made = bodyOf(await api.post('/outings', { at, from: {} }));
      assert.deepEqual(ofOptions(made, 'name'), expected);
      assert.deepEqual(ofOptions(made, 'reasons')[0], [{ kind: 'open', until }]);
      assert.equal(field(ofOptions(made, 'opening')[0], 'until'), until);
    });

  test('decides by the clock of the place whether an option is closed then', async (t) => {
    const { api } = await startAt(t, WINTER);
    const closed = await api.post('/outings', { at: '2026-10-25T02:00Z', options: [1, 3] });
    assert.deepEqual(refusalOf(closed), [400, 'Late is closed then']);
    bodyOf(await api.post('/outings', { at: '2026-10-25T01:59Z', options: [1, 3] }));
  });

  test('is at most 60 days ahead', async (t) => {
    const { api } = await startAt(t, '2026-08-20T12:00:00Z');
    const far = await api.post('/outings', { at: '2026-10-25T02:30+01:00', options: [3, 4] });
    assert.deepEqual(refusalOf(far), [400, 'at must be in the future, at most 60 days ahead']);
  });
});

test('a place that opens at the very moment is proposed as open', () => {
  const opening = openingAt(
    { isActive: true, hours: LATE.opening_hours, zone: LATE.time_zone },
    Date.parse('2026-11-30T22:00+01:00'),
  );
  const place = { id: 1, name: 'Late', opening, overall: 0, distance: undefined, isVisited: false };
  assert.deepEqual([opening.state, propose([place])], ['open', [place]]);
});
