import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import type { Browser, Page } from '../support/browser.ts';
import { createBrowser } from '../support/browser.ts';
import { createClient, field, textOf } from '../support/client.ts';
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts';
import { type Person, changeStored, makeAdmin, readStored, signUp } from '../support/people.ts';
import { PUBLIC, fragmentOf, providerSettings } from '../support/sign-in.ts';
import { type Service, startService } from '../support/service.ts';

type Name = 'idp' | 'oidc';

interface World {
  readonly service: Service;
  /** The outcome of a sign-in at one of the two providers: an error code, or the id of the user. */
  readonly signIn: (name: Name) => Promise<string | number>;
}

const EMAIL = 'alice@example.com';

async function world(t: TestContext, email_verified: unknown, email = EMAIL): Promise<World> {
  const claims = { email, ...(email_verified !== undefined && { email_verified }) };
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
  const signIn = async (name: Name): Promise<string | number> => {
    const back = await pageOf(createBrowser(new Map([[PUBLIC, service.url]])), name);
    const fragment = fragmentOf({ ...back, url: new URL(back.headers.get('location') ?? '') });
    if (fragment['error'] !== undefined) return fragment['error'];
    const api = createClient(service.url, { Authorization: `Bearer ${fragment['access_token'] ?? ''}` });
    return Number(field((await api.get('/auth/me')).body, 'id'));
  };
  return { service, signIn };
}

const verify = ({ folder }: Service): void => {
  changeStored(folder, 'UPDATE users SET email_verified = 1');
};
const verifyAdmin = (service: Service): void => {
  changeStored(service.folder, 'UPDATE users SET email_verified = 1, is_admin = 1');
};
const verifyInactive = (service: Service): void => {
  changeStored(service.folder, 'UPDATE users SET email_verified = 1, is_active = 0');
};

async function canLogIn({ api }: Service, { email, password }: Person): Promise<boolean> {
  return (await api.post('/auth/login', { email, password })).status === 200;
}

// What an email is worth that the provider sends with this email_verified, when a local account has it.
const CELLS: readonly [unknown, string, (service: Service, alice: Person) => void, string | number][] = [
  [true, 'a verified account', verify, 2],
  [true, 'an unverified account', () => undefined, 2],
  [true, 'an administrator', makeAdmin, 'account_exists'],
  [true, 'a verified administrator', verifyAdmin, 'account_exists'],
  [true, 'an inactive account', verifyInactive, 'account_disabled'],
  ...[false, 'true', 1, null, undefined].flatMap(
    (verified): [unknown, string, (service: Service, alice: Person) => void, string][] => [
      [verified, 'a verified account', verify, 'account_exists'],
      [verified, 'an unverified account', () => undefined, 'account_exists'],
      [verified, 'an administrator', makeAdmin, 'account_exists'],
    ],
  ),
];

describe('a user who comes from a provider for the first time', () => {
  for (const [verified, title, prepare, outcome] of CELLS)
    test(`with email_verified ${JSON.stringify(verified)} and the email of ${title}: ${outcome}`, async (t) => {
      const { service, signIn } = await world(t, verified);
      const alice = await signUp(service, 'alice');
      prepare(service, alice);
      assert.equal(await signIn('oidc'), outcome);
      assert.equal(readStored(service.folder, 'SELECT id FROM users').length, 1);
      assert.equal(
        readStored(service.folder, 'SELECT subject FROM identities').length,
        outcome === 2 ? 1 : 0,
      );
    });

  test('keeps password and sessions of an account whose email was verified, without case', async (t) => {
    const { service, signIn } = await world(t, true, 'ALICE@example.com');
    const alice = await signUp(service, 'alice');
    verify(service);
    assert.equal(await signIn('oidc'), alice.id);
    assert.ok(await canLogIn(service, alice));
    assert.equal((await alice.api.get('/auth/me')).status, 200);
    assert.equal(textOf((await alice.api.get('/auth/me')).body, 'provider'), 'local');
  });

  for (const email of ['alice@example.com'.replace('a', 'ａ'), 'alike@example.com'.replace('k', '\u212a')])
    test(`joins no account whose email only looks the same: ${email}`, async (t) => {
      const { service, signIn } = await world(t, true, email);
      for (const name of ['alice', 'alike']) await signUp(service, name);
      verify(service);
      assert.equal(await signIn('oidc'), 'account_exists');
      assert.equal(readStored(service.folder, 'SELECT id FROM users').length, 2);
    });

  test('takes an account whose email was never verified from the person who made it', async (t) => {
    const { service, signIn } = await world(t, true);
    const attacker = await signUp(service, 'alice');
    const token = textOf((await attacker.api.post('/auth/tokens', { name: 'back door' })).body, 'token');
    changeStored(
      service.folder,
      "INSERT INTO password_resets (user_id, secret_hash, expires_at) VALUES (?, randomblob(32), '2999-01-01T00:00:00.000Z')",
      attacker.id,
    );
    assert.equal(await signIn('oidc'), attacker.id);
    assert.deepEqual(readStored(service.folder, 'SELECT * FROM password_resets'), []);
    assert.equal(await canLogIn(service, attacker), false);
    assert.equal((await attacker.api.get('/auth/me')).status, 401);
    assert.equal(
      (await service.api.post('/auth/refresh', { refresh_token: attacker.refreshToken })).status,
      401,
    );
    assert.equal((await service.api.get('/auth/me', { Authorization: `Bearer ${token}` })).status, 401);
    assert.deepEqual(
      readStored(service.folder, 'SELECT provider, provider_id, full_name, email_verified FROM users'),
      [{ provider: 'oidc', provider_id: 'someone', full_name: 'From oidc', email_verified: 1 }],
    );
  });

  test('takes it from the link of another provider too, which had not verified the email', async (t) => {
    const { service, signIn } = await world(t, true);
    assert.equal(await signIn('idp'), 2);
    changeStored(service.folder, 'UPDATE users SET email_verified = 0');
    assert.equal(await signIn('oidc'), 2);
    assert.deepEqual(readStored(service.folder, 'SELECT count(*) AS links FROM identities'), [{ links: 1 }]);
    // The old link is no longer known, and joins by the verified email like anybody's.
    assert.equal(await signIn('idp'), 2);
    assert.deepEqual(readStored(service.folder, 'SELECT count(*) AS links FROM identities'), [{ links: 2 }]);
  });

  test('may link both providers to one account', async (t) => {
    const { service, signIn } = await world(t, true);
    assert.deepEqual([await signIn('idp'), await signIn('oidc'), await signIn('idp')], [2, 2, 2]);
    assert.equal(readStored(service.folder, 'SELECT id FROM users').length, 1);
    assert.equal(textOf(readStored(service.folder, 'SELECT provider FROM users')[0], 'provider'), 'idp');
  });

  test('gets an account with an unverified email that no account has', async (t) => {
    const { service, signIn } = await world(t, 'true');
    assert.equal(await signIn('oidc'), 2);
    assert.deepEqual(readStored(service.folder, 'SELECT email_verified FROM users'), [{ email_verified: 0 }]);
    assert.equal(await signIn('idp'), 'account_exists');
  });

  const UNUSABLE = [
    ...['no address', '', 'a@b', '<script>@example.com', 'x'.repeat(300) + '@example.com'],
    // Each would be another address once it is cut, trimmed or cleaned.
    ...[`alice@${'b.'.repeat(130)}com`, ` ${EMAIL}`, `${EMAIL}\u0000`, `<i></i>${EMAIL}`, `${EMAIL}\n`],
    ...[`${EMAIL}<script>@evil.example</script>`, 'x'.repeat(500_000)],
  ];
  for (const email of UNUSABLE)
    test(`gets none with the email ${JSON.stringify(email).slice(0, 30)}`, async (t) => {
      const { service, signIn } = await world(t, true, email);
      assert.equal(await signIn('oidc'), 'email_required');
      assert.deepEqual(readStored(service.folder, 'SELECT id FROM users'), []);
    });
});

describe('a user who is known', () => {
  test('is refused once the account is inactive', async (t) => {
    const { service, signIn } = await world(t, true);
    await signIn('oidc');
    changeStored(service.folder, 'UPDATE users SET is_active = 0');
    assert.equal(await signIn('oidc'), 'account_disabled');
  });

  test('is let in though the account is an administrator’s by now', async (t) => {
    const { service, signIn } = await world(t, true);
    await signIn('oidc');
    changeStored(service.folder, 'UPDATE users SET is_admin = 1');
    assert.equal(await signIn('oidc'), 2);
    assert.equal(await signIn('idp'), 'account_exists');
  });
});
