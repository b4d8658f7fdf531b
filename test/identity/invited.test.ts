import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { bearing, secretOf } from '../support/accounts.ts';
import { createBrowser } from '../support/browser.ts';
import { createClient, field, textOf } from '../support/client.ts';
import { readStored } from '../support/people.ts';
import { type FakeFederation, PUBLIC, federateWithFake } from '../support/sign-in.ts';

const CHEF = { ADMIN_EMAIL: 'chef@example.com', ADMIN_PASSWORD: 'a long password of the chef' };
const GUEST = { email: 'guest@example.com', email_verified: true };
const CLOSED = '/#error=registration_closed&error_description=Registration%20is%20closed';

interface Invited extends FakeFederation {
  readonly invite: (body?: object) => Promise<string>;
  /** A sign-in that was started with an invitation, or without; returns where the browser is sent in the end. */
  readonly arrive: (invitation?: string) => Promise<string>;
}

async function open(t: TestContext, variables: Readonly<Record<string, string>>): Promise<Invited> {
  const federation = await federateWithFake(t, GUEST, { ...CHEF, ...variables });
  const { service, provider } = federation;
  const login = { email: CHEF.ADMIN_EMAIL, password: CHEF.ADMIN_PASSWORD };
  const token = textOf((await service.api.post('/auth/login', login)).body, 'access_token');
  const admin = createClient(service.url, bearing(token));
  return {
    ...federation,
    invite: async (body = {}) => secretOf(await admin.post('/invitations', body)),
    arrive: async (invitation) => {
      const browser = createBrowser(new Map([[PUBLIC, service.url]]));
      const query = invitation === undefined ? '' : `&invitation=${encodeURIComponent(invitation)}`;
      const first = await browser.open(`${PUBLIC}/api/auth/oidc?session=cookie${query}`);
      const back = provider.authorize(first.headers.get('location') ?? '');
      const last = await browser.open(`${PUBLIC}/api/auth/oidc/callback?${back}`);
      return last.headers.get('location') ?? '';
    },
  };
}

describe('a sign-in of a new person where registration is by invitation', () => {
  test('makes an account with an invitation, which is used up, and later needs none', async (t) => {
    const { service, invite, arrive } = await open(t, { REGISTRATION: 'invite' });
    assert.equal(await arrive(), CLOSED);
    const invitation = await invite();
    assert.equal(await arrive(invitation), '/');
    const [used] = readStored(service.folder, 'SELECT used_by FROM invitations');
    const [user] = readStored(service.folder, "SELECT id FROM users WHERE email = 'guest@example.com'");
    assert.equal(field(used, 'used_by'), field(user, 'id'));
    assert.equal((await service.api.post('/auth/invitation', { invitation })).status, 404);
    assert.equal(await arrive(), '/');
    assert.equal(await arrive(invitation), '/');
  });

  test('is refused with one that is for another address, made up, or too long, and uses nothing up', async (t) => {
    const { service, invite, arrive } = await open(t, { REGISTRATION: 'invite' });
    const other = await invite({ email: 'other@example.com' });
    for (const wrong of [other, `inv_${'A'.repeat(43)}`, '', ' '])
      assert.equal(await arrive(wrong), CLOSED, wrong);
    const long = await service.api.get(`/auth/oidc?session=cookie&invitation=${'x'.repeat(101)}`);
    assert.equal(long.status, 400);
    assert.equal(readStored(service.folder, 'SELECT * FROM users').length, 1);
    assert.equal((await service.api.post('/auth/invitation', { invitation: other })).status, 200);
    const longest = await service.api.get(`/auth/oidc?session=cookie&invitation=${'x'.repeat(100)}`);
    assert.equal(longest.status, 302);
    assert.equal(await arrive(await invite({ email: 'Guest@Example.com' })), '/');
  });

  test('is refused where registration is closed, with an invitation as well', async (t) => {
    const first = await open(t, { REGISTRATION: 'invite' });
    const invitation = await first.invite();
    await first.service.stop();
    const again = await open(t, { REGISTRATION: 'closed', DATA_DIR: first.service.folder });
    for (const sent of [invitation, undefined]) assert.equal(await again.arrive(sent), CLOSED);
  });
});
