import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSuggestions } from '../../support/catalogue.ts';
import { changeOf } from '../../support/changes.ts';
import { type Client, bodyOf, field, record } from '../../support/client.ts';
import { openOwnPage } from '../../support/own-page.ts';
import type { Person } from '../../support/people.ts';
import { startWorld } from '../../support/world.ts';

/** What a refresh answers beyond the tokens; undefined where there is no such field. */
async function pendingFor(api: Client, { refreshToken }: Person): Promise<unknown> {
  const answer = await api.post('/auth/refresh', { refresh_token: refreshToken });
  return record(bodyOf(answer))['pending_suggestions'];
}

describe('a refresh', () => {
  test('says how many suggestions await a decision, to everyone who may decide', async (t) => {
    const { service, people, owner, admin } = await startWorld(t);
    const count = (person = people.owner): Promise<unknown> => pendingFor(service.api, person);
    assert.equal(await count(), 0);
    await createSuggestions(owner, [{ name: 'One' }, { name: 'Two' }, { name: 'Three' }, { name: 'Four' }]);
    for (const person of Object.values(people)) assert.equal(await count(person), 4);
    await admin.patch('/suggestions/1/status', { status: 'approved' });
    assert.equal(await count(), 3);
    await admin.post('/suggestions/2/convert', {});
    const deletion = changeOf(await admin.delete('/suggestions/3'));
    assert.equal(await count(), 1);
    await admin.post(`/changes/${deletion}/revert`, {});
    await admin.patch('/suggestions/1/status', { status: 'pending' });
    assert.equal(await count(), 3);
  });

  test('says so to administrators alone where they alone may decide', async (t) => {
    const { service, people, owner } = await startWorld(t, { WRITE_ACCESS: 'admins' });
    await createSuggestions(owner, [{ name: 'One' }]);
    assert.equal(await pendingFor(service.api, people.admin), 1);
    for (const person of [people.owner, people.other])
      assert.equal(await pendingFor(service.api, person), undefined);
  });

  test('says so with a session in a cookie as well, unlike the login', async (t) => {
    const { service, people, owner } = await startWorld(t);
    await createSuggestions(owner, [{ name: 'One' }]);
    const page = openOwnPage(service.url);
    const { email, password } = people.other;
    const login = await page.post('/auth/login', { email, password, session: 'cookie' });
    assert.ok(!('pending_suggestions' in record(bodyOf(login))));
    const { body } = await page.post('/auth/refresh', { session: 'cookie' });
    assert.deepEqual([field(body, 'pending_suggestions'), field(body, 'refresh_token')], [1, null]);
  });

  test('that is refused says nothing', async (t) => {
    const { service, owner } = await startWorld(t);
    await createSuggestions(owner, [{ name: 'One' }]);
    const { status, body } = await service.api.post('/auth/refresh', { refresh_token: 'x' });
    assert.deepEqual([status, body], [401, { error: 'Invalid or expired refresh token' }]);
  });
});
