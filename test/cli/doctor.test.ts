import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { datedName } from '../../src/operations/backup/dated.ts';
import { checkNode, checkSettings } from '../../src/cli/doctor.ts';
import { readConfig } from '../../src/config/config.ts';
import { type OlderDatabase, checkData } from '../../src/operations/inspection/data.ts';
import { type BackupSettings, checkBackups } from '../../src/operations/inspection/files.ts';
import type { Finding } from '../../src/operations/inspection/findings.ts';
import { makeDatabaseBefore } from '../support/old-database.ts';
import { changeStored } from '../support/people.ts';
import { startWithRestaurant, upload } from '../support/photos.ts';
import { type Variables, startService, temporaryFolder } from '../support/service.ts';

const KEY = 'b1946ac92492d2347c6235b4d2611184b1946ac92492d2347c6235b4d2611185';
const PRODUCTION = { NODE_ENV: 'production', AUTH_MODE: 'local', JWT_SECRET_KEY: KEY };
const CLOSED = { ...PRODUCTION, REGISTRATION: 'closed', TRUSTED_PROXIES: '10.0.0.2' };

const lineOf = ({ level, text }: Finding): string => `${level}: ${text}`;

/** The findings that are not ok. */
async function found(variables: Variables): Promise<string[]> {
  const result = readConfig(variables);
  assert.ok(result.ok, JSON.stringify(result));
  const findings: Finding[] = [];
  for await (const finding of checkSettings(result.config, result.settings, new Date()))
    findings.push(finding);
  return findings.filter(({ level }) => level !== 'ok').map(lineOf);
}

describe('the settings, to the doctor,', () => {
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

test('a version of Node without security fixes is a risk to the doctor, from their last day on', () => {
  const found = (version: string, date: string): string[] => checkNode(version, new Date(date)).map(lineOf);
  for (const version of ['22.23.3', '24.0.0', '26.12.1']) assert.deepEqual(found(version, '2027-04-29'), []);
  for (const [version, date] of Object.entries({ '22.23.3': '2027-05-01', '25.9.0': '2026-04-01' }))
    assert.deepEqual(found(version, date), [
      `risk: Node ${version} gets no security fixes any more; use Node 26`,
    ]);
});

/** A data folder that a service has used and left. */
async function usedFolder(t: TestContext): Promise<string> {
  const { api, stop, folder } = await startService(t);
  assert.equal((await api.post('/restaurants', { name: 'Chez Nous' })).status, 201);
  await stop();
  return folder;
}

function linesOf(folder: string, older: OlderDatabase = 'upgraded'): string[] {
  return [...checkData(folder, new Date(), older)].map(lineOf);
}

describe('a data folder, to the doctor,', () => {
  test('says how much space the change log and the trash take', async (t) => {
    const { api, folder } = await startWithRestaurant(t);
    for (let count = 0; count < 2; count += 1) await upload(api);
    await api.delete('/restaurants/1');
    const lines = linesOf(folder);
    for (const line of [
      /^ok: 0 photos, 0 bytes$/,
      /^ok: 2 photo files in the trash, [1-9]\d*(\.\d kB| bytes)$/,
      /^ok: 4 changes since 20\S+Z, \d+\.\d kB$/,
    ])
      assert.ok(
        lines.some((one) => line.test(one)),
        `${String(line)} is not in ${lines.join('\n')}`,
      );
  });

  const spoiled: readonly [string, (folder: string) => void, RegExp][] = [
    [
      'a folder that is open to others',
      (folder) => {
        chmodSync(folder, 0o750);
      },
      /^risk: DATA_DIR \S+ is open to other users of this machine \(mode 750\); run: chmod 700 \S+$/,
    ],
    [
      'a database that is open to others',
      (folder) => {
        chmodSync(join(folder, 'catalogue.db'), 0o644);
      },
      /^risk: the database \S+ is open to other users of this machine \(mode 644\); run: chmod 600 \S+$/,
    ],
    [
      'a database from an older version',
      (folder) => {
        rmSync(join(folder, 'catalogue.db'));
        makeDatabaseBefore(folder, 'places', () => undefined);
      },
      /^note: the database is from an older version \(0006_places(?:, \d{4}_\w+)*\); the next start makes a backup in DATA_DIR, /,
    ],
    [
      'a database that is none',
      (folder) => {
        writeFileSync(join(folder, 'catalogue.db'), 'no database '.repeat(1_000));
      },
      /^fault: \S+catalogue\.db is damaged: /,
    ],
    [
      'a clock that is behind what was stored',
      (folder) => {
        changeStored(folder, `UPDATE restaurants SET created_at = '2999-01-01T00:00:00.000Z'`);
      },
      /^risk: the newest record is of 2999-01-01T00:00:00\.000Z, which the clock has not reached; /,
    ],
    [
      'a file where the folder should be',
      (folder) => {
        rmSync(folder, { recursive: true });
        writeFileSync(folder, '');
      },
      /^fault: DATA_DIR \S+ is not a folder; /,
    ],
  ];
  for (const [title, spoil, line] of spoiled)
    test(`shows ${title}, and nothing else`, async (t) => {
      const folder = await usedFolder(t);
      chmodSync(folder, 0o700);
      chmodSync(join(folder, 'catalogue.db'), 0o600);
      spoil(folder);
      const wrong = linesOf(folder).filter((one) => !one.startsWith('ok: '));
      assert.equal(wrong.length, 1, wrong.join('\n'));
      assert.match(wrong[0] ?? '', line);
    });
});

describe('the folder of backups, to the doctor,', () => {
  const own = { matters: false, areScheduled: false, isChosen: false };
  const wrongIn = (folder: string, settings: BackupSettings): string[] =>
    [...checkBackups(folder, settings, new Date())].map(lineOf);

  test('is not there yet, which is no fault, and is tried with a file where it is', (t) => {
    const place = temporaryFolder(t);
    const folder = join(place, 'backups');
    const scheduled = { ...own, dataFolder: place, areScheduled: true, isChosen: true };
    const none = `note: there is no backup in ${folder}; the service makes them while it runs; when one fails, its log says why`;
    assert.deepEqual(wrongIn(folder, scheduled), [none]);
    mkdirSync(folder);
    assert.deepEqual(wrongIn(folder, scheduled), [none]);
    assert.deepEqual(readdirSync(folder), []);
  });

  test('is a risk where nothing can be written to it', (t) => {
    const place = temporaryFolder(t);
    writeFileSync(join(place, 'file'), '');
    for (const folder of [join(place, 'file'), join(place, 'file', 'backups')])
      for (const areScheduled of [true, false])
        assert.match(
          wrongIn(folder, { ...own, dataFolder: place, areScheduled, isChosen: true })[0] ?? '',
          /^risk: no backup can be written to \S+ \(a part of this path is a file, not a folder\); change /,
        );
  });

  test('says how old the newest backup is, and that it is on the disk of the data', (t) => {
    const folder = join(temporaryFolder(t), 'backups');
    const settings = { ...own, dataFolder: join(folder, '..') };
    assert.match(wrongIn(folder, settings).join(), /^note: there is no backup in \S+; set BACKUP_SCHEDULE/);
    const made = datedName(new Date());
    mkdirSync(join(folder, made), { recursive: true });
    chmodSync(folder, 0o700);
    const [age, disk, ...more] = wrongIn(folder, settings);
    assert.match(age ?? '', /^ok: the newest backup in \S+ is 0 days old \(1 in all\)$/);
    assert.match(disk ?? '', /^note: \S+ is on the disk of the data; keep a copy /);
    assert.deepEqual(more, []);
    renameSync(join(folder, made), join(folder, 'catalogue-20260101T033000Z'));
    for (const [matters, level] of [
      [true, 'risk'],
      [false, 'note'],
    ] as const)
      assert.match(
        wrongIn(folder, { ...settings, matters })[0] ?? '',
        new RegExp(
          `^${level}: the newest backup in \\S+ is \\d+ days old \\(1 in all\\); set BACKUP_SCHEDULE`,
        ),
      );
  });
});
