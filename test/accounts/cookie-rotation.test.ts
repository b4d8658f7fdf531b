import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { type OwnPage, openOwnPage } from '../support/own-page.ts';
import { LOCAL, changeStored, readStored } from '../support/people.ts';
import { type Service, startService } from '../support/service.ts';

const IN_COOKIE = { session: 'cookie' };

/** A service that rotates, and a page on which alice is signed in. */
async function signedIn(t: TestContext): Promise<{ readonly service: Service; readonly page: OwnPage }> {
  const service = await startService(t, { ...LOCAL, REFRESH_TOKEN_ROTATION: 'true' });
  const page = openOwnPage(service.url);
  const account = { email: 'alice@example.com', username: 'alice', password: 'alice and a long password' };
  await page.post('/auth/register', { ...IN_COOKIE, ...account });
  return { service, page };
}

const sessionCount = ({ folder }: Service): number => readStored(folder, 'SELECT 1 FROM sessions').length;

describe('with REFRESH_TOKEN_ROTATION=true the cookie of a session', () => {
  test('is replaced at every refresh', async (t) => {
    const { service, page } = await signedIn(t);
    const seen = new Set([page.cookies()]);
    for (let round = 0; round < 3; round += 1) {
      assert.equal((await page.post('/auth/refresh', IN_COOKIE)).status, 200);
      seen.add(page.cookies());
    }
    assert.equal(seen.size, 4);
    assert.equal(sessionCount(service), 1);
  });

  test('is the same for tabs that refresh at once, and goes on', async (t) => {
    const { service, page } = await signedIn(t);
    const tabs = Array.from({ length: 8 }, () => openOwnPage(service.url, {}, page.cookies()));
    const answers = await Promise.all(tabs.map((tab) => tab.post('/auth/refresh', IN_COOKIE)));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    const [successor = '', ...more] = new Set(tabs.map((tab) => tab.cookies()));
    assert.deepEqual([more, successor === page.cookies()], [[], false]);
    assert.equal(
      (await openOwnPage(service.url, {}, successor).post('/auth/refresh', IN_COOKIE)).status,
      200,
    );
  });

  test('ends the session when an old one is used later, and is removed', async (t) => {
    const { service, page } = await signedIn(t);
    const old = page.cookies();
    await page.post('/auth/refresh', IN_COOKIE);
    changeStored(
      service.folder,
      "UPDATE refresh_tokens SET rotated_at = strftime('%Y-%m-%dT%H:%M:%fZ', rotated_at, '-11 seconds') WHERE rotated_at IS NOT NULL",
    );
    const thief = openOwnPage(service.url, {}, old);
    assert.equal((await thief.post('/auth/refresh', IN_COOKIE)).status, 401);
    assert.deepEqual([thief.cookies(), sessionCount(service)], ['', 0]);
    assert.equal((await page.post('/auth/refresh', IN_COOKIE)).status, 401);
    assert.equal(page.cookies(), '');
  });

  test('ends the session at a logout wherever in its rotation it is', async (t) => {
    const { service, page } = await signedIn(t);
    const old = page.cookies();
    await page.post('/auth/refresh', IN_COOKIE);
    await openOwnPage(service.url, {}, old).post('/auth/logout', IN_COOKIE);
    assert.equal(sessionCount(service), 0);
  });
});
