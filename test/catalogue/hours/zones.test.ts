import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zoneOf } from '../../../src/catalogue/hours/zones.ts';

// The main towns of zones, as the database of time zones places them (zone.tab).
const TOWNS = [
  [-14.278, -170.702, 'Pacific/Pago_Pago'],
  [-13.833, -171.733, 'Pacific/Apia'],
  [46.778, -56.178, 'America/Miquelon'],
  [47.561, -52.713, 'America/St_Johns'],
  [21.467, -71.133, 'America/Grand_Turk'],
  [-8.55, 125.583, 'Asia/Dili'],
  [-2.533, 140.7, 'Asia/Jayapura'],
  [51.417, -57.2, 'America/Blanc-Sablon'],
  [48.759, -91.622, 'America/Atikokan'],
  [46.845, -101.411, 'America/North_Dakota/New_Salem'],
  [48.857, 2.352, 'Europe/Paris'],
] as const;

test('the zone of a place is that of its town, also where two zones meet', () => {
  for (const [north, east, zone] of TOWNS) assert.equal(zoneOf(north, east), zone);
});
