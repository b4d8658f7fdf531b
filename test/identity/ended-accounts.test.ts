import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Client } from '../support/client.ts';
import { makeAdmin, readStored, signUp } from '../support/people.ts';
import { federateWithFake } from '../support/sign-in.ts';
import { until } from '../support/until.ts';
import { holdWriteLock, letPass } from '../support/write-lock.ts';

// The first account is chef's, the second one the guest's.
const GUEST = { email: 'guest@example.com', email_verified: true };
const ENDS: readonly [string, (admin: Client) => Promise<unknown>][] = [
  ['is deactivated', (admin) => admin.patch('/users/3', { is_active: false })],
  ['is deleted', (admin) => admin.delete('/users/3')],
];

describe('a sign-in at a provider', () => {
  for (const [title, end] of ENDS)
    test(`leaves no session of an account that ${title} right behind it`, async (t) => {
      const { provider, service, signIn } = await federateWithFake(t, GUEST);
      const chef = await signUp(service, 'chef');
      makeAdmin(service, chef);
      await signIn();
      const release = holdWriteLock(t, service.folder);
      const signedIn = signIn();
      // Its write comes first then; a later one finds that the account has ended, which is right as well.
      await until(() => provider.asked.filter((path) => path === '/token').length === 2);
      await letPass(service, chef.accessToken);
      const ended = end(chef.api);
      await letPass(service, chef.accessToken);
      release();
      await Promise.all([signedIn, ended]);
      assert.deepEqual(readStored(service.folder, 'SELECT id FROM sessions WHERE user_id = 3'), []);
    });
});
