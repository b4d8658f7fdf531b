import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { bearing, secretOf } from '../../support/accounts.ts';
import { type Browser, type Page, createBrowser } from '../../support/browser.ts';
import { type Client, bodyOf, createClient, field, idOf, textOf } from '../../support/client.ts';
import { type FakeProvider, startFakeProvider } from '../../support/fake-provider.ts';
import { addRestaurants } from '../../support/lists.ts';
import { addOuting, ballot, closed, participantsOf, voteByLink } from '../../support/outings.ts';
import { type Person, changeStored, makeAdmin, readStored, signUp } from '../../support/people.ts';
import { type Service, startService } from '../../support/service.ts';
import {
  type FakeFederation,
  PUBLIC,
  federateWithFake,
  fragmentOf,
  providerSettings,
} from '../../support/sign-in.ts';
import { longTest } from '../../support/size.ts';
import { until } from '../../support/until.ts';
import { holdWriteLock, letPass } from '../../support/write-lock.ts';

type Name = 'idp' | 'oidc';

interface World {
  readonly service: Service;
  /** The outcome of a sign-in at one of the two providers: an error code, or the id of the user. */
  readonly signIn: (name: Name) => Promise<string | number>;
  /** A client of a user who signs in there. */
  readonly apiOf: (name: Name) => Promise<Client>;
  /** Makes the provider oidc say this of the user. */
  readonly claim: (more: object) => void;
}

const EMAIL = 'alice@example.com';

async function world(t: TestContext, email_verified: unknown = true): Promise<World> {
  const claims = { email: EMAIL, email_verified };
  const providers: Readonly<Record<Name, FakeProvider>> = {
    idp: await startFakeProvider(t, { ...claims, name: 'From idp' }),
    oidc: await startFakeProvider(t, { ...claims, name: 'From oidc' }),
  };
  const service = await startService(t, {
    ...providerSettings('idp', providers.idp.issuer),
    ...providerSettings('oidc', providers.oidc.issuer),
  });
  const pageOf = async (browser: Browser, name: Name): Promise<Page> => {
    const started = await browser.open(`${PUBLIC}/api/auth/${name}`);
    const query = providers[name].authorize(started.headers.get('location') ?? '');
    return browser.open(`${PUBLIC}/api/auth/${name}/callback?${query}`);
  };
  const resultOf = async (name: Name): Promise<Readonly<Record<string, string>>> => {
    const back = await pageOf(createBrowser(new Map([[PUBLIC, service.url]])), name);
    return fragmentOf({ ...back, url: new URL(back.headers.get('location') ?? '') });
  };
  const apiOf = async (name: Name): Promise<Client> =>
    createClient(service.url, bearing((await resultOf(name))['access_token'] ?? ''));
  const signIn = async (name: Name): Promise<string | number> => {
    const fragment = await resultOf(name);
    if (fragment['error'] !== undefined) return fragment['error'];
    const me = await service.api.get('/auth/me', bearing(fragment['access_token'] ?? ''));
    return Number(field(me.body, 'id'));
  };
  const claim = (more: object): void => {
    providers.oidc.behave({ idToken: ({ claims: honest, sign }) => sign({ ...honest, ...more }) });
  };
  return { service, signIn, apiOf, claim };
}

const setAll = ({ folder }: Service, change: string): void => {
  changeStored(folder, `UPDATE users SET ${change}`);
};
const verify = (service: Service): void => {
  setAll(service, 'email_verified = 1');
};
const countStored = ({ folder }: Service, table: string): number =>
  readStored(folder, `SELECT 1 FROM ${table}`).length;

async function canLogIn({ api }: Service, { email, password }: Person): Promise<boolean> {
  return (await api.post('/auth/login', { email, password })).status === 200;
}

// What an email is worth that the provider sends with this email_verified, when a local account has it.
const CELLS: readonly [unknown, account: string, change: string, outcome: string][] = [
  [true, 'a verified account', 'email_verified = 1', 'joins'],
  [true, 'an unverified account', 'email_verified = 0', 'joins'],
  [true, 'an administrator', 'is_admin = 1', 'account_exists'],
  [true, 'a verified administrator', 'email_verified = 1, is_admin = 1', 'account_exists'],
  [true, 'an inactive account', 'email_verified = 1, is_active = 0', 'account_disabled'],
  ...[false, 'true', 1, null, undefined].flatMap((verified): [unknown, string, string, string][] => [
    [verified, 'a verified account', 'email_verified = 1', 'account_exists'],
    [verified, 'an unverified account', 'email_verified = 0', 'account_exists'],
    [verified, 'an administrator', 'is_admin = 1', 'account_exists'],
  ]),
];

describe('a user who comes from a provider for the first time', () => {
  longTest(
    'with the email of a local account joins it only where it is verified and gives no rights',
    async (t) => {
      const { service, signIn, claim } = await world(t);
      for (const [email_verified, account, change, outcome] of CELLS) {
        const title = `email_verified ${JSON.stringify(email_verified)} and ${account}`;
        const { id } = await signUp(service, 'alice');
        setAll(service, change);
        claim({ email_verified });
        assert.equal(await signIn('oidc'), outcome === 'joins' ? id : outcome, title);
        assert.equal(countStored(service, 'users'), 1, title);
        assert.equal(countStored(service, 'identities'), outcome === 'joins' ? 1 : 0, title);
        changeStored(service.folder, 'DELETE FROM users');
      }
    },
  );

  test('keeps password and sessions of an account whose email was verified, without case', async (t) => {
    const { service, signIn, claim } = await world(t);
    claim({ email: 'ALICE@example.com' });
    const alice = await signUp(service, 'alice');
    verify(service);
    assert.equal(await signIn('oidc'), alice.id);
    assert.ok(await canLogIn(service, alice));
    assert.equal((await alice.api.get('/auth/me')).status, 200);
    assert.equal(textOf((await alice.api.get('/auth/me')).body, 'provider'), 'local');
  });

  test('joins no account whose email only looks the same', async (t) => {
    const { service, signIn, claim } = await world(t);
    for (const name of ['alice', 'alike']) await signUp(service, name);
    verify(service);
    for (const email of ['ａlice@example.com', 'ali\u212ae@example.com']) {
      claim({ email });
      assert.equal(await signIn('oidc'), 'account_exists', email);
      assert.equal(countStored(service, 'users'), 2);
    }
  });

  test('takes an account whose email was never verified from the person who made it', async (t) => {
    const { service, signIn, apiOf, claim } = await world(t);
    const [attacker, bob] = [await signUp(service, 'alice'), await signUp(service, 'bob')];
    await addRestaurants(bob.api, 'A', 'B');
    const [own, decided] = [await addOuting(attacker.api, [1, 2]), await addOuting(attacker.api, [1, 2])];
    await closed(attacker.api, decided);
    const others = await addOuting(bob.api, [1, 2]);
    bodyOf(await voteByLink(attacker.api, others, ballot({ 1: 'yes' })));
    const keyed = { 'Idempotency-Key': '1' };
    const visit = { restaurant_id: 1, visited_on: '2026-01-31' };
    const made = idOf(await attacker.api.post('/visits', visit, keyed));
    claim({ preferred_username: 'bob', name: 'Alice', picture: 'https://id.example/alice.png' });
    assert.equal(await signIn('oidc'), attacker.id);
    assert.equal(await canLogIn(service, attacker), false);
    const fields = 'username, full_name, avatar_url, provider, provider_id, email_verified';
    assert.deepEqual(readStored(service.folder, `SELECT ${fields} FROM users WHERE id = ?`, attacker.id), [
      {
        username: 'bob-2',
        full_name: 'Alice',
        avatar_url: 'https://id.example/alice.png',
        provider: 'oidc',
        provider_id: 'someone',
        email_verified: 1,
      },
    ]);
    const owner = await apiOf('oidc');
    assert.equal(field(bodyOf(await owner.get(`/outings/${own.id}`)), 'state'), 'cancelled');
    assert.equal(field(bodyOf(await owner.get(`/outings/${decided.id}`)), 'state'), 'decided');
    assert.equal((await owner.get(`/outings/${others.id}`)).status, 404);
    assert.deepEqual(participantsOf(bodyOf(await bob.api.get(`/outings/${others.id}`))), [
      ['bob', false, null, false],
    ]);
    // The answer to a request of the attacker is not that to the same one of the owner.
    assert.notEqual(idOf(await owner.post('/visits', visit, keyed)), made);
    assert.equal(countStored(service, "login_addresses WHERE address_key <> '127.0.0.1'"), 0);
  });

  test('keeps a name that the provider states as well', async (t) => {
    const { service, signIn, claim } = await world(t);
    const { id } = await signUp(service, 'alice');
    claim({ preferred_username: 'Alice' });
    assert.equal(await signIn('oidc'), id);
    assert.deepEqual(readStored(service.folder, 'SELECT username FROM users'), [{ username: 'Alice' }]);
  });

  test('takes it from the link of another provider too, which had not verified the email', async (t) => {
    const { service, signIn } = await world(t);
    assert.equal(await signIn('idp'), 2);
    setAll(service, 'email_verified = 0');
    assert.equal(await signIn('oidc'), 2);
    assert.equal(countStored(service, 'identities'), 1);
    // The old link is no longer known, and joins by the verified email like any other.
    assert.equal(await signIn('idp'), 2);
    assert.equal(countStored(service, 'identities'), 2);
  });

  test('may link both providers to one account', async (t) => {
    const { service, signIn } = await world(t);
    assert.deepEqual([await signIn('idp'), await signIn('oidc'), await signIn('idp')], [2, 2, 2]);
    assert.equal(countStored(service, 'users'), 1);
    assert.equal(textOf(readStored(service.folder, 'SELECT provider FROM users')[0], 'provider'), 'idp');
  });

  test('gets an account with an unverified email that no account has', async (t) => {
    const { service, signIn } = await world(t, 'true');
    assert.equal(await signIn('oidc'), 2);
    assert.deepEqual(readStored(service.folder, 'SELECT email_verified FROM users'), [{ email_verified: 0 }]);
    assert.equal(await signIn('idp'), 'account_exists');
  });

  const UNUSABLE = [
    'no address',
    '',
    'a@b',
    '<script>@example.com',
    'x'.repeat(300) + '@example.com',
    // Each would be another address once it is cut, trimmed or cleaned.
    `alice@${'b.'.repeat(130)}com`,
    ` ${EMAIL}`,
    `${EMAIL}\u0000`,
    `<i></i>${EMAIL}`,
    `${EMAIL}\n`,
    `${EMAIL}<script>@evil.example</script>`,
    'x'.repeat(500_000),
  ];
  longTest('gets none with an email that is no address', async (t) => {
    const { service, signIn, claim } = await world(t);
    for (const email of UNUSABLE) {
      claim({ email });
      assert.equal(await signIn('oidc'), 'email_required', email.slice(0, 30));
      assert.equal(countStored(service, 'users'), 0);
    }
  });
});

describe('a user who is known', () => {
  test('is refused once the account is inactive', async (t) => {
    const { service, signIn } = await world(t);
    await signIn('oidc');
    setAll(service, 'is_active = 0');
    assert.equal(await signIn('oidc'), 'account_disabled');
  });

  test('is let in though the account is an administrator’s by now', async (t) => {
    const { service, signIn } = await world(t);
    await signIn('oidc');
    setAll(service, 'is_admin = 1');
    assert.equal(await signIn('oidc'), 2);
    assert.equal(await signIn('idp'), 'account_exists');
  });
});

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

// The first account is chef's, the second one the guest's.
const ENDS: readonly [string, (admin: Client) => Promise<unknown>][] = [
  ['is deactivated', (admin) => admin.patch('/users/3', { is_active: false })],
  ['is deleted', (admin) => admin.delete('/users/3')],
];

describe('a sign-in at a provider', () => {
  for (const [title, end] of ENDS)
    longTest(`leaves no session of an account that ${title} right behind it`, async (t) => {
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
