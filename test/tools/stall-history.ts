import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { ask } from '../faults/support.ts';
import { hundredths } from './report.ts';
import { ATTACKER, FILLED, JSON_TYPE, type Statuses } from './stall-attacks.ts';
import { ATTACK, type Fault, type Target } from './stall-target.ts';

// Deletions that take much along, and their reverts, one after the other within the limits of one address.

const ROUNDS = 4;
// 20 KB, the longest that a rating may have, and a list's longest note.
const COMMENT = '🍜'.repeat(5_000);
const NOTE = '🍜'.repeat(1_000);
const VISIT_NOTE = '🍜'.repeat(5_000);
const NOW = '2026-01-01T00:00:00.000Z';

/** Adds rows behind the back of a service, in transactions so short that it hardly waits. */
async function addRows(
  { folder }: Target,
  count: number,
  addRow: (database: Database.Database, index: number) => void,
): Promise<void> {
  const database = new Database(join(folder, 'catalogue.db'), { timeout: 10_000 });
  try {
    for (let from = 0; from < count; from += 50) {
      database.transaction(() => {
        for (let index = from; index < Math.min(count, from + 50); index += 1) addRow(database, index);
      })();
      await pause(5);
    }
  } finally {
    database.close();
  }
  await pause(2_000);
}

function addRatings(target: Target, restaurantId: number, count: number): Promise<void> {
  return addRows(target, count, (database) => {
    const { lastInsertRowid: id } = database
      .prepare(
        `INSERT INTO ratings (
           restaurant_id, food_rating, service_rating, ambiance_rating, comment, created_at, updated_at
         ) VALUES (?, 5, 4, 3, ?, ?, ?)`,
      )
      .run(restaurantId, COMMENT, NOW, NOW);
    database
      .prepare(
        `INSERT INTO changes (at, kind, entity_id, restaurant_id, action, name, after, via)
         VALUES (?, 'rating', ?, ?, 'create', 'Rated', json_object('comment', ?), 'api')`,
      )
      .run(NOW, id, restaurantId, COMMENT);
  });
}

function addVisits(target: Target, restaurantId: number, count: number): Promise<void> {
  const dishes = JSON.stringify([
    { name: 'Ramen', stars: 5, price_minor: null, note: VISIT_NOTE, again: true },
  ]);
  return addRows(target, count, (database) => {
    database
      .prepare(
        `INSERT INTO visits (restaurant_id, visited_on, note, dishes, created_at, updated_at)
         VALUES (?, '2026-01-01', ?, ?, ?, ?)`,
      )
      .run(restaurantId, VISIT_NOTE, dishes, NOW, NOW);
  });
}

/** Rows as long as they may be, for those who ask for them. */
export async function fillIn(target: Target, attempt: number): Promise<void> {
  if (attempt > 0) return;
  await addVisits(target, FILLED, 300);
  await addRatings(target, FILLED, 2_000);
}

/** Makes an own list of so many items with notes and returns its id. */
async function addList(target: Target, name: string, count: number): Promise<number> {
  const { body } = await ask(target.port, '/api/lists', {
    method: 'POST',
    headers: JSON_TYPE,
    localAddress: ATTACKER,
    body: JSON.stringify({ name }),
  });
  const id = Number(/"id":(\d+)/.exec(body)?.[1]);
  await addRows(target, count, (database, index) => {
    database
      .prepare(
        'INSERT INTO list_items (list_id, restaurant_id, rank, note, created_at) VALUES (?, ?, ?, ?, ?)',
      )
      .run(id, 1_000 + index, index * 1_000, NOTE, NOW);
  });
  return id;
}

/** Deletes, reads the change and undoes it, again and again; says how long each took at worst. */
async function undoAgain({ port }: Target, path: string, end?: 'purge'): Promise<Statuses> {
  const statuses: Record<string, number> = {};
  const worst: Record<string, number> = {};
  const call = async (what: string, method: string, at: string): Promise<string> => {
    const { status, ms, body } = await ask(port, `/api${at}`, {
      method,
      headers: JSON_TYPE,
      localAddress: ATTACKER,
      ...(method === 'POST' && { body: '{}' }),
    });
    statuses[status] = (statuses[status] ?? 0) + 1;
    worst[what] = hundredths(Math.max(worst[what] ?? 0, ms));
    return body;
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    await call('delete', 'DELETE', path);
    const kind = path.startsWith('/lists') ? 'list' : 'restaurant';
    const trash = await call('trash', 'GET', `/changes?kind=${kind}&action=delete&order=newest&limit=1`);
    const id = String(/"id":(\d+)/.exec(trash)?.[1]);
    await call('read', 'GET', `/changes/${id}`);
    if (end && round === ROUNDS - 1) await call('purge', 'POST', `/changes/${id}/purge`);
    else await call('revert', 'POST', `/changes/${id}/revert`);
  }
  console.log(JSON.stringify({ path, worst, statuses }));
  // What is left to be done goes on in the background.
  await pause(5_000);
  return statuses;
}

/** Each attempt has a restaurant of its own. */
const restaurantOf = (first: number, attempt: number): number => first + attempt;

function ratedFault(count: number, first: number): Fault {
  return {
    name: `a restaurant with ${count} long ratings that is deleted and restored`,
    bounds: ATTACK,
    prepare: (target, attempt) => addRatings(target, restaurantOf(first, attempt), count),
    work: (target, attempt) => undoAgain(target, `/restaurants/${restaurantOf(first, attempt)}`),
  };
}

function listFault(count: number): Fault {
  const ids = new Map<number, number>();
  return {
    name: `a list of ${count} items with notes that is deleted and restored`,
    bounds: ATTACK,
    prepare: async (target, attempt) => {
      ids.set(attempt, await addList(target, `${count} items ${attempt}`, count));
    },
    work: (target, attempt) => undoAgain(target, `/lists/${ids.get(attempt) ?? 0}`),
  };
}

/** What one caller deletes and restores. */
export const HISTORY_FAULTS: readonly Fault[] = [
  ratedFault(2_000, 101),
  ratedFault(9_000, 111),
  {
    name: 'a restaurant with 2000 long ratings that is purged',
    bounds: ATTACK,
    prepare: (target, attempt) => addRatings(target, restaurantOf(121, attempt), 2_000),
    work: (target, attempt) => undoAgain(target, `/restaurants/${restaurantOf(121, attempt)}`, 'purge'),
  },
  {
    name: 'a restaurant with 1000 long visits that is deleted and restored',
    bounds: ATTACK,
    prepare: (target, attempt) => addVisits(target, restaurantOf(131, attempt), 1_000),
    work: (target, attempt) => undoAgain(target, `/restaurants/${restaurantOf(131, attempt)}`),
  },
  listFault(2_500),
  listFault(5_000),
];
