import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import type { Route } from '../../../src/http/router.ts';
import { apiTokenOf, bearing, remove } from '../../support/accounts.ts';
import { runCommand } from '../../support/cli.ts';
import { type Answer, type Client, createClient, field, textOf } from '../../support/client.ts';
import { KEYED, keepSecrets, readOwn, secretsIn } from '../../support/secrets.ts';
import { follow } from '../../support/streams.ts';
import { until } from '../../support/until.ts';
import { type World, startWorld } from '../../support/world.ts';

interface Kept extends World {
  /** Everyone but the owner. */
  readonly others: Readonly<Record<string, Client>>;
  readonly list: number;
  readonly visit: number;
  /** The id of the newest change. */
  readonly last: number;
}

const METRICS_TOKEN = 'a-token-of-the-tests-for-metrics';

async function keep(t: TestContext): Promise<Kept> {
  const world = await startWorld(t, { METRICS_TOKEN, LOG_LEVEL: 'debug' });
  const made = await keepSecrets(world);
  const { admin, other, service } = world;
  const bearer = (token: string): Client => createClient(service.url, bearing(token));
  const others = {
    other,
    admin,
    stranger: service.api,
    monitor: bearer(METRICS_TOKEN),
    'admin with an API token': bearer(await apiTokenOf(admin)),
    'other with an API token': bearer(await apiTokenOf(other)),
  };
  return { ...world, ...made, others, last: Number(await lastChange(world)) };
}

async function lastChange({ owner }: World): Promise<unknown> {
  const { body } = await owner.get('/changes?order=newest&limit=1');
  const [newest] = [field(body, 'data')].flat();
  return field(newest, 'id');
}

/** The paths that a pattern stands for, with every id that may name something. */
function pathsOf({ pattern }: Route, last: number): string[] {
  if (!pattern.includes(':')) return [pattern];
  const ids = ['want', 'favourites', ...Array.from({ length: last + 2 }, (_, index) => String(index + 1))];
  return ids.map((id) => pattern.replace(':restaurantId', '1').replace(/:\w+/g, id));
}

const QUERIES: Readonly<Record<string, readonly string[]>> = {
  listChanges: [
    ...['kind=list', 'kind=visit', 'kind=list&entity_id=9', 'batch_id=1', 'actor=2', 'action=delete'].map(
      (filter) => `since=start&${filter}`,
    ),
    'since=start&limit=1000',
    'order=newest&limit=1000',
  ],
  search: ['q=zyzzyva', 'q=gallimaufry', 'q=Rumpelstiltskin', 'q=quincunx'],
  listUsers: ['limit=100', 'q=Rumpelstiltskin'],
  listVisits: ['limit=100', 'restaurant_id=1', 'from=2026-01-31'],
  listRestaurants: ['', 'include_suggestions=false'],
  listOwnRatings: ['user=me'],
};

/** All that an answer holds. */
const whole = ({ headers, body }: Answer): string => JSON.stringify([[...headers], body]);

/** Asks for everything that can be read; returns where a secret or a private change was found. */
async function readAll({ service, last }: Kept, api: Client): Promise<string[]> {
  const found: string[] = [];
  const reads = service.routes.filter(
    ({ method, operationId }) => method === 'GET' && operationId !== 'streamChanges',
  );
  for (const route of reads)
    for (const path of pathsOf(route, last))
      for (const query of QUERIES[route.operationId] ?? ['']) {
        const text = whole(await api.send(`${path}?${query}`, {}));
        const isPrivate =
          /"kind":"(?:list|visit)"/.test(text) && !/openapi|docs/i.test(route.operationId + path);
        if (secretsIn(text).length > 0 || isPrivate) found.push(`${path}?${query}`);
      }
  return found;
}

// They would end the callers themselves, or take away what is asked for next.
const LEFT_OUT = [
  'logout',
  'deleteCurrentUser',
  'endSession',
  'endAccess',
  'deleteApiToken',
  'changePassword',
  'deleteUser',
];

/** Sends every write with every id; returns where a secret was found. */
async function writeAll({ service, last }: Kept, api: Client): Promise<string[]> {
  const found: string[] = [];
  const writes = service.routes.filter(
    ({ method, operationId, pattern }) =>
      method !== 'GET' && !LEFT_OUT.includes(operationId) && !/^\/api\/(?:users|invitations)/.test(pattern),
  );
  for (const { method, ...route } of writes)
    for (const path of pathsOf({ method, ...route }, last)) {
      const answer = await api.send(path, {
        method,
        headers: { 'Content-Type': 'application/json' },
        ...(method !== 'DELETE' && { body: JSON.stringify({ restaurant_id: 1, note: 'x' }) }),
      });
      if (secretsIn(whole(answer)).length > 0) found.push(`${method} ${path}`);
    }
  return found;
}

describe('lists, visits and outings of a user', () => {
  test('are read by no one else, by any route', async (t) => {
    const kept = await keep(t);
    // That all of it can be found is what makes the rest worth anything.
    assert.equal(secretsIn(await readOwn(kept.owner)).length, 15);
    for (const ask of [readAll, writeAll])
      for (const [name, api] of Object.entries(kept.others)) assert.deepEqual(await ask(kept, api), [], name);
    assert.deepEqual(secretsIn(JSON.stringify(kept.service.logs)), []);
  });

  test('are answered to no one else who repeats a request with its key', async (t) => {
    const kept = await keep(t);
    for (const api of [kept.other, kept.admin])
      for (const [path, body, key] of KEYED) {
        const { headers } = await api.post(path, body, { 'Idempotency-Key': key });
        assert.equal(headers.get('idempotent-replay'), null);
      }
  });

  test('are in no stream of another', async (t) => {
    const { service, people, owner, list, last } = await keep(t);
    for (const person of [people.other, people.admin]) {
      const headers = { Authorization: `Bearer ${person.accessToken}` };
      const from = field((await person.api.get('/changes?since=start&limit=1')).body, 'next');
      const stream = await follow(t, service.url, { query: `since=${String(from)}`, headers });
      await owner.put(`/lists/${list}`, { description: `zyzzyva list ${person.id}` });
      // What follows is sent behind it.
      const { body } = await person.api.post('/restaurants', { name: `Marker ${person.id}` });
      await until(() => stream.events.some(({ data }) => data['entity_id'] === field(body, 'id')));
      const kinds = stream.events.map(({ data }) => data['kind']);
      assert.ok(!kinds.includes('list') && !kinds.includes('visit'));
      assert.deepEqual(secretsIn(JSON.stringify(stream.events)), []);
      assert.ok(Number(stream.events.at(-1)?.data['id']) > last);
    }
  });

  test('are in no export, and in no output of a command', async (t) => {
    const { service } = await keep(t);
    const variables = { DATA_DIR: service.folder };
    const commands = [
      ...['csv', 'ndjson', 'geojson'].map((format) => ['export', '--format', format]),
      ['changes', '--since', 'start'],
      ['changes', '--since', 'start', '--json'],
      ['changes'],
      ['check'],
      ['doctor'],
      ['user', 'list'],
      ['user', 'sessions', 'alice@example.com'],
      ...[1, 2, 3, 4, 5, 6].map((id) => ['revert', String(id)]),
      ['revert', '--batch', '1'],
    ];
    for (const args of commands) {
      const { out, err } = await runCommand(args, { variables });
      assert.deepEqual(secretsIn(out + err), [], args.join(' '));
      assert.doesNotMatch(out, /(?:create|update|delete) (?:list|visit) /);
    }
  });

  test('leave nothing behind when the account goes, but places in the log at which cursors stand', async (t) => {
    const { owner, admin, other, people, list, last, service } = await keep(t);
    const before = (await admin.get('/changes?since=start&limit=1000')).body;
    const cursors: string[] = [];
    for (let limit = 1; limit <= last; limit += 1)
      cursors.push(textOf((await owner.get(`/changes?since=start&limit=${limit}`)).body, 'next'));
    assert.equal((await remove(owner, '/auth/me', { password: people.owner.password })).status, 204);
    for (const cursor of cursors)
      for (const api of [admin, other]) assert.equal((await api.get(`/changes?since=${cursor}`)).status, 200);
    const after = (await admin.get('/changes?since=start&limit=1000')).body;
    assert.equal([field(after, 'data')].flat().length, [field(before, 'data')].flat().length);
    for (let id = 1; id <= last; id += 1)
      assert.deepEqual(secretsIn(whole(await admin.get(`/changes/${id}`))), []);
    assert.equal((await admin.get(`/lists/${list}`)).status, 404);
    // A batch that holds changes of theirs can still be undone.
    const { status, body } = await admin.post('/batches/1/revert', {});
    assert.deepEqual(
      [status, field(body, 'error')],
      [409, 'Batch 1 cannot be reverted: 1 obstacle: all of it was reverted before'],
    );
    const files = readdirSync(service.folder).filter((name) => name.startsWith('catalogue.db'));
    const text = (name: string): string => readFileSync(join(service.folder, name)).toString('latin1');
    await until(() => files.every((name) => secretsIn(text(name)).length === 0));
    const checked = await runCommand(['check'], { variables: { DATA_DIR: service.folder } });
    assert.equal(checked.code, 0, checked.out);
  });
});
