import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { newestBackup } from '../../../src/operations/backup/dated.ts';
import { isDue, startBackupSchedule } from '../../../src/operations/backup/schedule.ts';
import { moduleAt } from '../../support/checkout.ts';
import { array } from '../../support/client.ts';
import { temporaryFolder } from '../../support/service.ts';

const HOUR = 60;
const ZONE = 'Europe/Paris';

/** What `lastScheduled` gives in a process of this zone, for moments and minutes of the day. */
function lastScheduledIn(zone: string, asked: readonly (readonly [string, number])[]): readonly unknown[] {
  const script = `
    const { lastScheduled } = await import('${moduleAt('../../../src/operations/backup/schedule.ts', import.meta.url).href}');
    const found = JSON.parse(process.argv[1]).map(([now, minute]) => lastScheduled(new Date(now), minute));
    process.stdout.write(JSON.stringify(found));
  `;
  const args = ['--input-type=module', '--eval', script, JSON.stringify(asked)];
  const env = { ...process.env, TZ: zone };
  return array(JSON.parse(execFileSync(process.execPath, args, { env, encoding: 'utf8' })));
}

describe('the last scheduled moment', () => {
  const moments: readonly (readonly [string, string, number, string])[] = [
    ['later the same day', '2026-06-10T12:00:00+02:00', 3 * HOUR + 30, '2026-06-10T03:30:00+02:00'],
    ['at the moment itself', '2026-06-10T03:30:00+02:00', 3 * HOUR + 30, '2026-06-10T03:30:00+02:00'],
    ['a second before it', '2026-06-10T03:29:59+02:00', 3 * HOUR + 30, '2026-06-09T03:30:00+02:00'],
    ['at midnight', '2026-01-01T00:00:00+01:00', 0, '2026-01-01T00:00:00+01:00'],
    ['across a year', '2026-01-01T00:00:00+01:00', 23 * HOUR + 59, '2025-12-31T23:59:00+01:00'],
    ['on the day that skips it', '2026-03-29T12:00:00+02:00', 2 * HOUR + 30, '2026-03-29T03:30:00+02:00'],
    ['before it on that day', '2026-03-29T03:10:00+02:00', 2 * HOUR + 30, '2026-03-28T02:30:00+01:00'],
    ['after the day that skips an hour', '2026-03-30T02:00:00+02:00', 5 * HOUR, '2026-03-29T05:00:00+02:00'],
    ['on the day that has it twice', '2026-10-25T12:00:00+01:00', 2 * HOUR + 30, '2026-10-25T02:30:00+02:00'],
    ['at its second time', '2026-10-25T02:30:00+01:00', 2 * HOUR + 30, '2026-10-25T02:30:00+02:00'],
  ];
  let found: readonly unknown[] = [];
  before(() => {
    found = lastScheduledIn(
      ZONE,
      moments.map(([, now, minuteOfDay]) => [now, minuteOfDay]),
    );
  });
  for (const [index, [title, , , expected]] of moments.entries())
    test(`is found ${title}`, () => {
      assert.equal(new Date(Number(found[index])).toISOString(), new Date(expected).toISOString());
    });

  test('makes a backup due unless one was started since', () => {
    const now = new Date('2026-06-10T12:00:00');
    const due = (...made: readonly string[]): boolean =>
      isDue(
        made.map((text) => Date.parse(text)),
        now,
        3 * HOUR,
      );
    assert.equal(due(), true);
    assert.equal(due('2026-06-10T02:59:59'), true);
    assert.equal(due('2026-06-10T03:00:00'), false);
    // Made while the clock was wrong.
    assert.equal(due('2026-06-09T03:00:00', '2106-01-01T00:00:00'), true);
  });
});

describe('BACKUP_SCHEDULE', () => {
  test('logs why a backup failed, and does not try again at the next look', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const place = join(temporaryFolder(t), 'a file');
    writeFileSync(place, 'in the way');
    const logged: string[] = [];
    const log = {
      info: (message: string) => logged.push(message),
      error: (message: string, fields?: object) => logged.push(`${message} ${JSON.stringify(fields)}`),
    };
    const stop = startBackupSchedule({ minuteOfDay: 0, folder: place, keep: 1, firstCheckMs: 1, log });
    for (let minute = 0; minute < 10; minute += 1) t.mock.timers.tick(60_000);
    await stop();
    assert.equal(logged.length, 1);
    assert.match(logged[0] ?? '', /^the scheduled backup failed .*a part of this path is a file/);
    assert.equal(newestBackup(place), undefined);
  });
});
