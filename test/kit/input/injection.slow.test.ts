import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Answer, type Client, field, ids, record } from '../../support/client.ts';
import { isPublic } from '../../support/fuzz-plans.ts';
import {
  INJECTIONS,
  PAIRS,
  type Spot,
  WORDS_OF_PAIRS,
  injected,
  injectionSpots,
  probeOf,
} from './injections.ts';
import { LOCAL, makeAdmin, readStored, signUp } from '../../support/people.ts';
import { upload } from '../../support/photos.ts';
import { type Service, startService } from '../../support/service.ts';
import type { Cleanup } from '../../support/cleanup.ts';
import { faultsOfDatabase } from '../../faults/sound.ts';

const SPOTS = injectionSpots();
// Messages of SQLite and its driver about wrong input.
const DATABASE_WORDS =
  /sqlite|syntax error|near "|no such|unrecognized token|constraint failed|mismatch|malformed match|fts5|unterminated|incomplete input|bind|too big/i;
// Which hash a password, or need something made first. These and what takes no text get every fourth of the texts alone.
const COSTLY: readonly string[] = ['register', 'login', 'convertSuggestion'];
const TABLES: readonly string[] = ['restaurants', 'suggestions', 'categories', 'food_types', 'users'];

/** Sends a value to a place of a request. */
type Probing = (spot: Spot, value: string) => Promise<Answer>;

interface Target {
  readonly service: Service;
  readonly probe: Probing;
  /** How many rows the service says that it made, by their tables. */
  readonly made: ReadonlyMap<string, number>;
}

/** A service with something of every kind, and an administrator who asks it. */
async function startTarget(t: Cleanup): Promise<Target> {
  const service = await startService(t, { ...LOCAL, LOG_LEVEL: 'error' });
  const alice = await signUp(service, 'alice');
  makeAdmin(service, alice);
  const made = new Map<string, number>();
  let number = 0;
  await alice.api.post('/restaurants', { name: 'Chez Nous' });
  for (const name of ['Witness', 'bistro'])
    await alice.api.post('/restaurants', { name, description: WORDS_OF_PAIRS });
  await upload(alice.api);

  const send = async (api: Client, spot: Spot, value: string): Promise<Answer> => {
    number += 1;
    const { operationId, path } = spot.operation;
    // A suggestion is converted once.
    const isOfSuggestion = path.startsWith('/api/suggestions/') && spot.place === 'body';
    const id = isOfSuggestion ? await suggest(alice.api, number) : '1';
    const { method, target, body } = probeOf(spot, value, id, number);
    if (isOfSuggestion) count('suggestions');
    const json = body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
    const answer = await api.send(target, { method, ...json });
    const [, collection = ''] = /^\/api\/([a-z-]+)\/\d+$/.exec(answer.headers.get('location') ?? '') ?? [];
    if (answer.status === 201) count(operationId === 'register' ? 'users' : collection.replace('-', '_'));
    return answer;
  };
  const count = (table: string): void => {
    made.set(table, (made.get(table) ?? 0) + 1);
  };
  const probe: Probing = (spot, value) =>
    send(isPublic(spot.operation) ? service.api : alice.api, spot, value);
  return { service, probe, made };
}

async function suggest(api: Client, number: number): Promise<string> {
  const { body } = await api.post('/suggestions', { name: `Suggested ${number}`, address: `Here ${number}` });
  return String(field(body, 'id'));
}

/** The fault of the answer to a value that was sent to a place. */
function faultsOf(spot: Spot, sent: string, { status, body }: Answer): string[] {
  const faults: string[] = [];
  const text = JSON.stringify(body).replaceAll(JSON.stringify(sent).slice(1, -1), '');
  if (status >= 500 || (spot.place === 'path' && status < 400)) faults.push(`status ${status}`);
  if (status >= 400 && DATABASE_WORDS.test(text)) faults.push(text);
  const stored = status < 300 && spot.place === 'body' ? record(body)[spot.name] : undefined;
  const clean = sent.replaceAll('\u0000', '').trim();
  if (typeof stored === 'string' && stored !== clean) faults.push(`stored as ${stored}`);
  return faults;
}

/** What may not differ between a true and a false condition: status, the records of a list, the words of a refusal. */
function outcomeOf(sent: string, { status, body }: Answer): string {
  const part = typeof body === 'object' && body !== null && 'restaurants' in body ? body.restaurants : body;
  // Similar places are restaurants with what they share.
  if (Array.isArray(part))
    return `${status} ${ids(part.map((one: unknown) => record(one)['restaurant'] ?? one)).join()}`;
  return status < 300
    ? String(status)
    : `${status} ${JSON.stringify(body).replaceAll(JSON.stringify(sent).slice(1, -1), '')}`;
}

/** What no request of the test names, as it is stored. */
function witnessesIn({ folder }: Service): unknown[] {
  const statements = [
    `SELECT type, name, sql FROM sqlite_schema ORDER BY type, name`,
    `SELECT * FROM restaurants WHERE name = 'Witness'`,
    `SELECT * FROM categories WHERE id BETWEEN 2 AND 10 ORDER BY id`,
    `SELECT * FROM food_types WHERE id BETWEEN 2 AND 10 ORDER BY id`,
    `SELECT id, email, password_hash, is_admin, is_active FROM users WHERE id = 1 OR is_admin = 1`,
  ];
  return statements.map((statement) => readStored(folder, statement));
}

function countsIn({ folder }: Service): number[] {
  const count = (table: string): unknown => readStored(folder, `SELECT count(*) AS count FROM ${table}`)[0];
  return TABLES.map((table) => Number(field(count(table), 'count')));
}

describe('text that a database might take for its own', () => {
  for (const place of ['path', 'query', 'body'] as const)
    test(`is nothing but a value wherever it stands in a ${place}`, async (t) => {
      const { service, probe, made } = await startTarget(t);
      const [witnesses, counts] = [witnessesIn(service), countsIn(service)];
      const spots = SPOTS.filter((spot) => spot.place === place);
      const wrong: string[] = [];
      const found = new Set<string>();
      let asked = 0;
      const ask = async (spot: Spot, text: string): Promise<string> => {
        const sent = injected(spot, text);
        const answer = await probe(spot, sent);
        asked += 1;
        const where = `${spot.operation.operationId} ${spot.name}=${sent}`;
        wrong.push(...faultsOf(spot, sent, answer).map((fault) => `${where}: ${fault}`));
        return outcomeOf(sent, answer);
      };

      for (const spot of spots) {
        const isCostly = COSTLY.includes(spot.operation.operationId) || typeof spot.good === 'number';
        const step = isCostly ? 4 : 1;
        for (let at = 0; at < INJECTIONS.length; at += step) await ask(spot, INJECTIONS[at] ?? '');
        for (const pair of PAIRS) {
          const [whenTrue, whenFalse] = [await ask(spot, pair[0]), await ask(spot, pair[1])];
          found.add(whenTrue);
          if (whenTrue !== whenFalse)
            wrong.push(
              `${spot.operation.operationId} ${spot.name}=${pair[0]}: ${whenTrue}, but ${whenFalse}`,
            );
        }
      }

      t.diagnostic(`${spots.length} places, ${asked} requests, ${found.size} outcomes`);
      assert.ok(spots.length > 20 && found.size > 5);
      assert.deepEqual(wrong, []);
      assert.deepEqual(service.logs, []);
      assert.deepEqual(witnessesIn(service), witnesses);
      const expected = TABLES.map((table, index) => (counts[index] ?? 0) + (made.get(table) ?? 0));
      assert.deepEqual(countsIn(service), expected);
      assert.deepEqual(faultsOfDatabase(service.folder), []);
    });
});
