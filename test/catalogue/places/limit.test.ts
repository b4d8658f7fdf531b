import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Client, createClient, textOf } from '../../support/client.ts';
import { TROUBLES } from '../../support/fake-server.ts';
import { TOKEN_HEADER, claimsOf, expired, signed } from '../../support/forge.ts';
import { LOCAL, signUp } from '../../support/people.ts';
import { mapWithGoogle, outcome } from '../../support/places.ts';

// Wide enough for the limit of all requests not to be met.
const ON = { ...LOCAL, RATE_LIMIT_PER_MINUTE: '1000', RATE_LIMIT_BURST: '1000' };
const REFUSAL = [429, { error: 'Rate limit exceeded. Please try again later.' }];

/** Looks up as many different words, one after the other, and returns the statuses. */
async function lookUp(
  api: Client,
  count: number,
  word = 'word',
  headers: Readonly<Record<string, string>> = {},
): Promise<number[]> {
  const answers: number[] = [];
  for (let index = 0; index < count; index += 1)
    answers.push((await api.get(`/places/search?q=${word}${index}`, headers)).status);
  return answers;
}

describe('the limit on look-ups of strangers', () => {
  test('is ten calls of the provider at once, then 429 in the usual words', async (t) => {
    const { service, provider } = await mapWithGoogle(t, ON);
    assert.deepEqual(await lookUp(service.api, 10), Array(10).fill(200));
    for (const path of ['/places/search?q=new', '/places/ChIJ-paris', '/geocode/cities?q=new']) {
      const refused = await service.api.get(path);
      assert.deepEqual(outcome(refused), REFUSAL);
      const seconds = Number(refused.headers.get('retry-after'));
      assert.ok(seconds >= 1 && seconds <= 6, String(seconds));
    }
    assert.equal(provider.asked.length, 10);
  });

  test('is not touched by what is known already, nor by what is wrong', async (t) => {
    const { service, provider } = await mapWithGoogle(t, ON);
    for (let index = 0; index < 15; index += 1) {
      assert.equal((await service.api.get('/places/search?q=Chez')).status, 200);
      assert.equal((await service.api.get('/places/a.b')).status, 400);
      assert.equal((await service.api.get('/geocode/cities?q=')).status, 400);
    }
    assert.deepEqual(await lookUp(service.api, 10), [...Array<number>(9).fill(200), 429]);
    assert.equal((await service.api.get('/places/search?q=Chez')).status, 200);
    assert.equal((await service.api.get('/places/search?q=word0')).status, 200);
    assert.equal(provider.asked.length, 10);
  });

  test('is not touched by a call that is never made', async (t) => {
    const { service, provider } = await mapWithGoogle(t, { ...ON, MAPS_DAILY_LIMIT: '1' });
    assert.deepEqual(await lookUp(service.api, 15), [200, ...Array<number>(14).fill(503)]);
    assert.equal(provider.asked.length, 1);
  });

  test('counts calls that fail', async (t) => {
    const { service, provider } = await mapWithGoogle(t, ON);
    provider.behave(TROUBLES['an internal error']);
    assert.deepEqual(await lookUp(service.api, 4), Array(4).fill(502));
    provider.behave();
    assert.deepEqual(await lookUp(service.api, 7), [...Array<number>(6).fill(200), 429]);
  });

  test('is one for each address', async (t) => {
    const { service } = await mapWithGoogle(t, ON);
    const from = (address: string): Readonly<Record<string, string>> => ({ 'X-Forwarded-For': address });
    assert.deepEqual((await lookUp(service.api, 11, 'a', from('198.51.100.1'))).indexOf(429), 10);
    assert.deepEqual(await lookUp(service.api, 2, 'b', from('198.51.100.2')), [200, 200]);
    assert.deepEqual(await lookUp(service.api, 1, 'c', from('198.51.100.2, 198.51.100.1')), [429]);
  });

  test('is not for a user who signed in, behind whatever address', async (t) => {
    const { service, provider } = await mapWithGoogle(t, ON);
    const { api } = await signUp(service, 'ada');
    assert.deepEqual(await lookUp(service.api, 11), [...Array<number>(10).fill(200), 429]);
    assert.deepEqual(await lookUp(api, 15, 'mine'), Array(15).fill(200));
    assert.equal(provider.asked.length, 25);
    assert.deepEqual(await lookUp(service.api, 1, 'mine'), [200]);
    assert.deepEqual(await lookUp(service.api, 1, 'new'), [429]);
  });

  test('is not for the API token of a user', async (t) => {
    const { service } = await mapWithGoogle(t, ON);
    const { api } = await signUp(service, 'ada');
    const token = textOf((await api.post('/auth/tokens', { name: 'script' })).body, 'token');
    const script = createClient(service.url, { Authorization: `Bearer ${token}` });
    assert.deepEqual(await lookUp(script, 15), Array(15).fill(200));
  });

  test('is for requests with a token that is not valid, as for those without', async (t) => {
    const { service, provider } = await mapWithGoogle(t, ON);
    const { api, accessToken } = await signUp(service, 'ada');
    assert.deepEqual(await lookUp(service.api, 11), [...Array<number>(10).fill(200), 429]);
    const forged = signed(TOKEN_HEADER, claimsOf(accessToken), 'x'.repeat(32));
    for (const token of [expired(accessToken), forged, `rct_${'x'.repeat(43)}`, 'x', ''])
      assert.deepEqual(
        await lookUp(service.api, 1, 'new', { Authorization: `Bearer ${token}` }),
        [429],
        token.slice(0, 20),
      );
    await api.post('/auth/logout', {});
    assert.deepEqual(await lookUp(api, 1, 'new'), [429]);
    assert.equal(provider.asked.length, 10);
  });

  const off: readonly [string, Readonly<Record<string, string>>][] = [
    ['with RATE_LIMIT_PER_MINUTE=0', { RATE_LIMIT_PER_MINUTE: '0' }],
    ['with RATE_LIMIT_BURST=0', { RATE_LIMIT_BURST: '0' }],
    ['for the one user of a service without accounts', { AUTH_MODE: 'none' }],
  ];
  for (const [title, variables] of off)
    test(`is off ${title}`, async (t) => {
      const { service } = await mapWithGoogle(t, { ...ON, ...variables });
      assert.deepEqual(await lookUp(service.api, 15), Array(15).fill(200));
    });
});
