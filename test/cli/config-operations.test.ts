import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, test } from 'node:test';
import { FOLLOW_TOKEN } from '../support/replicas.ts';
import { type Variables, configOf, faultsOf, warningsOf } from '../support/settings.ts';

describe('the configuration of operations', () => {
  test('is off as it stands', () => {
    assert.deepEqual(configOf({}).operations, {
      tls: undefined,
      backups: undefined,
      metricsToken: undefined,
      migrate: 'auto',
      readOnly: false,
      primaryUrl: undefined,
      followToken: undefined,
    });
  });

  test('takes all of it', () => {
    const all = {
      ...{ TLS_CERT_FILE: 'tls/cert.pem', TLS_KEY_FILE: '/etc/tls/key.pem', HTTPS_PORT: '443' },
      ...{ BACKUP_SCHEDULE: '03:30', BACKUP_DIR: '/backups', BACKUP_KEEP: '30', MIGRATE: 'manual' },
      ...{ METRICS_TOKEN: 'a-token-of-tests', PRIMARY_URL: 'https://food.example', FOLLOW_TOKEN },
    };
    assert.deepEqual(warningsOf(all), []);
    assert.deepEqual(configOf(all).operations, {
      tls: { certFile: resolve('tls/cert.pem'), keyFile: '/etc/tls/key.pem', port: 443 },
      backups: { minuteOfDay: 210, folder: '/backups', keep: 30 },
      metricsToken: 'a-token-of-tests',
      migrate: 'manual',
      readOnly: false,
      primaryUrl: 'https://food.example',
      followToken: FOLLOW_TOKEN,
    });
  });

  test('puts backups into the data folder unless another one is set', () => {
    const { backups } = configOf({ BACKUP_SCHEDULE: '23:59', DATA_DIR: '/srv/catalogue' }).operations;
    assert.deepEqual(backups, { minuteOfDay: 1439, folder: '/srv/catalogue/backups', keep: 7 });
  });

  test('enforces the limits of the edge where it ends TLS', () => {
    assert.equal(configOf({ TLS_CERT_FILE: 'cert.pem', TLS_KEY_FILE: 'key.pem' }).edgeLimits, true);
  });

  const wrong: readonly [Variables, string][] = [
    [{ TLS_CERT_FILE: 'cert.pem' }, 'TLS_CERT_FILE and TLS_KEY_FILE must be set together'],
    [{ TLS_KEY_FILE: 'key.pem' }, 'TLS_CERT_FILE and TLS_KEY_FILE must be set together'],
    [{ HTTPS_PORT: '65536' }, 'HTTPS_PORT must be an integer from 0 to 65535, not "65536"'],
    [{ BACKUP_SCHEDULE: 'daily' }, 'BACKUP_SCHEDULE must be a time of day such as 03:30, not "daily"'],
    [{ BACKUP_SCHEDULE: '24:00' }, 'BACKUP_SCHEDULE must be a time of day such as 03:30, not "24:00"'],
    [{ BACKUP_SCHEDULE: '3:30' }, 'BACKUP_SCHEDULE must be a time of day such as 03:30, not "3:30"'],
    [{ BACKUP_KEEP: '0' }, 'BACKUP_KEEP must be an integer from 1 to 10000, not "0"'],
    [
      { METRICS_TOKEN: 'two words' },
      'METRICS_TOKEN must be 1 to 500 printable ASCII characters without blanks',
    ],
    [{ FOLLOW_TOKEN: FOLLOW_TOKEN.slice(1) }, 'FOLLOW_TOKEN must be at least 32 characters, and random'],
    [
      { FOLLOW_TOKEN, READ_ONLY: 'true' },
      'FOLLOW_TOKEN with READ_ONLY needs PRIMARY_URL: the address of the primary to follow',
    ],
    [{ READ_ONLY: 'yes' }, 'READ_ONLY must be one of true, false, not "yes"'],
    [{ PRIMARY_URL: 'food.example' }, 'PRIMARY_URL must be an http or https address, not "food.example"'],
  ];
  for (const [environment, fault] of wrong)
    test(`refuses ${JSON.stringify(environment)}`, () => {
      assert.deepEqual(faultsOf(environment), [fault]);
    });

  const unwise: readonly [Variables, string][] = [
    [{ METRICS_TOKEN: 'a-token-of-test' }, 'METRICS_TOKEN should be at least 16 characters, and random'],
    [
      { FOLLOW_TOKEN, READ_ONLY: 'true', PRIMARY_URL: 'http://food.example' },
      'PRIMARY_URL is not https: FOLLOW_TOKEN and all data can be read on the way',
    ],
    [
      { READ_ONLY: 'true', BACKUP_SCHEDULE: '03:30' },
      'BACKUP_SCHEDULE has no effect when READ_ONLY is true: back up the primary',
    ],
  ];
  for (const [environment, warning] of unwise)
    test(`warns of ${JSON.stringify(environment)}`, () => {
      assert.ok(warningsOf(environment).includes(warning));
    });
});
