import assert from 'node:assert/strict';
import { type TestContext, describe } from 'node:test';
import { answerTo } from '../support/bytes.ts';
import { createRestaurants } from '../support/catalogue.ts';
import { allChanges } from '../support/changes.ts';
import { changeStored } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { longTest } from '../support/size.ts';
import { type Follower, askForStream, follow } from '../support/streams.ts';
import { until } from '../support/until.ts';

const MB = 1024 * 1024;
const LONG = 'x'.repeat(4_000);

/** Writes changes past the service: as many as an import that is far ahead of a reader. */
function writeAhead(folder: string, count: number): void {
  changeStored(
    folder,
    `INSERT INTO changes (at, kind, entity_id, action, name, after, via)
     WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
     SELECT '2026-01-01T00:00:00.000Z', 'category', n, 'create', 'Made up', json_object('id', n, 'name', ?), 'cli'
     FROM numbers`,
    count,
    LONG,
  );
}

/** Opens a stream and does not read it. */
async function stall(t: TestContext, url: string): Promise<void> {
  (await answerTo(askForStream(t, url))).pause();
}

describe('a stream whose client does not read', () => {
  longTest('is cut when it is over 1 MB behind, and the memory of the server does not grow', async (t) => {
    const { url, folder, api } = await startService(t);
    await stall(t, url);
    // Nothing of what comes is for them.
    const others = { query: 'kind=restaurant' };
    const readers: Follower[] = [];
    while (readers.length < 7) readers.push(await follow(t, url, others));
    const before = process.memoryUsage().rss;
    writeAhead(folder, 5_000);
    // Its place is free again.
    let late: Follower | undefined;
    await until(async () => (late = await follow(t, url, others).catch(() => undefined)) !== undefined);
    assert.ok(process.memoryUsage().rss - before < 150 * MB);
    await createRestaurants(api, [{ name: 'A' }]);
    await until(() => late?.events.length === 2);
  });

  longTest('does not take the service along when the database fails meanwhile', async (t) => {
    // The looks at the log are made when the test says so.
    t.mock.timers.enable({ apis: ['setInterval'] });
    const look = (): void => {
      t.mock.timers.tick(500);
    };
    const { url, folder, closeStorage } = await startService(t);
    await stall(t, url);
    const reader = await follow(t, url);
    writeAhead(folder, 5_000);
    look();
    await until(() => reader.events.length > 3_000);
    closeStorage();
    look();
    await until(() => reader.isOver());
    look();
    assert.equal((await fetch(`${url}/api/nothing`)).status, 404);
  });
});

describe('a stream whose client has much to read', () => {
  longTest('has all of it', async (t) => {
    const { url, folder, api } = await startService(t);
    writeAhead(folder, 600);
    const stream = await follow(t, url, { query: 'since=start' });
    await until(() => stream.events.length === 601);
    await createRestaurants(api, [{ name: 'A' }]);
    await until(() => stream.events.length === 602);
    assert.equal(stream.events.at(-1)?.data['id'], (await allChanges(api)).at(-1)?.['id']);
  });
});
