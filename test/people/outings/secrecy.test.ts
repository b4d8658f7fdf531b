import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Client, bodyOf } from '../../support/client.ts';
import { addItems, addList, addMembers } from '../../support/lists.ts';
import {
  addOuting,
  ballot,
  inDays,
  joinAs,
  ofOptions,
  openLink,
  vote,
  voteByLink,
} from '../../support/outings.ts';
import { startOutings } from '../../support/outings.ts';

describe('what others see of an outing', () => {
  test('is the same, whichever of two voters chose what', async (t) => {
    const { owner, other, admin, service } = await startOutings(t);
    const outing = await addOuting(owner, [1, 2, 3]);
    const [one, two] = [ballot({ 1: 'yes', 2: 'no' }, 3), ballot({ 2: 'yes', 3: 'ok' })];
    const guest = await joinAs(service.api, outing, 'Zoë', one);
    await voteByLink(other, outing, two);
    await voteByLink(admin, outing, ballot({}));
    await vote(owner, outing, ballot({}));
    const exported = async (api: Client): Promise<unknown> =>
      String((await api.get('/me/export')).body)
        .split('\n')
        .filter((line) => line.startsWith('{"type":"outing'));
    const seen = async (): Promise<unknown[]> => [
      await exported(owner),
      await exported(admin),
      await openLink(owner, outing),
      await openLink(admin, outing),
      await openLink(service.api, outing),
      bodyOf(await owner.get('/outings')),
    ];
    const before = await seen();
    bodyOf(await voteByLink(service.api, outing, { ...two, secret: guest }));
    bodyOf(await voteByLink(other, outing, one));
    assert.notDeepEqual(before[0], []);
    assert.deepEqual(await seen(), before);
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
