import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseSince } from '../../src/cli/changes.ts';
import { fingerprint } from '../support/backups.ts';
import { createRestaurants, rate } from '../support/catalogue.ts';
import { type Ended, importOn, runOn, startCommand, startServerProcess } from '../support/cli.ts';
import { field } from '../support/client.ts';
import { linesOf } from '../support/imports.ts';
import { LOCAL, changeStored, makeAdmin, person, signUp } from '../support/people.ts';
import { startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const changes = (folder: string, ...args: readonly string[]): Promise<Ended> =>
  runOn(folder, 'changes', ...args);

function idsIn(out: string): number[] {
  return out
    .split('\n')
    .slice(0, -1)
    .map((line) => Number(line.split('  ')[1]));
}

const upTo = (end: number, start = 1): number[] =>
  Array.from({ length: end - start + 1 }, (_, index) => start + index);

/** The lines of changes without their times. */
const withoutTimes = (out: string): string[] =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => line.slice(26));

describe('catalogue changes', () => {
  test('says when, who, what, and which fields', async (t) => {
    const service = await startService(t, LOCAL);
    const { api } = await signUp(service, 'alice');
    await createRestaurants(api, [{ name: 'Chez Nous' }]);
    await api.put('/restaurants/1', { phone: '1', website: 'https://a.example' });
    await rate(api, 1, 5);
    await api.delete('/ratings/1');
    await importOn(service.folder, 'name\nBar B\n');
    const { out } = await changes(service.folder);
    for (const line of out.trimEnd().split('\n'))
      assert.match(line, /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z {2}\d+ {2}/);
    assert.deepEqual(withoutTimes(out), [
      '1  alice  create restaurant 1  Chez Nous',
      '2  alice  update restaurant 1  Chez Nous  (phone, website)',
      '3  alice  create rating 1  Chez Nous',
      '4  alice  delete rating 1  Chez Nous',
      '5  command line  create restaurant 2  Bar B  batch 1',
    ]);
  });

  test('names reverts and writes without an account, and cannot be made to steer a terminal by a name', async (t) => {
    const { api, folder, stop } = await startService(t);
    await createRestaurants(api, [{ name: 'Chez Nous' }, { name: 'Bar B' }]);
    await api.post('/changes/1/revert', {});
    await stop();
    changeStored(folder, 'UPDATE changes SET name = ? WHERE id = 2', 'a\u001b[2Jb\nc\u202ed');
    assert.deepEqual(withoutTimes((await changes(folder)).out), [
      '1  no account  create restaurant 1  Chez Nous  reverted by 3',
      '2  no account  create restaurant 2  a\\u{1b}[2Jb\\u{a}c\\u{202e}d',
      '3  no account  delete restaurant 1  Chez Nous  reverts 1',
    ]);
  });

  test('as JSON prints one change a line, as GET /api/changes does to an administrator', async (t) => {
    const service = await startService(t, LOCAL);
    const alice = await signUp(service, 'alice');
    makeAdmin(service, alice);
    const signedIn = await service.api.post('/auth/login', {
      email: alice.email,
      password: alice.password,
    });
    const { api } = person(service.url, signedIn.body, alice.password);
    await createRestaurants(api, [{ name: 'Chez "Nous"' }]);
    await rate(api, 1, 3);
    await api.delete('/restaurants/1');
    const lines = linesOf({ body: (await changes(service.folder, '--since', 'start', '--json')).out });
    assert.deepEqual(lines, field((await api.get('/changes?since=start')).body, 'data'));
    assert.equal(lines.length, 3);
  });

  test('lists the newest twenty, those behind a change, or from a time on, and writes nothing', async (t) => {
    const { api, folder, stop } = await startService(t);
    await createRestaurants(
      api,
      upTo(30).map((number) => ({ name: `R ${number}` })),
    );
    const { code, out, err } = await changes(folder);
    assert.deepEqual([code, idsIn(out), err], [0, upTo(30, 11), ''], 'while the service runs');
    await stop();
    changeStored(folder, `UPDATE changes SET at = '2026-01-01T00:00:00.000Z' WHERE id <= ?`, 7);
    changeStored(folder, `UPDATE changes SET at = '2026-01-02T00:00:00.000Z' WHERE id BETWEEN 8 AND ?`, 9);
    const before = fingerprint(folder);
    const cases: readonly (readonly [string, readonly number[]])[] = [
      ['start', upTo(30)],
      ['17', upTo(30, 18)],
      ['30', []],
      ['2026-01-01', upTo(30)],
      ['2026-01-01T00:01Z', upTo(30, 8)],
      ['2026-01-02 00:00:00.001', upTo(30, 10)],
      ['1h', upTo(30, 10)],
      ['999999w', upTo(30)],
      ['9999-01-01', []],
    ];
    for (const [since, expected] of cases) {
      const ended = await changes(folder, '--since', since);
      assert.deepEqual([ended.code, idsIn(ended.out)], [0, expected], since);
    }
    assert.deepEqual(fingerprint(folder), before);
  });

  test('refuses a change that is not there yet, or whose successors are no longer stored', async (t) => {
    const { api, folder, stop } = await startService(t);
    await createRestaurants(
      api,
      upTo(5).map((number) => ({ name: `R ${number}` })),
    );
    await stop();
    const early = { code: 1, out: '', err: 'there is no change 6 yet; the newest is 5\n' };
    assert.deepEqual(await changes(folder, '--since', '6'), early);
    changeStored(folder, 'DELETE FROM changes WHERE id <= ?', 3);
    changeStored(folder, `UPDATE change_floor SET change_id = 3, mark = 'x'`);
    assert.deepEqual(idsIn((await changes(folder, '--since', '3')).out), [4, 5]);
    assert.deepEqual(idsIn((await changes(folder)).out), [4, 5]);
    const { code, err } = await changes(folder, '--since', '2');
    assert.equal(code, 1);
    assert.match(err, /^changes up to 3 are no longer stored \(CHANGE_LOG_DAYS\); [^\n]+\n$/);
  });

  test('reads texts of times and places alone', () => {
    const now = new Date('2026-05-01T12:00:00.000Z');
    assert.deepEqual(parseSince('90m', now), { kind: 'time', at: '2026-05-01T10:30:00.000Z' });
    assert.deepEqual(parseSince('3d', now), { kind: 'time', at: '2026-04-28T12:00:00.000Z' });
    assert.deepEqual(parseSince('2026-01-02T01:00+01:00', now), {
      kind: 'time',
      at: '2026-01-02T00:00:00.000Z',
    });
    for (const text of ['', 'x', '-1', '1.5', '3', '3y', '2026', '2026-13-01', '2026-01-01T', 'Start'])
      assert.equal(parseSince(text, now)?.kind, text === '3' || text === '2026' ? 'change' : undefined, text);
  });
});

describe('catalogue changes --follow', () => {
  test('goes on with what a running service and other commands write, each once, until SIGTERM', async (t) => {
    const DATA_DIR = temporaryFolder(t);
    const { api } = await startServerProcess(t, { DATA_DIR });
    await api.post('/restaurants', { name: 'Chez Nous' });
    const follower = startCommand(['changes', '--follow', '--json'], { variables: { DATA_DIR } });
    let out = '';
    follower.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    const closed = new Promise<number | null>((resolve) => follower.on('close', resolve));
    const names = (): unknown[] => [...out.matchAll(/"name":"([^"]+)".*\n/g)].map(([, name]) => name);
    await until(() => names().length === 1);
    await api.post('/restaurants', { name: 'Sakura' });
    await until(() => names().length === 2);
    await importOn(DATA_DIR, 'name\nA\nB\n');
    await until(() => names().length === 4);
    follower.kill('SIGTERM');
    assert.equal(await closed, 0);
    assert.deepEqual(names(), ['Chez Nous', 'Sakura', 'A', 'B']);
  });
});
