import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { zoneNamed } from '../../../src/catalogue/hours/zones.ts';
import { randomNumbers } from '../../support/catalogue.ts';
import { type Moment, differences } from '../../support/hours-oracle.ts';
import { randomHours } from '../../support/random-hours.ts';
import type { Below } from '../../support/random-places.ts';
import { longTest } from '../../support/size.ts';

const SEED = 41;

describe('opening hours', () => {
  longTest(`are answered as by the reference implementation, in 300 of the values of seed ${SEED}`, () => {
    const random = randomNumbers(SEED);
    const below: Below = (count) => Math.floor(random() * count);
    for (let count = 0; count < 300; count += 1)
      assert.deepEqual(differences(randomHours(below), randomMoments(below)), []);
  });
});

/** In weeks in which no country changes its clocks, so that those of this process do not matter. */
function randomMoments(below: Below): readonly Moment[] {
  return ['Europe/Paris', 'America/St_Johns', 'Asia/Kathmandu', 'Australia/Lord_Howe'].flatMap((name) => {
    const zone = zoneNamed(name);
    const start = Date.UTC(2026 + below(3), 6 * below(2), 9);
    const minute = below(7) * 1_440 + below(96) * 15 + below(2);
    return zone ? [{ zone, instant: start + minute * 60_000 }] : [];
  });
}
