import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { PUBLIC_KINDS, type PublicKind } from '../../src/storage/change-log.ts';
import { allChanges, changeOf, deeds, idsOf, refusal, revert, reverted } from '../support/changes.ts';
import { type Client, field } from '../support/client.ts';
import { SCALE, longTest } from '../support/size.ts';
import { type World, addPhoto, ratingOf, startWorld } from '../support/world.ts';

const CALLERS = ['owner', 'other', 'admin', 'token'] as const;
type Caller = (typeof CALLERS)[number];
type Deed = 'create' | 'update' | 'delete';

/** A write of one kind by a caller; restaurant 1 and category 5 are there. Gives its change. */
type Deeds = Readonly<Partial<Record<Deed, (api: Client, asOwner: Client) => Promise<number>>>>;

const last = async (api: Client): Promise<number> => Number((await allChanges(api)).at(-1)?.['id']);
const changed = async (call: Promise<Parameters<typeof changeOf>[0]>): Promise<number> =>
  changeOf(await call);
const idIn = (location: string | null): string => String(location?.split('/').at(-1));

/** Makes something and returns its id. */
async function made(api: Client, path: string, body: object): Promise<string> {
  return idIn((await api.post(path, body)).headers.get('location'));
}

let count = 0;
const named = (): { name: string } => ({ name: `Made ${(count += 1)}` });

function lookupDeeds(path: string): Deeds {
  return {
    create: (api) => changed(api.post(path, named())),
    update: async (api, owner) => changed(api.put(`${path}/${await made(owner, path, named())}`, named())),
    delete: async (api, owner) => changed(api.delete(`${path}/${await made(owner, path, named())}`)),
  };
}

const DEEDS: Readonly<Record<PublicKind, Deeds>> = {
  restaurant: lookupDeeds('/restaurants'),
  category: lookupDeeds('/categories'),
  food_type: lookupDeeds('/food-types'),
  suggestion: {
    create: (api) => changed(api.post('/suggestions', named())),
    update: async (api, owner) => {
      const id = await made(owner, '/suggestions', named());
      return changed(api.patch(`/suggestions/${id}/status`, { status: 'approved' }));
    },
    delete: async (api, owner) =>
      changed(api.delete(`/suggestions/${await made(owner, '/suggestions', named())}`)),
  },
  rating: {
    create: (api) => changed(api.post('/ratings', ratingOf(1))),
    delete: async (api, owner) =>
      changed(api.delete(`/ratings/${await made(owner, '/ratings', ratingOf(1))}`)),
  },
  photo: {
    create: async (api) => {
      await addPhoto(api, 1);
      return last(api);
    },
    update: async (api, owner) => {
      const id = String(field(await addPhoto(owner, 1), 'id'));
      return changed(api.patch(`/photos/${id}`, { caption: `New ${(count += 1)}` }));
    },
    delete: async (api, owner) => {
      const id = String(field(await addPhoto(owner, 1), 'id'));
      return changed(api.delete(`/photos/${id}`));
    },
  },
};

interface Row {
  readonly access: 'users' | 'admins';
  readonly kinds: readonly PublicKind[];
  readonly deed: Deed;
  readonly by: 'owner' | 'admin';
  readonly may: readonly Caller[];
}

const OPEN = ['restaurant', 'category', 'food_type'] as const;
const OF_PEOPLE = ['suggestion', 'rating', 'photo'] as const;

// Who may undo what an owner, or an administrator, has done with what is the owner's.
const ROWS: readonly Row[] = [
  { access: 'users', kinds: PUBLIC_KINDS, deed: 'create', by: 'owner', may: CALLERS },
  { access: 'users', kinds: PUBLIC_KINDS, deed: 'update', by: 'owner', may: CALLERS },
  { access: 'users', kinds: PUBLIC_KINDS, deed: 'update', by: 'admin', may: CALLERS },
  { access: 'users', kinds: OPEN, deed: 'delete', by: 'owner', may: CALLERS },
  { access: 'users', kinds: OPEN, deed: 'delete', by: 'admin', may: CALLERS },
  { access: 'users', kinds: OF_PEOPLE, deed: 'delete', by: 'owner', may: ['owner', 'admin', 'token'] },
  { access: 'users', kinds: OF_PEOPLE, deed: 'delete', by: 'admin', may: ['admin'] },
  { access: 'admins', kinds: OF_PEOPLE, deed: 'create', by: 'owner', may: ['owner', 'admin', 'token'] },
  { access: 'admins', kinds: OF_PEOPLE, deed: 'delete', by: 'owner', may: ['owner', 'admin', 'token'] },
  { access: 'admins', kinds: OF_PEOPLE, deed: 'delete', by: 'admin', may: ['admin'] },
  { access: 'admins', kinds: ['photo'], deed: 'update', by: 'owner', may: ['owner', 'admin', 'token'] },
  { access: 'admins', kinds: ['photo', 'suggestion'], deed: 'update', by: 'admin', may: ['admin'] },
  ...(['create', 'update', 'delete'] as const).map((deed): Row => {
    return { access: 'admins', kinds: OPEN, deed, by: 'admin', may: ['admin'] };
  }),
];

/** A token is its owner's, which one kind of each row shows well enough unless there is much time. */
function callersOf(kind: PublicKind, [first]: readonly PublicKind[]): readonly Caller[] {
  return SCALE < 1 && kind !== first ? CALLERS.filter((caller) => caller !== 'token') : CALLERS;
}

async function check(world: World, { kinds, deed, by, may }: Row): Promise<void> {
  for (const kind of kinds) {
    const make = DEEDS[kind][deed];
    for (const caller of make ? callersOf(kind, kinds) : []) {
      const author = OPEN.some((open) => open === kind) ? world[by] : world.owner;
      const id = await make?.(world[by], author);
      const answer = await revert(world[caller], id ?? 0);
      const title = `${kind} ${deed} by ${by}, reverted by ${caller}`;
      if (may.includes(caller)) assert.equal(answer.status, 200, `${title}: ${JSON.stringify(answer.body)}`);
      else assert.deepEqual(refusal(answer), [403, 'This change is not yours to revert'], title);
    }
  }
}

async function started(t: TestContext, WRITE_ACCESS: string): Promise<World> {
  const world = await startWorld(t, { WRITE_ACCESS });
  await world.admin.post('/restaurants', { name: 'Chez Nous' });
  return world;
}

describe('who may undo a change', () => {
  for (const access of ['users', 'admins'] as const)
    longTest(`with WRITE_ACCESS=${access}`, async (t) => {
      const world = await started(t, access);
      for (const row of ROWS.filter((one) => one.access === access)) await check(world, row);
    });

  test('with WRITE_ACCESS=admins: not a conversion of one’s own suggestion', async (t) => {
    const { owner, admin } = await started(t, 'admins');
    const id = await made(owner, '/suggestions', named());
    const converted = changeOf(await admin.post(`/suggestions/${id}/convert`, {}));
    assert.equal(refusal(await revert(owner, converted))[0], 403);
    assert.equal((await revert(admin, converted)).status, 200);
  });

  test('is asked of every change of a write: another user’s rating that went with its restaurant is not theirs', async (t) => {
    const { owner, other, admin } = await started(t, 'users');
    const id = await made(owner, '/suggestions', named());
    const scores = { food_rating: 5, service_rating: 5, ambiance_rating: 5 };
    const converted = changeOf(await owner.post(`/suggestions/${id}/convert`, scores));
    const undone = await reverted(owner, converted);
    const changes = (await allChanges(admin)).filter(({ write_id }) => write_id === undone);
    assert.deepEqual(deeds(changes).sort(), ['rating delete', 'restaurant delete', 'suggestion update']);
    for (const change of idsOf(changes))
      assert.deepEqual(refusal(await revert(other, change)), [403, 'This change is not yours to revert']);
    assert.equal((await revert(owner, undone)).status, 200);
  });

  test('is the same for a revert, and for what was reverted before', async (t) => {
    const { owner, other, admin } = await started(t, 'admins');
    const rated = changeOf(await owner.post('/ratings', ratingOf(1)));
    const undone = await reverted(admin, rated);
    for (const api of [owner, other]) assert.equal((await revert(api, undone)).status, 403);
    const back = await reverted(admin, undone);
    assert.equal((await revert(owner, back)).status, 403);
    // A stranger learns no more of it than that it is not theirs.
    assert.deepEqual(refusal(await revert(other, rated)), [403, 'This change is not yours to revert']);
    assert.equal((await revert(owner, rated)).status, 200);
  });

  test('is whose it was, not who restored it', async (t) => {
    const { owner, admin } = await started(t, 'admins');
    const first = changeOf(await owner.post('/ratings', ratingOf(1)));
    const gone = await reverted(owner, first);
    await reverted(owner, gone);
    assert.deepEqual(refusal(await revert(admin, gone))[0], 409);
  });
});
