import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkSettings } from '../../src/cli/doctor-settings.ts';
import { readConfig } from '../../src/config.ts';
import type { Finding } from '../../src/inspection/findings.ts';

type Variables = Readonly<Record<string, string>>;

const KEY = 'b1946ac92492d2347c6235b4d2611184b1946ac92492d2347c6235b4d2611185';
const PRODUCTION = { NODE_ENV: 'production', AUTH_MODE: 'local', JWT_SECRET_KEY: KEY };
const CLOSED = { ...PRODUCTION, REGISTRATION: 'closed', TRUSTED_PROXIES: '10.0.0.2' };

/** The findings that are not ok. */
async function found(variables: Variables): Promise<string[]> {
  const result = readConfig(variables);
  assert.ok(result.ok, JSON.stringify(result));
  const findings: Finding[] = [];
  for await (const finding of checkSettings(result.config, result.settings, new Date()))
    findings.push(finding);
  return findings.filter(({ level }) => level !== 'ok').map(({ level, text }) => `${level}: ${text}`);
}

describe('catalogue doctor', () => {
  const sound: readonly [string, Variables][] = [
    ['as the settings stand', {}],
    ['in production behind a proxy that is named', CLOSED],
    [
      'in production on one machine with its proxy',
      { ...PRODUCTION, HOST: '127.0.0.1', WRITE_ACCESS: 'admins' },
    ],
    ['with a good token for metrics', { METRICS_TOKEN: 'xK7vQ2mZ9pL4wR8tY1uB5nC3' }],
    ['with deletions for good in development', { TRASH_DAYS: '0' }],
    ['with plain origins in development', { ALLOWED_ORIGINS: 'http://localhost:3000' }],
    [
      'in production on an IPv4 loopback address in the form of IPv6',
      { ...PRODUCTION, HOST: '::ffff:7f00:1', REGISTRATION: 'closed' },
    ],
    ['in production on an IPv6 loopback address', { ...PRODUCTION, HOST: '::1', REGISTRATION: 'closed' }],
  ];
  for (const [title, variables] of sound)
    test(`has nothing to say ${title}`, async () => {
      assert.deepEqual(await found(variables), []);
    });

  const unsafe: readonly [string, Variables, RegExp][] = [
    [
      'open writing to all machines',
      { HOST: '0.0.0.0', TRUSTED_PROXIES: 'private' },
      /^risk: AUTH_MODE is none: anyone /,
    ],
    [
      'a proxy elsewhere that is not trusted',
      { ...CLOSED, TRUSTED_PROXIES: 'loopback' },
      /^risk: nothing terminates TLS here, .* set TRUSTED_PROXIES /,
    ],
    [
      'the same in development',
      { HOST: '::', AUTH_MODE: 'local', JWT_SECRET_KEY: KEY },
      /^note: nothing terminates TLS here/,
    ],
    ['limits that are off, to others', { ...CLOSED, RATE_LIMIT_BURST: '0' }, /^risk: rate limits are off: /],
    ['limits that are off, on this machine', { RATE_LIMIT_PER_MINUTE: '0' }, /^note: rate limits are off: /],
    [
      'origins that are not https',
      { ...CLOSED, ALLOWED_ORIGINS: 'http://food.example' },
      /^risk: ALLOWED_ORIGINS has http:\/\/food\.example: .* use https$/,
    ],
    [
      'a weak signing secret',
      { ...CLOSED, JWT_SECRET_KEY: 'changeme-canary-0123456789-canary' },
      /^risk: JWT_SECRET_KEY /,
    ],
    [
      'a weak token for metrics',
      { METRICS_TOKEN: 'canary-canary-canary-' },
      /^risk: METRICS_TOKEN repeats itself/,
    ],
    [
      'deletions that cannot be undone',
      { ...CLOSED, TRASH_DAYS: '0' },
      /^note: TRASH_DAYS is 0: deletions cannot be undone; /,
    ],
    ['silence', { LOG_LEVEL: 'silent' }, /^note: LOG_LEVEL is silent/],
    [
      'a certificate that is not there',
      { TLS_CERT_FILE: '/nowhere/c', TLS_KEY_FILE: '/nowhere/k' },
      /^fault: TLS_CERT_FILE /,
    ],
  ];
  for (const [title, variables, line] of unsafe)
    test(`finds ${title}, and prints no secret`, async () => {
      const lines = await found(variables);
      assert.equal(lines.length, 1, lines.join('\n'));
      assert.match(lines[0] ?? '', line);
      assert.doesNotMatch(lines.join(), /canary/);
    });
});
