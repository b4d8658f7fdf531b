import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { DAY_MS } from '../../src/kit/time.ts';
import { madeIn, runCommand, startServerProcess } from '../support/cli.ts';
import { type Client, field } from '../support/client.ts';
import { addManyTo, faultsIn } from '../support/merges.ts';
import { makeOldDatabase } from '../support/old-database.ts';
import { form, photoPart, sendForm } from '../support/photos.ts';
import { readStored } from '../support/people.ts';
import { temporaryFolder } from '../support/service.ts';
import { rounds } from '../support/size.ts';
import { injectInto, injected, whyNoInjection } from './inject.ts';
import { faultsOfDatabase, faultsOfFolder, untilAtRest } from './sound.ts';

const skip = whyNoInjection() ?? false;
// Of each system call: the first so many, or fewer where the work makes fewer.
const CALLS = rounds(1);
const SCORES = { food_rating: 5, service_rating: 5, ambiance_rating: 5 };

/** Work of a running server, the calls it makes, and whether what is stored of it is whole. */
interface Work {
  readonly calls: readonly string[];
  readonly prepare?: (api: Client, folder: string) => Promise<unknown>;
  readonly act: (api: Client) => Promise<unknown>;
  readonly isWhole: (folder: string) => boolean;
  /** Where the log does not say all that happens. */
  readonly faultsIn?: (folder: string) => string[];
}

const counted = (folder: string, sql: string): number => Number(field(readStored(folder, sql)[0], 'n'));

const PHOTO_OR_TRASH = 'SELECT (SELECT count(*) FROM photos) + (SELECT count(*) FROM photo_trash) AS n';

// A merge of as many ratings is done in a thread.
const MANY = 3_000;

/** Adds restaurant 3 with ratings and an item, to be merged into 1. */
async function addDouble(api: Client, folder: string, ratings: number): Promise<void> {
  await api.post('/restaurants', { name: 'Double', phone: '+33 1' });
  addManyTo(folder, 3, null, ratings, 5);
  for (const id of [1, 3]) await api.put(`/lists/want/items/${id}`, { note: String(id) });
}

/** Adds restaurant 3, and an outing to it or to 1. */
async function addOuting(api: Client): Promise<void> {
  await api.post('/restaurants', { name: 'Other' });
  await api.post('/outings', { at: new Date(Date.now() + DAY_MS).toISOString(), options: [1, 3] });
}

/** All that belonged to restaurant 3 is at 1 and nothing at 3, or the other way round. */
function mergedOrNot(ratings: number): Pick<Work, 'isWhole' | 'faultsIn'> {
  const isWhole = (folder: string): boolean => {
    const [found] = readStored(
      folder,
      `SELECT
        (SELECT count(*) FROM restaurants WHERE id = 3) AS here, (SELECT phone FROM restaurants WHERE id = 1) AS phone,
        (SELECT rating_count FROM restaurants WHERE id = 1) AS ratings,
        (SELECT count(*) FROM visits WHERE restaurant_id = 1) AS visits,
        (SELECT count(*) FROM list_items WHERE is_there = 1) AS items, (SELECT count(*) FROM moved) AS moved`,
    );
    const merged = { here: 0, phone: '+33 1', ratings, visits: 5, items: 1, moved: ratings + 5 };
    const separate = { here: 1, phone: null, ratings: 0, visits: 0, items: 2, moved: 0 };
    return [merged, separate].some((state) => isDeepStrictEqual(found, state));
  };
  return { isWhole, faultsIn: (folder) => [...faultsOfDatabase(folder), ...faultsIn({ folder })] };
}

const SERVED: Readonly<Record<string, Work>> = {
  'an upload': {
    calls: ['openat', 'rename', 'unlink', 'fsync,fdatasync', 'pwrite64'],
    act: (api) => sendForm(api, form(photoPart())),
    isWhole: () => true,
  },
  'the end of a photo': {
    calls: ['fsync,fdatasync', 'pwrite64'],
    act: (api) => api.delete('/photos/1'),
    isWhole: (folder) => counted(folder, PHOTO_OR_TRASH) === 1,
  },
  'the revert of an upload': {
    calls: ['fsync,fdatasync', 'pwrite64'],
    act: (api) => api.post('/changes/3/revert', {}),
    isWhole: (folder) => counted(folder, PHOTO_OR_TRASH) === 1,
  },
  'the end of a restaurant': {
    calls: ['fsync,fdatasync', 'pwrite64'],
    act: (api) => api.delete('/restaurants/1'),
    isWhole: (folder) =>
      counted(folder, 'SELECT count(*) AS n FROM restaurants WHERE id = 1') +
        counted(folder, 'SELECT count(*) AS n FROM deleted_restaurants WHERE change_id IS NOT NULL') ===
        1 && counted(folder, 'SELECT count(*) AS n FROM photos') === 1,
  },
  'the revert of the end of a restaurant': {
    calls: ['fsync,fdatasync', 'pwrite64'],
    prepare: (api) => api.delete('/restaurants/1'),
    act: (api) => api.post('/changes/4/revert', {}),
    isWhole: (folder) =>
      counted(folder, 'SELECT count(*) AS n FROM restaurants WHERE id = 1') +
        counted(folder, 'SELECT count(*) AS n FROM deleted_restaurants') ===
        1 && counted(folder, 'SELECT count(*) AS n FROM photos') === 1,
  },
  'the purge of a restaurant': {
    calls: ['fsync,fdatasync', 'pwrite64'],
    prepare: (api) => api.delete('/restaurants/1'),
    act: (api) => api.post('/changes/4/purge', {}),
    isWhole: (folder) => {
      const photos = counted(folder, PHOTO_OR_TRASH);
      const deleted = counted(folder, 'SELECT count(*) AS n FROM deleted_restaurants');
      const held = 'SELECT count(*) AS n FROM changes WHERE id = 4 AND kept_until IS NOT NULL';
      const revertible = counted(folder, held);
      return photos === revertible && deleted === revertible;
    },
  },
  'a merge': {
    calls: ['fsync,fdatasync', 'pwrite64'],
    prepare: (api, folder) => addDouble(api, folder, 10),
    act: (api) => api.post('/restaurants/1/merge', { from: [3] }),
    ...mergedOrNot(10),
  },
  'a merge in a thread': {
    calls: ['fsync,fdatasync', 'pwrite64'],
    prepare: (api, folder) => addDouble(api, folder, MANY),
    act: (api) => api.post('/restaurants/1/merge', { from: [3] }),
    ...mergedOrNot(MANY),
  },
  'the revert of a merge in a thread': {
    calls: ['fsync,fdatasync', 'pwrite64'],
    prepare: async (api, folder) => {
      await addDouble(api, folder, MANY);
      await api.post('/restaurants/1/merge', { from: [3] });
    },
    act: (api) => api.post('/changes/7/revert', {}),
    ...mergedOrNot(MANY),
  },
  'a vote': {
    calls: ['fsync,fdatasync', 'pwrite64'],
    prepare: addOuting,
    act: (api) => api.put('/outings/1/ballot', { coming: true, choices: { 3: 'yes' }, veto: 1 }),
    isWhole: (folder) => {
      const [voter] = readStored(folder, 'SELECT coming, choices, veto FROM outing_voters');
      const voted = { coming: 1, choices: '{"3":"yes"}', veto: 1 };
      const before = { coming: null, choices: '{}', veto: null };
      return [voted, before].some((state) => isDeepStrictEqual(voter, state));
    },
  },
  'the end of a vote': {
    calls: ['fsync,fdatasync', 'pwrite64'],
    prepare: async (api) => {
      await addOuting(api);
      await api.put('/outings/1/ballot', { coming: true, choices: { 3: 'yes' } });
    },
    act: (api) => api.post('/outings/1/close', {}),
    isWhole: (folder) => {
      const [outing] = readStored(folder, 'SELECT state, outcome, winner FROM outings');
      const decided = { state: 'decided', outcome: 'votes', winner: 3 };
      const before = { state: 'open', outcome: null, winner: null };
      return [decided, before].some((state) => isDeepStrictEqual(outing, state));
    },
  },
  'a conversion': {
    calls: ['fsync,fdatasync', 'pwrite64'],
    act: (api) => api.post('/suggestions/2/convert', { ...SCORES, comment: 'First' }),
    isWhole: (folder) => {
      const made = counted(folder, 'SELECT count(*) AS n FROM restaurants WHERE suggestion_id = 2');
      const rated = counted(folder, `SELECT count(*) AS n FROM ratings WHERE comment = 'First'`);
      const marked = counted(folder, `SELECT count(*) AS n FROM suggestions WHERE status = 'converted'`);
      return made === rated && rated === marked;
    },
  },
};

/** Kills a server at the n-th call of its work; returns whether the call was reached. */
async function killServerWithin(t: TestContext, work: Work, calls: string, when: number): Promise<boolean> {
  const variables = { DATA_DIR: temporaryFolder(t) };
  const server = await startServerProcess(t, variables);
  await server.api.post('/restaurants', { name: 'Chez Nous' });
  await server.api.post('/suggestions', { name: 'Le Petit Coin' });
  await sendForm(server.api, form(photoPart()));
  await work.prepare?.(server.api, variables.DATA_DIR);
  const letGo = await injectInto(server.process.pid ?? 0, { calls, effect: 'signal=SIGKILL', when });
  const survived = await work.act(server.api).then(
    () => true,
    () => false,
  );
  // What is left to do behind the answer may kill it still.
  await server.api.get('/health').catch(() => undefined);
  server.process.kill('SIGKILL');
  await server.ended;
  await letGo();
  const { DATA_DIR } = variables;
  const next = await startServerProcess(t, variables);
  await untilAtRest(DATA_DIR);
  next.process.kill('SIGTERM');
  assert.equal((await next.ended).code, 0);
  assert.deepEqual((work.faultsIn ?? faultsOfFolder)(DATA_DIR), [], `${calls} ${when}`);
  assert.ok(work.isWhole(DATA_DIR), `${calls} ${when}`);
  return !survived;
}

/** Kills at the first calls of each kind. Throws when none of them is reached. */
async function killAtEach(
  kinds: readonly string[],
  kill: (calls: string, when: number) => Promise<boolean>,
): Promise<void> {
  let killed = 0;
  for (const calls of kinds.slice(0, rounds(kinds.length)))
    for (let when = 1; when <= CALLS; when += 1) {
      if (!(await kill(calls, when))) break;
      killed += 1;
    }
  assert.ok(killed > 0);
}

describe('a server that is killed', { skip }, () => {
  for (const [name, work] of Object.entries(SERVED))
    test(`at each call within ${name} has it whole or not at all, and no stray file`, async (t) => {
      await killAtEach(work.calls, (calls, when) => killServerWithin(t, work, calls, when));
    });
});

describe('a command that is killed', { skip }, () => {
  const calls = ['fsync,fdatasync', 'pwrite64', 'unlink'];

  test('within a migration leaves a database that is migrated by the next one', async (t) => {
    await killAtEach(calls, async (call, when) => {
      const variables = { DATA_DIR: temporaryFolder(t) };
      makeOldDatabase(variables.DATA_DIR);
      const under = injected({ calls: call, effect: 'signal=SIGKILL', when });
      const first = await runCommand(['migrate'], { variables, under });
      const { code, err } = await runCommand(['migrate'], { variables });
      assert.deepEqual([code, err], [0, ''], `${call} ${when}`);
      // Its log knows nothing of rows that are older than the log.
      assert.deepEqual(faultsOfDatabase(variables.DATA_DIR), [], `${call} ${when}`);
      assert.equal(counted(variables.DATA_DIR, 'SELECT count(*) AS n FROM ratings'), 2);
      return first.code !== 0;
    });
  });

  test('within an import leaves a database that takes the file again', async (t) => {
    const root = temporaryFolder(t);
    const file = join(root, 'many.csv');
    const rows = Array.from({ length: 300 }, (_, index) => `R ${index},Street ${index},"Kind ${index % 9}"`);
    writeFileSync(file, `name,address,cuisine\n${rows.join('\n')}\n`);
    await killAtEach(calls, async (call, when) => {
      const variables = { DATA_DIR: join(root, `${call}-${when}`) };
      mkdirSync(variables.DATA_DIR);
      const under = injected({ calls: call, effect: 'signal=SIGKILL', when });
      const first = await runCommand(['import', file], { variables, under });
      const { code, err } = await runCommand(['import', file], { variables });
      // It may have been killed before it had made the catalogue, or after that and before it said so.
      const said = 'read as csv\n';
      const made = madeIn(variables.DATA_DIR) + said;
      assert.equal(code, 0, `${call} ${when}`);
      assert.ok(err === said || (err === made && first.err === ''), `${call} ${when}: ${err}`);
      assert.deepEqual(faultsOfFolder(variables.DATA_DIR), [], `${call} ${when}`);
      assert.equal(counted(variables.DATA_DIR, 'SELECT count(*) AS n FROM restaurants'), 300);
      return first.code !== 0;
    });
  });
});
