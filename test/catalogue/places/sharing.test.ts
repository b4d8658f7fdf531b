import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { type TestContext, describe, test } from 'node:test';
import { type Fault, TROUBLES, sendingJson } from '../../support/fake-server.ts';
import { type Mapped, mapWithGoogle, mapWithNominatim, outcome, warnings } from '../../support/places.ts';
import { type RawAnswer, askTogether } from '../../support/raw.ts';
import { until } from '../../support/until.ts';

const SEARCH = '/places/search?q=Paris';

/** A service whose provider answers nothing before `release`; `askedFor` waits until it was asked so often. */
async function hold(
  t: TestContext,
  fault: Fault,
): Promise<Mapped & { readonly release: () => void; readonly askedFor: (count: number) => Promise<void> }> {
  const mapped = await mapWithGoogle(t);
  const held: (() => void)[] = [];
  mapped.provider.behave((response, asked) => {
    held.push(() => {
      fault(response, asked);
    });
  });
  return {
    ...mapped,
    release: () => {
      for (const answer of held.splice(0)) answer();
    },
    askedFor: async (count) => {
      await until(() => mapped.provider.asked.length >= count);
      // Behind this one, the service has all requests that were sent before.
      await mapped.service.api.get('/health');
    },
  };
}

function statuses(answers: readonly RawAnswer[]): number[] {
  return answers.map(({ status }) => status);
}

describe('equal look-ups under way', () => {
  test('share one call of the provider', async (t) => {
    const mapped = await hold(t, sendingJson(200, {}));
    const answers = askTogether(
      mapped.service.port,
      Array.from({ length: 20 }, () => SEARCH),
    );
    await mapped.askedFor(1);
    mapped.release();
    assert.deepEqual(
      (await answers).map(({ status, body }) => [status, body]),
      Array.from({ length: 20 }, () => [200, '[]']),
    );
    assert.equal(mapped.provider.asked.length, 1);
  });

  test('share a failure, which no later request gets', async (t) => {
    const mapped = await hold(t, TROUBLES['an internal error']);
    const answers = askTogether(mapped.service.port, [SEARCH, SEARCH, SEARCH]);
    await mapped.askedFor(1);
    mapped.release();
    assert.deepEqual(statuses(await answers), [502, 502, 502]);
    assert.equal(mapped.provider.asked.length, 1);
    assert.equal(warnings(mapped.service).length, 1);
    mapped.provider.behave();
    assert.equal((await mapped.service.api.get(SEARCH)).status, 200);
    assert.equal(mapped.provider.asked.length, 2);
  });

  test('of other words, or of another kind, are calls of their own', async (t) => {
    const mapped = await hold(t, sendingJson(200, {}));
    const paths = [SEARCH, '/places/search?q=paris', '/geocode/cities?q=Paris', '/geocode/cities?q=paris'];
    const answers = askTogether(mapped.service.port, [...paths, ...paths]);
    await mapped.askedFor(4);
    mapped.release();
    assert.deepEqual(statuses(await answers), Array(8).fill(200));
    assert.equal(mapped.provider.asked.length, 4);
  });

  test('are answered although the one who asked first went away', async (t) => {
    const mapped = await hold(t, sendingJson(200, {}));
    const first = connect(mapped.service.port, '127.0.0.1');
    first.write(`GET /api${SEARCH} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await mapped.askedFor(1);
    const second = askTogether(mapped.service.port, [SEARCH]);
    first.destroy();
    assert.equal((await mapped.service.api.get('/health')).status, 200);
    mapped.release();
    assert.deepEqual(statuses(await second), [200]);
    assert.equal(mapped.provider.asked.length, 1);
  });
});

describe('a look-up that was answered', () => {
  for (const [name, start, place] of [
    ['Google', mapWithGoogle, 'ChIJ-paris'],
    ['Nominatim', mapWithNominatim, 'osm:N107775'],
  ] as const) {
    test(`is not asked of ${name} again soon`, async (t) => {
      const { service, provider } = await start(t);
      for (const path of [SEARCH, `/places/${place}`, '/geocode/cities?q=Lyon', '/places/search?q=none']) {
        const first = await service.api.get(path);
        assert.equal(first.status, 200);
        assert.deepEqual(outcome(await service.api.get(path)), outcome(first));
      }
      assert.equal(provider.asked.length, 4);
    });

    test(`is asked of ${name} again when it failed or there was no such place`, async (t) => {
      const { service, provider } = await start(t);
      provider.behave(TROUBLES['a page']);
      assert.equal((await service.api.get(`/places/${place}`)).status, 502);
      provider.behave(name === 'Google' ? sendingJson(404, {}) : sendingJson(200, []));
      assert.equal((await service.api.get(`/places/${place}`)).status, 404);
      provider.behave();
      assert.equal((await service.api.get(`/places/${place}`)).status, 200);
      assert.equal(provider.asked.length, 3);
    });
  }

  test('as a search says nothing of cities with the same words', async (t) => {
    const { service } = await mapWithNominatim(t);
    const [search, cities] = ['/places/search?q=Osteria', '/geocode/cities?q=Osteria'];
    const found = outcome(await service.api.get(search));
    assert.deepEqual(outcome(await service.api.get(cities)), [200, []]);
    assert.deepEqual(outcome(await service.api.get(search)), found);
    assert.notDeepEqual(found, [200, []]);
  });

  test('as a search says nothing of the place whose id looks like it', async (t) => {
    const { service, provider } = await mapWithGoogle(t);
    assert.equal((await service.api.get('/places/search?q=ChIJ-paris')).status, 200);
    assert.equal((await service.api.get('/places/search')).status, 400);
    assert.equal((await service.api.get('/places/ChIJ-paris')).status, 200);
    assert.equal(provider.asked.length, 2);
  });
});
