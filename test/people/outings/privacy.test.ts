import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { createRestaurants } from '../../support/catalogue.ts';
import { type Client, bodyOf } from '../../support/client.ts';
import { makeFeed } from '../../support/feeds.ts';
import { addItems, addList, addMembers, putItem } from '../../support/lists.ts';
import {
  ALWAYS,
  type OutingSeen,
  ballot,
  closed,
  inDays,
  joinAs,
  seenIn,
  voteByLink,
} from '../../support/outings.ts';
import { LOCAL, type Person, makeAdmin, person } from '../../support/people.ts';
import { type Service, startService } from '../../support/service.ts';

const PEOPLE = ['creator', 'voter', 'member', 'admin', 'outsider'] as const;
type Name = (typeof PEOPLE)[number];

/** A text that stands in one place of one person's data, and nowhere else. */
const secret = (name: Name, place: string): string => `zq-${name}-${place}-zq`;

/** The secrets that a text holds, each once. */
const secretsIn = (text: string): string[] => [...new Set(text.match(/zq-\w+-\w+-zq/g))].sort();

interface Secretive {
  readonly service: Service;
  readonly people: Readonly<Record<Name, Person>>;
  /** Of the voter, and joined by the creator. */
  readonly joined: number;
  /** Of the creator. */
  readonly own: number;
}

/** Someone all of whose private fields have a secret, on lists and visits of all places. */
async function signUpWithSecrets({ url, api }: Service, name: Name): Promise<Person> {
  const password = `${name} and a long password`;
  const email = `${secret(name, 'email')}@example.com`;
  const body = { email, username: name, password, full_name: secret(name, 'fullname') };
  const made = person(url, bodyOf(await api.post('/auth/register', body)), password);
  await made.api.post('/auth/tokens', { name: secret(name, 'token') });
  const list = await addList(made.api, secret(name, 'private'));
  await made.api.put(`/lists/${list}`, { description: secret(name, 'description') });
  for (const id of [1, 2, 3]) {
    await putItem(made.api, list, id, { note: secret(name, 'item') });
    await putItem(made.api, 'want', id, { note: secret(name, 'want') });
  }
  const visit = {
    restaurant_id: 1,
    note: secret(name, 'visit'),
    companions: [secret(name, 'companion')],
    dishes: [{ name: secret(name, 'dish'), note: secret(name, 'remark') }],
  };
  bodyOf(await made.api.post('/visits', visit));
  return made;
}

async function startSecretive(t: TestContext): Promise<Secretive> {
  const service = await startService(t, LOCAL);
  const first = person(
    service.url,
    bodyOf(
      await service.api.post('/auth/register', {
        email: 'a@example.com',
        username: 'first',
        password: 'a long password of the first',
      }),
    ),
    '',
  );
  makeAdmin(service, first);
  await createRestaurants(
    first.api,
    ['A', 'B', 'C'].map((name) => ({ name, ...ALWAYS })),
  );
  const made: Partial<Record<Name, Person>> = {};
  for (const name of PEOPLE) made[name] = await signUpWithSecrets(service, name);
  const { creator, voter, member, admin, outsider } = made;
  if (!creator || !voter || !member || !admin || !outsider) throw new Error('someone is missing');
  makeAdmin(service, admin);
  const own = await addList(creator.api, secret('creator', 'named'));
  await addItems(creator.api, own, [1, 2]);
  const joined = await addList(voter.api, secret('voter', 'joined'));
  await addItems(voter.api, joined, [2, 3]);
  await addMembers(voter.api, joined, creator.api, member.api);
  return { service, people: { creator, voter, member, admin, outsider }, joined, own };
}

/** All that a person sees of an outing: by its id, in the own list of outings, by its link, on its page, in calendars. */
async function allSeen(api: Client, { id, token }: OutingSeen, headers = {}): Promise<string> {
  const paths = [
    `/api/outings/${id}`,
    '/api/outings',
    `/api/shared/${token}`,
    `/api/shared/${token}.ics`,
    `/o/${token}`,
  ];
  const texts: unknown[] = [];
  for (const path of paths) {
    const answer = await api.send(path, { headers });
    texts.push([...answer.headers], answer.body);
  }
  return JSON.stringify(texts);
}

describe('what others see of an outing', () => {
  test('holds nothing private of anyone but the own list that the creator named', async (t) => {
    const { service, people, joined, own } = await startSecretive(t);
    const { creator, voter, member, admin, outsider } = people;
    const sources: readonly (readonly [object, readonly string[]])[] = [
      [{ from: {} }, []],
      [{ from: { list: 'want' } }, []],
      [{ from: { list: joined } }, []],
      [{ from: { visited: 'no' } }, []],
      [{ options: [1, 2] }, []],
      // The last one, since the list of outings has all of them.
      [{ from: { list: own } }, [secret('creator', 'named')]],
    ];
    for (const [source, allowed] of sources) {
      const outing = seenIn(await creator.api.post('/outings', { at: inDays(1), ...source }));
      const guest = await joinAs(service.api, outing, 'Zoë', ballot({ 2: 'yes' }));
      for (const { api } of [creator, voter, member])
        bodyOf(await voteByLink(api, outing, ballot({ 2: 'ok' })));
      const readers = [voter.api, member.api, admin.api, outsider.api, service.api];
      const look = async (): Promise<void> => {
        for (const api of readers)
          assert.deepEqual(secretsIn(await allSeen(api, outing)), allowed, JSON.stringify(source));
        const byGuest = await allSeen(service.api, outing, { Authorization: `Guest ${guest}` });
        assert.deepEqual(secretsIn(byGuest), allowed);
      };
      await look();
      await closed(creator.api, outing);
      await look();
      const feed = await makeFeed(voter.api, 'outings');
      assert.deepEqual(secretsIn(String((await service.api.send(feed, {})).body)), []);
      await creator.api.delete(`/outings/${outing.id}`);
      await look();
    }
  });
});
