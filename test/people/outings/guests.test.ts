import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Answer, bodyOf, field, headerValues, record, textOf } from '../../support/client.ts';
import {
  startVote,
  addOuting,
  ballot,
  joinAs,
  namesIn,
  openLink,
  participantsOf,
  refusalOf,
  voteByLink,
} from '../../support/outings.ts';

const TAKEN = [409, 'name already exists'];
const UNKNOWN = [404, 'Link is unknown or expired'];

describe('a guest', () => {
  test('has a name, and a secret that the first answer alone returns', async (t) => {
    const { service, outing } = await startVote(t);
    const { api } = service;
    const first = await voteByLink(api, outing, { name: 'Zoë', ...ballot({ 1: 'yes' }) });
    assert.deepEqual(headerValues(first, 'cache-control', 'referrer-policy', 'x-robots-tag'), [
      'private, no-store',
      'no-referrer',
      'noindex',
    ]);
    const secret = textOf(bodyOf(first), 'secret');
    assert.match(secret, /^[\w-]{43}$/);
    assert.deepEqual(participantsOf(field(first.body, 'outing'))[1], ['Zoë', true, true, true]);
    const second = bodyOf(await voteByLink(api, outing, { secret, ...ballot({ 1: 'no' }) }));
    assert.deepEqual(Object.keys(record(second)), ['kind', 'outing']);
    assert.deepEqual(namesIn(field(second, 'outing')), ['alice', 'Zoë']);
  });

  test('reads the own ballot with the secret, and others do not', async (t) => {
    const { service, outing } = await startVote(t);
    const secret = await joinAs(service.api, outing, 'Zoë', ballot({ 1: 'yes' }, 2));
    const own = await openLink(service.api, outing, secret);
    assert.deepEqual(field(own, 'ballot'), { coming: true, choices: { 1: 'yes' }, veto: 2 });
    for (const wrong of [undefined, 'x', secret.slice(1), `${secret}x`]) {
      const seen = await openLink(service.api, outing, wrong);
      assert.equal(field(seen, 'ballot'), null);
    }
  });

  test('without a name, or with an unknown secret, is refused', async (t) => {
    const { service, owner, outing } = await startVote(t);
    const { api } = service;
    assert.deepEqual(refusalOf(await voteByLink(api, outing, ballot({}))), [400, 'name is required']);
    const long = await voteByLink(api, outing, { name: 'x'.repeat(51), ...ballot({}) });
    assert.deepEqual(refusalOf(long), [400, 'name must be at most 50 characters']);
    const unknown = await voteByLink(api, outing, { secret: 'x', name: 'Zoë', ...ballot({}) });
    assert.deepEqual(refusalOf(unknown), [403, 'Unknown secret']);
    const elsewhere = await addOuting(owner, [1, 2]);
    const secret = await joinAs(api, elsewhere, 'Zoë', ballot({}));
    const moved = await voteByLink(api, outing, { secret, name: 'Zoë', ...ballot({}) });
    assert.deepEqual(refusalOf(moved), [403, 'Unknown secret']);
    assert.deepEqual(namesIn(await openLink(api, outing)), ['alice']);
  });

  test('has a name like a username, and none that looks like that of another participant', async (t) => {
    const { service, outing } = await startVote(t);
    const { api } = service;
    await joinAs(api, outing, 'Zoë', ballot({}));
    await joinAs(api, outing, 'Bill', ballot({}));
    const LOOKS = [400, 'name holds invisible or look-alike characters'];
    const names: readonly (readonly [string, readonly unknown[]])[] = [
      ...['Zoë', 'ZOË', 'zoe\u0308', 'Alice', ' alice ', 'aIice', 'A1ice', 'BiII', 'Ｂｉｌｌ'].map(
        (name) => [name, TAKEN] as const,
      ),
      // The first letter is Cyrillic, among Latin ones and alone.
      ...['\u0430lice', 'Zo\u200bë', '\u202eZoë', 'A  B', '\u2800', ' \u200b '].map(
        (name) => [name, LOOKS] as const,
      ),
    ];
    for (const [name, refusal] of names)
      assert.deepEqual(refusalOf(await voteByLink(api, outing, { name, ...ballot({}) })), refusal, name);
    assert.deepEqual(namesIn(await openLink(api, outing)), ['alice', 'Zoë', 'Bill']);
    await joinAs(api, outing, 'Zoe', ballot({}));
  });

  test('can take another name, the own one in another case, but not one that is taken', async (t) => {
    const { service, outing } = await startVote(t);
    const { api } = service;
    const secret = await joinAs(api, outing, 'Zoë', ballot({ 1: 'yes' }));
    await joinAs(api, outing, 'Max', ballot({}));
    const rename = (name: string): Promise<Answer> =>
      voteByLink(api, outing, { name, secret, ...ballot({ 1: 'ok' }) });
    assert.deepEqual(refusalOf(await rename('max')), TAKEN);
    assert.deepEqual(field(await openLink(api, outing, secret), 'ballot'), {
      coming: true,
      choices: { 1: 'yes' },
      veto: null,
    });
    assert.deepEqual(namesIn(field(bodyOf(await rename('ZOË')), 'outing')), ['alice', 'ZOË', 'Max']);
    assert.deepEqual(namesIn(field(bodyOf(await rename('Ann')), 'outing')), ['alice', 'Ann', 'Max']);
    await joinAs(api, outing, 'Zoë', ballot({}));
  });

  test('does not shut out a user who has the same name, and can vote again beside that one', async (t) => {
    const { service, other, outing } = await startVote(t);
    const secret = await joinAs(service.api, outing, 'Bob', ballot({}));
    const answer = bodyOf(await voteByLink(other, outing, ballot({})));
    assert.deepEqual(
      participantsOf(field(answer, 'outing')).map((one) => one.slice(0, 2)),
      [
        ['alice', false],
        ['Bob', true],
        ['bob', false],
      ],
    );
    bodyOf(await voteByLink(service.api, outing, { secret, name: 'Bob', coming: false }));
  });

  test('needs a link that opens an outing', async (t) => {
    const { service, outing } = await startVote(t);
    const { api } = service;
    const body = { name: 'Zoë', ...ballot({}) };
    for (const token of ['x'.repeat(43), outing.token.slice(1), `${outing.token}.ics`])
      assert.deepEqual(refusalOf(await api.put(`/shared/${token}/ballot`, body)), UNKNOWN);
  });
});
