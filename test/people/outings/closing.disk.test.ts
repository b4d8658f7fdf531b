import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRestaurants, randomNumbers } from '../../support/catalogue.ts';
import { type ServerProcess, startServerProcess } from '../../support/cli.ts';
import { type Client, bodyOf, field } from '../../support/client.ts';
import {
  ALWAYS,
  type OutingSeen,
  addOuting,
  ballot,
  endVoting,
  joinAs,
  openLink,
  refusalOf,
  resultOf,
  startOutings,
  voteByLink,
} from '../../support/outings.ts';
import { LOCAL, changeStored, readStored } from '../../support/people.ts';
import { startService, temporaryFolder } from '../../support/service.ts';
import { SEED, rounds } from '../../support/size.ts';
import { until } from '../../support/until.ts';
import { holdWriteLock } from '../../support/write-lock.ts';

const OUTINGS = 12;
const ENDED = [409, 'Voting has ended'];
// Voting ends so long after all is made.
const OPEN_MS = 300;

/** Counts how often each outing is decided, while a server runs. */
function startCounting(folder: string): void {
  changeStored(folder, 'CREATE TABLE decisions (id INTEGER)');
  changeStored(
    folder,
    `CREATE TRIGGER counted AFTER UPDATE OF state ON outings WHEN new.state = 'decided' BEGIN
       INSERT INTO decisions VALUES (new.id); END`,
  );
}

/** The outings that were decided since then; no server starts with what counts them. */
function stopCounting(folder: string): unknown[] {
  const decided = readStored(folder, 'SELECT id FROM decisions').map((row) => field(row, 'id'));
  for (const name of ['TRIGGER counted', 'TABLE decisions']) changeStored(folder, `DROP ${name}`);
  return decided;
}

/** A server with outings that all end at the same moment, each with a guest's vote for its second option. */
async function prepare(server: ServerProcess, folder: string): Promise<{ all: OutingSeen[]; end: number }> {
  const { api } = server;
  const [first = 0, second = 0] = await createRestaurants(
    api,
    ['A', 'B'].map((name) => ({ name, ...ALWAYS })),
  );
  const all: OutingSeen[] = [];
  for (let count = 0; count < OUTINGS; count += 1) {
    const outing = await addOuting(api, [first, second]);
    await joinAs(api, outing, 'Zoë', ballot({ [second]: 'yes' }));
    all.push(outing);
  }
  startCounting(folder);
  const end = Date.now() + OPEN_MS;
  changeStored(folder, 'UPDATE outings SET closes_at = ?', new Date(end).toISOString());
  return { all, end };
}

/** Closes all outings by hand until the server is gone; returns the answers. */
async function closeAll(api: Client, all: readonly OutingSeen[]): Promise<unknown[]> {
  const answers = await Promise.allSettled(
    all.flatMap(({ id }) => [0, 1].map(() => api.post(`/outings/${id}/close`, {}))),
  );
  return answers.flatMap((one) => (one.status === 'fulfilled' ? [bodyOf(one.value)] : []));
}

describe('the end of voting', () => {
  test(`by the timer, by requests and after a kill decides once (SEED=${SEED})`, async (t) => {
    const random = randomNumbers(SEED);
    for (let round = 0; round < rounds(2); round += 1) {
      const variables = { DATA_DIR: temporaryFolder(t) };
      const folder = variables.DATA_DIR;
      const server = await startServerProcess(t, variables);
      const { all, end } = await prepare(server, folder);
      // Requests come about when voting ends, and the kill within all that.
      await sleep(Math.max(0, end - Date.now() - 20));
      const closing = closeAll(server.api, all);
      await sleep(random() * 120);
      server.process.kill('SIGKILL');
      await server.ended;
      const answers = await closing;
      for (const answer of answers) assert.deepEqual(resultOf(answer), [2, 'votes']);
      const decided = stopCounting(folder);
      const next = await startServerProcess(t, variables);
      startCounting(folder);
      for (const outing of all) {
        const late = await voteByLink(next.api, outing, { name: 'Max', ...ballot({ 1: 'yes' }, 2) });
        assert.deepEqual(refusalOf(late), ENDED);
      }
      await closeAll(next.api, all);
      const open = `SELECT id FROM outings WHERE state = 'open'`;
      await until(() => readStored(folder, open).length === 0);
      // A second decision would come with the next turn of the timer.
      await sleep(1_200);
      decided.push(...stopCounting(folder));
      assert.equal(new Set(decided).size, decided.length, `round ${round}`);
      for (const outing of all) assert.deepEqual(resultOf(await openLink(next.api, outing)), [2, 'votes']);
      next.process.kill('SIGTERM');
      assert.equal((await next.ended).code, 0);
    }
  });

  test('refuses ballots from that moment on, though the timer cannot write', async (t) => {
    const { owner, service } = await startOutings(t);
    const outing = await addOuting(owner, [1, 2]);
    const secret = await joinAs(service.api, outing, 'Zoë', ballot({ 2: 'yes' }));
    const end = new Date(Date.now() + 200).toISOString();
    changeStored(service.folder, 'UPDATE outings SET closes_at = ?', end);
    const release = holdWriteLock(t, service.folder);
    // Arrives in time, and comes to its turn too late.
    const waiting = voteByLink(service.api, outing, { secret, ...ballot({ 1: 'yes' }, 2) });
    await until(() => new Date().toISOString() > end);
    assert.deepEqual(resultOf(await openLink(service.api, outing)), [2, 'votes']);
    assert.deepEqual(readStored(service.folder, 'SELECT state FROM outings'), [{ state: 'open' }]);
    release();
    assert.deepEqual(refusalOf(await waiting), ENDED);
    await until(
      () => field(readStored(service.folder, 'SELECT state FROM outings')[0], 'state') === 'decided',
    );
    assert.deepEqual(resultOf(await openLink(service.api, outing)), [2, 'votes']);
  });

  test('is what a replica answers too, which takes no ballots', async (t) => {
    const { owner, service } = await startOutings(t);
    const outing = await addOuting(owner, [1, 2]);
    await joinAs(service.api, outing, 'Zoë', ballot({ 2: 'yes' }));
    await service.stop();
    const replica = await startService(t, {
      DATA_DIR: service.folder,
      READ_ONLY: 'true',
      ...LOCAL,
    });
    assert.equal(field(await openLink(replica.api, outing), 'state'), 'open');
    const vote = await voteByLink(replica.api, outing, { name: 'Max', ...ballot({ 1: 'yes' }) });
    assert.ok(vote.status >= 403, String(vote.status));
    endVoting(service);
    const seen = await openLink(replica.api, outing);
    assert.deepEqual([field(seen, 'state'), ...resultOf(seen)], ['decided', 2, 'votes']);
    const late = await voteByLink(replica.api, outing, { name: 'Max', ...ballot({ 1: 'yes' }) });
    assert.ok(late.status >= 403, String(late.status));
    assert.deepEqual(readStored(service.folder, 'SELECT state FROM outings'), [{ state: 'open' }]);
  });
});
