import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import Database from 'better-sqlite3';
import { SECRET_KINDS } from '../../../src/people/accounts/secrets.ts';
import { databasePath } from '../../../src/storage/database.ts';
import { apiTokenOf, bearing, logIn, remove, secretOf } from '../../support/accounts.ts';
import { createBrowser } from '../../support/browser.ts';
import { runCommand } from '../../support/cli.ts';
import { type Client, bodyOf, createClient, field, textOf } from '../../support/client.ts';
import { type FakeProvider, startFakeProvider } from '../../support/fake-provider.ts';
import { makeFeed } from '../../support/feeds.ts';
import { addLink, addList, addRestaurants, join } from '../../support/lists.ts';
import { addOuting, ballot, joinAs, openLink, refusalOf } from '../../support/outings.ts';
import { type Person, changeStored, makeAdmin, readStored, signUp } from '../../support/people.ts';
import { type Service, startService } from '../../support/service.ts';
import { PUBLIC, fragmentOf, providerSettings } from '../../support/sign-in.ts';
import { follow } from '../../support/streams.ts';
import { until } from '../../support/until.ts';

// - it ends, + it stays, p it opens nothing until the account is active again. The identity of an inactive account is refused,
// and the list of a deleted account passes to its first member.
const TABLE = `
                         change  reset  access  deactivation  deletion  take-over
  the session that asks    +       -      +         -            -          -
  another session          -       -      -         -            -          -
  a refresh token          -       -      -         -            -          -
  a stream                 -       -      -         -            -          -
  an API token             +       -      -         p            -          -
  a feed                   +       -      -         p            -          -
  a link to read a list    +       +      -         p            -          -
  a link to join a list    +       +      -         p            -          -
  a link to a deleted list +       +      -         p            -          -
  a link to an outing      +       +      -         p            -          -
  the ballot of a guest    +       +      -         p            -          -
  an invitation            +       -      -         -            -          -
  a link it made           +       -      -         -            -          -
  a link made for it       -       -      -         -            -          -
  a list of another        +       +      +         p            -          -
  a member of its list     +       +      +         +            +          -
  an identity              +       +      +         p            -          -
`;

/** What the column of this name says, by secret. */
function columnOf(name: string): ReadonlyMap<string, string> {
  const [heading = '', ...rows] = TABLE.trim().split('\n');
  const at = heading.trim().split(/ +/).indexOf(name);
  return new Map(
    rows.map((row) => {
      const [, secret = '', cells = ''] = /^ *(.+?) +((?:[-+p] *){6})$/.exec(row) ?? [];
      return [secret, cells.split(/ +/)[at] ?? ''];
    }),
  );
}

interface World {
  readonly service: Service;
  readonly provider: FakeProvider;
  readonly admin: Person;
  readonly friend: Person;
}

type Uses = ReadonlyMap<string, () => Promise<boolean>>;

/** An account with a secret of each kind, and whether each still opens what it is for. */
interface Held {
  readonly world: World;
  readonly holder: Person;
  readonly reset: string;
  readonly uses: Uses;
  /** Signs in with what is left, once the secrets may have ended. */
  readonly again: () => Promise<Client | undefined>;
}

// Columns that only look like one, or are none of an account's.
const NO_SECRETS: Readonly<Record<string, string>> = {
  'users.password_hash': 'is what the events are about',
  'generated_keys.value': 'belongs to the service',
  'changes.token_id': 'names an API token',
  'changes.token_name': 'names an API token',
  'outing_voters.address_key': 'counts the guests of an address',
  'idempotency_keys.key': 'is chosen by the client, and of no use without a credential',
  'idempotency_keys.request_hash': 'tells whether a request is the same',
  'idempotency_keys.body': 'is an answer without secrets',
};

const NEW = 'ten tall ships at sea';
const SHORT = [400, 'password must be at least 8 characters'];

async function startWorld(t: TestContext): Promise<World> {
  const provider = await startFakeProvider(t, {});
  const service = await startService(t, providerSettings('oidc', provider.issuer));
  const [admin, friend] = [await signUp(service, 'carol'), await signUp(service, 'bob')];
  makeAdmin(service, admin);
  await addRestaurants(admin.api, 'A', 'B');
  return { service, provider, admin, friend };
}

/** A sign-in at the provider, which says this. */
async function signInWith(
  { service, provider }: World,
  claims: object,
): Promise<Readonly<Record<string, string>>> {
  provider.behave({ idToken: ({ claims: honest, sign }) => sign({ ...honest, ...claims }) });
  const browser = createBrowser(new Map([[PUBLIC, service.url]]));
  const started = await browser.open(`${PUBLIC}/api/auth/oidc`);
  const back = await browser.open(
    `${PUBLIC}/api/auth/oidc/callback?${provider.authorize(started.headers.get('location') ?? '')}`,
  );
  return fragmentOf({ ...back, url: new URL(back.headers.get('location') ?? '') });
}

async function hold(t: TestContext, world: World, name: string): Promise<Held> {
  const { service, admin, friend } = world;
  const { api, folder, url } = service;
  const holder = await signUp(service, name);
  makeAdmin(service, holder);
  const isOpen = async (answering: Promise<{ readonly status: number }>) => (await answering).status === 200;
  const asks = (headers: Record<string, string>) => isOpen(api.get('/auth/me', headers));
  let current: Client | undefined = holder.api;
  let changes = 0;

  const other = await logIn(service, holder);
  const third = await logIn(service, holder);
  const stream = await follow(t, url, { headers: bearing(other.accessToken) });
  const token = bearing(await apiTokenOf(holder.api));
  const feed = await makeFeed(holder.api);
  const list = await addList(holder.api, `of ${name}`);
  const gone = await addList(holder.api, `deleted of ${name}`);
  const [read, invite, old] = [
    await addLink(holder.api, list),
    await addLink(holder.api, list, { access: 'join' }),
    await addLink(holder.api, gone),
  ];
  bodyOf(await join(friend.api, invite.secret));
  const deletion = Number((await holder.api.delete(`/lists/${gone}`)).headers.get('change'));
  const outing = await addOuting(holder.api, [1, 2]);
  const guest = await joinAs(api, outing, 'Zoë', ballot({ 1: 'yes' }));
  const invitation = secretOf(await holder.api.post('/invitations', {}));
  const made = secretOf(await holder.api.post(`/users/${friend.id}/password-reset`, {}));
  const reset = secretOf(await admin.api.post(`/users/${holder.id}/password-reset`, {}));
  const foreign = await addList(friend.api, `for ${name}`);
  bodyOf(await join(holder.api, (await addLink(friend.api, foreign, { access: 'join' })).secret));
  changeStored(
    folder,
    "INSERT INTO identities (issuer, subject, user_id, created_at) VALUES (?, ?, ?, '2026-01-31T19:30:00.000Z')",
    world.provider.issuer,
    `old ${name}`,
    holder.id,
  );

  const wouldSet = async (token: string) =>
    String(refusalOf(await api.post('/auth/password-reset', { token, new_password: 'short' }))) ===
    String(SHORT);
  const uses = new Map([
    ['the session that asks', () => isOpen(holder.api.get('/auth/me'))],
    ['another session', () => asks(bearing(other.accessToken))],
    ['a refresh token', () => isOpen(api.post('/auth/refresh', { refresh_token: third.refreshToken }))],
    [
      'a stream',
      async () => {
        const before = stream.events.length;
        const change = { name: `${name} ${(changes += 1)}` };
        bodyOf(await admin.api.post('/categories', change));
        await until(() => stream.isOver() || stream.events.length > before);
        return !stream.isOver();
      },
    ],
    ['an API token', () => asks(token)],
    ['a feed', () => isOpen(api.send(feed, {}))],
    ['a link to read a list', () => isOpen(api.get(`/shared/${read.secret}`))],
    ['a link to join a list', () => isOpen(api.get(`/shared/${invite.secret}`))],
    [
      'a link to a deleted list',
      async () => {
        await current?.post(`/changes/${deletion}/revert`, {});
        return isOpen(api.get(`/shared/${old.secret}`));
      },
    ],
    ['a link to an outing', () => isOpen(api.get(`/shared/${outing.token}`))],
    [
      'the ballot of a guest',
      async () => {
        // By the link that the outing has now.
        const [row] = readStored(folder, 'SELECT token FROM outings WHERE id = ?', outing.id);
        const link = { token: row === undefined ? outing.token : textOf(row, 'token') };
        if (!(await isOpen(api.get(`/shared/${link.token}`)))) return false;
        return field(await openLink(api, link, guest), 'ballot') !== null;
      },
    ],
    ['an invitation', () => isOpen(api.post('/auth/invitation', { invitation }))],
    ['a link it made', () => wouldSet(made)],
    ['a link made for it', () => wouldSet(reset)],
    ['a list of another', async () => current !== undefined && isOpen(current.get(`/lists/${foreign}`))],
    ['a member of its list', () => isOpen(friend.api.get(`/lists/${list}`))],
    [
      'an identity',
      // The email keeps one that is unknown from getting an account.
      async () => 'access_token' in (await signInWith(world, { sub: `old ${name}`, email: admin.email })),
    ],
  ]);
  return {
    world,
    holder,
    reset,
    uses,
    again: async () => {
      for (const password of [NEW, holder.password]) {
        const answer = await api.post('/auth/login', { email: holder.email, password });
        if (answer.status === 200)
          return (current = createClient(url, bearing(textOf(answer.body, 'access_token'))));
      }
      // After a take-over, as the owner of the email.
      const owner = { sub: `new ${holder.email}`, email: admin.email };
      const { access_token: token } = await signInWith(world, owner);
      return (current = token === undefined ? undefined : createClient(url, bearing(token)));
    },
  };
}

interface Event {
  readonly title: string;
  readonly column: string;
  readonly fire: (held: Held) => Promise<unknown>;
  /** Makes the account active again. */
  readonly undo?: (held: Held) => Promise<unknown>;
  /** What the answer says. */
  readonly said?: unknown;
}

const command =
  (...args: readonly string[]) =>
  async ({ world, holder }: Held): Promise<unknown> => {
    const variables = { DATA_DIR: world.service.folder };
    const { code, out, err } = await runCommand(['user', ...args, holder.email], {
      variables,
      input: `${NEW}\n`,
    });
    assert.equal(code, 0, err);
    return out.replaceAll(holder.email, 'EMAIL');
  };
const setActive =
  (is_active: boolean) =>
  async ({ world, holder }: Held): Promise<unknown> =>
    void bodyOf(await world.admin.api.patch(`/users/${holder.id}`, { is_active }));
const STILL = { message: 'Password changed', still_valid: { api_tokens: 0, feeds: 0, links: 3 } };
const ENDED = { sessions: 3, api_tokens: 1, feeds: 1, links: 3, guests: 1, invitations: 1, reset_links: 2 };
const LISTED = 'sessions 3, api tokens 1, feeds 1, links 3, guests 1, invitations 1, reset links 2';

const EVENTS: readonly Event[] = [
  {
    title: 'a new password',
    column: 'change',
    fire: async ({ holder }) =>
      bodyOf(
        await holder.api.post('/auth/password', { current_password: holder.password, new_password: NEW }),
      ),
    said: {
      message: 'Password changed',
      ended_sessions: 2,
      api_tokens: 1,
      still_valid: { api_tokens: 1, feeds: 1, links: 3 },
    },
  },
  {
    title: 'a password set by a link',
    column: 'reset',
    fire: async ({ world, reset }) =>
      bodyOf(await world.service.api.post('/auth/password-reset', { token: reset, new_password: NEW })),
    said: STILL,
  },
  {
    title: 'a password set on the command line',
    column: 'reset',
    fire: command('reset-password'),
    said:
      'The password of EMAIL is changed. Ended: sessions 3, api tokens 1, feeds 1, invitations 1, reset links 2.\n' +
      '3 links to lists and outings still valid; to end: catalogue user end-access EMAIL\n',
  },
  {
    title: 'End all access',
    column: 'access',
    fire: async ({ holder }) => bodyOf(await holder.api.delete('/auth/access')),
    said: { ...ENDED, sessions: 2 },
  },
  {
    title: 'End all access by an administrator',
    column: 'access',
    fire: async ({ world, holder }) => bodyOf(await world.admin.api.delete(`/users/${holder.id}/access`)),
    said: ENDED,
  },
  {
    title: 'End all access on the command line',
    column: 'access',
    fire: command('end-access'),
    said: `Ended for EMAIL: ${LISTED}.\n`,
  },
  {
    title: 'its older name',
    column: 'access',
    fire: command('end-sessions', '--api-tokens'),
    said: `Ended for EMAIL: ${LISTED}.\n`,
  },
  { title: 'deactivation', column: 'deactivation', fire: setActive(false), undo: setActive(true) },
  {
    title: 'deactivation on the command line',
    column: 'deactivation',
    fire: command('deactivate'),
    undo: command('activate'),
    said: 'EMAIL is inactive now; 3 sessions ended.\n',
  },
  {
    title: 'deletion',
    column: 'deletion',
    fire: async ({ holder }) =>
      void bodyOf(await remove(holder.api, '/auth/me', { password: holder.password })),
  },
  {
    title: 'deletion by an administrator',
    column: 'deletion',
    fire: async ({ world, holder }) => void bodyOf(await world.admin.api.delete(`/users/${holder.id}`)),
  },
  {
    title: 'deletion on the command line',
    column: 'deletion',
    fire: command('delete'),
    said: 'EMAIL is deleted.\n',
  },
  {
    title: 'a take-over',
    column: 'take-over',
    fire: async ({ world, holder }) => {
      // An administrator is never taken over; the triggers end what only administrators make.
      changeStored(world.service.folder, 'UPDATE users SET is_admin = 0 WHERE id = ?', holder.id);
      const owner = { sub: `new ${holder.email}`, email: holder.email, email_verified: true };
      assert.ok('access_token' in (await signInWith(world, owner)));
    },
  },
];

describe('what ends a secret', () => {
  test('is what the table says, cell by cell', async (t) => {
    const world = await startWorld(t);
    for (const [number, { title, column, fire, undo, said }] of EVENTS.entries())
      await t.test(title, async (own) => {
        const held = await hold(own, world, `holder-${number}`);
        const expected = new Map(columnOf(column));
        assert.deepEqual([...held.uses.keys()], [...expected.keys()]);
        // Of an administrator who ends it, or of the command line.
        if (title !== 'End all access' && column === 'access') expected.set('the session that asks', '-');
        const compare = async (cells: ReadonlyMap<string, string>, works: string): Promise<void> => {
          await held.again();
          const found: string[] = [];
          for (const [secret, use] of held.uses) found.push(`${secret}: ${String(await use())}`);
          assert.deepEqual(
            found,
            Array.from(cells, ([secret, cell]) => `${secret}: ${String(works.includes(cell))}`),
          );
        };
        assert.deepEqual(await fire(held), said);
        await compare(expected, '+');
        if (!undo) return;
        await undo(held);
        await compare(expected, '+p');
      });
  });

  test('is known for every column of the database that holds a secret or its hash', async (t) => {
    const { folder, stop } = await startService(t);
    await stop();
    const database = new Database(databasePath(folder), { readonly: true });
    const columns = database
      .prepare<[], { readonly name: string }>(
        `SELECT tables.name || '.' || columns.name AS name
         FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
         WHERE tables.type = 'table' AND tables.name NOT LIKE '%_texts%'
           AND (columns.name GLOB '*hash*' OR columns.name GLOB '*token*' OR columns.name GLOB '*secret*'
             OR columns.name GLOB '*salt*' OR columns.name GLOB '*password*' OR columns.name IN ('key', 'sid')
             OR columns.type = 'BLOB')`,
      )
      .all()
      .map(({ name }) => name);
    database.close();
    const known = SECRET_KINDS.flatMap((kind) => kind.columns ?? []);
    assert.deepEqual(
      columns.filter((name) => !known.includes(name) && !(name in NO_SECRETS)),
      [],
    );
    for (const name of [...known, ...Object.keys(NO_SECRETS)]) assert.ok(columns.includes(name), name);
  });
});
