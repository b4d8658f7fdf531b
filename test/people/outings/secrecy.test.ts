import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Client, bodyOf, field } from '../../support/client.ts';
import { addItems, addList, addMembers } from '../../support/lists.ts';
import { makeFeed } from '../../support/feeds.ts';
import { merged } from '../../support/merges.ts';
import { reverted } from '../../support/changes.ts';
import { remove } from '../../support/accounts.ts';
import { until } from '../../support/until.ts';
import {
  type OutingSeen,
  addOuting,
  ballot,
  closed,
  inDays,
  joinAs,
  ofOptions,
  openLink,
  participantsOf,
  resultOf,
  startOutings,
  sumsOf,
  voteByLink,
} from '../../support/outings.ts';

const NULLS = [null, null, null, null];

/** All answers about outings, with their headers, apart from those that differ between any two requests. */
async function seenBy(
  api: Client,
  outing: OutingSeen,
  headers: Readonly<Record<string, string>>,
): Promise<unknown[]> {
  const paths = ['/api/me/export', '/api/outings', `/api/outings/${outing.id}`];
  const open = [`/api/shared/${outing.token}`, `/api/shared/${outing.token}.ics`, `/o/${outing.token}`];
  const answers: unknown[] = [];
  for (const path of [...paths, ...open]) {
    const answer = await api.send(path, { headers: { 'Accept-Encoding': 'identity', ...headers } });
    // The page says when it was made.
    const varied = path.startsWith('/o/')
      ? /^(date|etag|x-request-id|ratelimit-)/
      : /^(date|x-request-id|ratelimit-)/;
    const fixed = [...answer.headers].filter(([name]) => !varied.test(name));
    answers.push([path, fixed, JSON.stringify(answer.body).replace(/\\"at\\":\d+/, '')]);
  }
  return answers;
}

describe('while people vote', () => {
  const ballots: readonly object[] = [
    ballot({}),
    ballot({ 1: 'yes', 2: 'no' }, 3),
    ballot({ 2: 'yes', 3: 'ok' }),
    ballot({ 1: 'no', 2: 'no', 3: 'no' }, 1),
  ];

  test('nothing that others get depends on how someone votes, nor on how often', async (t) => {
    const { owner, other, admin, service } = await startOutings(t);
    const outing = await addOuting(owner, [1, 2, 3]);
    const secret = await joinAs(service.api, outing, 'Zoë', ballot({ 1: 'yes' }));
    const away = await joinAs(service.api, outing, 'Max', { coming: false });
    bodyOf(await voteByLink(other, outing, ballot({ 1: 'ok' })));
    const feed = await makeFeed(other, 'outings');
    const seen = async (): Promise<unknown[]> => [
      ...(await seenBy(owner, outing, {})),
      ...(await seenBy(other, outing, {})),
      ...(await seenBy(admin, outing, {})),
      ...(await seenBy(service.api, outing, {})),
      ...(await seenBy(service.api, outing, { Authorization: `Guest ${away}` })),
      [...(await service.api.send(feed, {})).headers].filter(([name]) => /etag|length|modified/.test(name)),
    ];
    const before = await seen();
    assert.match(JSON.stringify(before), /has_voted/);
    for (const body of ballots) {
      bodyOf(await voteByLink(service.api, outing, { ...body, secret }));
      assert.deepEqual(await seen(), before, JSON.stringify(body));
    }
    const own = bodyOf(await voteByLink(service.api, outing, { ...ballot({ 2: 'yes' }), secret }));
    assert.deepEqual(sumsOf(field(own, 'outing')), [NULLS, NULLS, NULLS]);
    bodyOf(await owner.delete(`/outings/${outing.id}`));
    for (const api of [owner, service.api])
      assert.deepEqual(sumsOf(await openLink(api, outing)), [NULLS, NULLS, NULLS]);
  });
});

describe('after the decision', () => {
  test('everyone sees sums, which tell nothing more when an account ends, or places are merged', async (t) => {
    const { owner, other, admin, people, service } = await startOutings(t);
    const outing = await addOuting(owner, [1, 2, 3]);
    bodyOf(await voteByLink(other, outing, ballot({ 1: 'yes', 2: 'ok' }, 3)));
    bodyOf(await voteByLink(admin, outing, ballot({ 1: 'no', 2: 'yes' })));
    await joinAs(service.api, outing, 'Max', { coming: false, choices: { 1: 'yes' } });
    const sums = [
      [1, 0, 1, 0],
      [1, 1, 0, 0],
      [0, 0, 0, 1],
    ];
    assert.deepEqual(sumsOf(await closed(owner, outing)), sums);
    for (const api of [owner, other, service.api])
      assert.deepEqual(sumsOf(await openLink(api, outing)), sums);
    const change = await merged(admin, 1, 3);
    assert.deepEqual(sumsOf(await openLink(owner, outing)), sums.slice(0, 2));
    await reverted(admin, change);
    await merged(admin, 1, 2);
    // Of two the winner's.
    assert.deepEqual(sumsOf(await openLink(owner, outing)), sums.slice(1));
    await remove(other, '/auth/me', { password: people.other.password });
    await until(async () => participantsOf(await openLink(owner, outing)).length === 3);
    assert.deepEqual(sumsOf(await openLink(owner, outing)), sums.slice(1));
    assert.deepEqual(resultOf(await openLink(owner, outing)), [1, 'votes']);
  });
});

describe('visits and lists of others', () => {
  test('change no proposal, and those of the creator only the own one', async (t) => {
    const { owner, other, admin } = await startOutings(t);
    const today = new Date().toISOString().slice(0, 10);
    const proposal = async (api: Client): Promise<unknown[]> => {
      const made = bodyOf(await api.post('/outings', { at: inDays(1), from: {} }));
      return [ofOptions(made, 'name'), ofOptions(made, 'reasons')];
    };
    const before = await proposal(owner);
    const list = await addList(other, 'Lyon');
    for (const id of [1, 2, 3]) {
      await other.post('/visits', { restaurant_id: id, visited_on: today });
      await addItems(other, list, [id]);
      await addItems(admin, 'favourites', [id]);
    }
    await addMembers(other, list, admin);
    assert.deepEqual(await proposal(owner), before);
    assert.deepEqual(await proposal(admin), before);
    const [names, reasons] = await proposal(other);
    assert.deepEqual(names, ['D', 'E', 'A', 'B', 'C']);
    assert.deepEqual(reasons, before[1]);
  });
});
