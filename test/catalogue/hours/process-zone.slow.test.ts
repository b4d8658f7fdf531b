import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { moduleAt } from '../../support/checkout.ts';

const SCRIPT = `
  const { stateOf } = await import('${moduleAt('../../support/clocks.ts', import.meta.url).href}');
  const states = [];
  for (const zone of ['Europe/Paris', 'America/New_York', 'Pacific/Apia'])
    for (const hours of ['Mo-Fr 09:00-17:00; Sa 20:00-02:00', 'Mar 29 10:00-26:00', 'Dec 31-Jan 1 20:00-03:00; Fr off'])
      for (let hour = 0; hour < 24 * 366; hour += 11)
        states.push(stateOf(hours, new Date(Date.UTC(2026, 0, 1, hour)).toISOString(), zone));
  process.stdout.write(states.join('\\n'));
`;

function answersIn(timeZone: string): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', SCRIPT], {
    env: { ...process.env, TZ: timeZone },
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  return stdout;
}

describe('opening hours', () => {
  test('are answered the same in a process with any time zone of its own', () => {
    const expected = answersIn('UTC');
    assert.ok(expected.includes('open') && expected.split('\n').length > 5_000);
    for (const zone of ['Pacific/Kiritimati', 'America/St_Johns'])
      assert.equal(answersIn(zone), expected, zone);
  });
});
