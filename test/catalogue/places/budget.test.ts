import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { Budget } from '../../../src/catalogue/places/guards.ts';
import { openStorage } from '../../../src/storage/storage.ts';
import { atEnd } from '../../support/cleanup.ts';
import type { Answer, Client } from '../../support/client.ts';
import { TROUBLES } from '../../support/fake-server.ts';
import { mapWithGoogle, mapWithNominatim, outcome, warnings } from '../../support/places.ts';
import { temporaryFolder } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';

const USED_UP = [503, { error: 'Maps provider budget is used up for today' }];

/** Looks up different words, one after the other. */
async function lookUp(api: Client, ...words: readonly string[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const word of words) answers.push(await api.get(`/places/search?q=${word}`));
  return answers;
}

function statuses(answers: readonly Answer[]): number[] {
  return answers.map(({ status }) => status);
}

describe('the budget of the maps provider', () => {
  for (const [name, start] of [
    ['Google', mapWithGoogle],
    ['Nominatim', mapWithNominatim],
  ] as const)
    test(`lets so many calls of ${name} a day through, warns the operator once, and answers 503 with the time that is left`, async (t) => {
      const { service, provider } = await start(t, { MAPS_DAILY_LIMIT: '2' });
      const [first, second, third, fourth] = await lookUp(service.api, 'a', 'b', 'c', 'd');
      assert.deepEqual([first?.status, second?.status], [200, 200]);
      for (const answer of [third, fourth]) {
        assert.deepEqual(answer && outcome(answer), USED_UP);
        const seconds = Number(answer?.headers.get('retry-after'));
        assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 86_400, String(seconds));
      }
      assert.equal(provider.asked.length, 2);
      assert.equal((await service.api.get('/restaurants')).status, 200);
      assert.deepEqual(warnings(service), [
        {
          message: 'maps provider budget is used up for today (MAPS_DAILY_LIMIT)',
          provider: name.toLowerCase(),
          limit: 2,
        },
      ]);
    });

  test('is one for searches, places and cities', async (t) => {
    const { service, provider } = await mapWithGoogle(t, { MAPS_DAILY_LIMIT: '3' });
    for (const path of ['/places/search?q=a', '/places/ChIJ-paris', '/geocode/cities?q=a'])
      assert.equal((await service.api.get(path)).status, 200);
    for (const path of ['/places/search?q=b', '/places/ChIJ-chez_nous', '/geocode/cities?q=b'])
      assert.deepEqual(outcome(await service.api.get(path)), USED_UP);
    assert.equal(provider.asked.length, 3);
  });

  test('is not needed for what is known already', async (t) => {
    const { service } = await mapWithGoogle(t, { MAPS_DAILY_LIMIT: '2' });
    const answers = await lookUp(service.api, 'Chez', 'Chez', 'Paris', 'new', 'Chez', 'Paris');
    assert.deepEqual(statuses(answers), [200, 200, 200, 503, 200, 200]);
  });

  test('is spent on calls that fail too, since those may be billed', async (t) => {
    const { service, provider } = await mapWithGoogle(t, { MAPS_DAILY_LIMIT: '2' });
    provider.behave(TROUBLES['an internal error']);
    assert.deepEqual(statuses(await lookUp(service.api, 'a', 'a', 'a')), [502, 502, 503]);
  });

  test('is not refilled by a restart', async (t) => {
    const folder = temporaryFolder(t);
    const settings = { DATA_DIR: folder, MAPS_DAILY_LIMIT: '2' };
    const before = await mapWithGoogle(t, settings);
    assert.deepEqual(statuses(await lookUp(before.service.api, 'a')), [200]);
    await before.service.stop();
    const after = await mapWithGoogle(t, settings);
    assert.deepEqual(statuses(await lookUp(after.service.api, 'b', 'c')), [200, 503]);
    await after.service.stop();
    const raised = await mapWithGoogle(t, { ...settings, MAPS_DAILY_LIMIT: '3' });
    assert.deepEqual(statuses(await lookUp(raised.service.api, 'd', 'e')), [200, 503]);
  });

  longTest('has no end when it is 0', async (t) => {
    const { service, provider } = await mapWithGoogle(t, { MAPS_DAILY_LIMIT: '0' });
    const words = Array.from({ length: 30 }, (_, index) => `word${index}`);
    assert.deepEqual(new Set(statuses(await lookUp(service.api, ...words))), new Set([200]));
    assert.equal(provider.asked.length, 30);
  });

  test('holds for calls that come together', async (t) => {
    const { service, provider } = await mapWithGoogle(t, { MAPS_DAILY_LIMIT: '5' });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => service.api.get(`/places/search?q=word${index}`)),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 5);
    assert.equal(answers.filter(({ status }) => status === 503).length, 15);
    assert.equal(provider.asked.length, 5);
    assert.equal(warnings(service).length, 1);
  });
});

describe('the day of a budget', () => {
  /** A budget of two calls on a clock of the test's own, and how often it was told to be used up. */
  function budgetAt(t: TestContext): {
    readonly budget: Budget;
    readonly at: (time: string) => void;
    readonly told: () => number;
  } {
    const { queries, transactions, close } = openStorage(temporaryFolder(t));
    atEnd(t, close);
    let now = new Date(0);
    let told = 0;
    const budget = new Budget({
      sql: queries.file('places'),
      transactions,
      dailyLimit: 2,
      usedUp: () => {
        told += 1;
      },
      now: () => now,
    });
    const at = (time: string): void => {
      now = new Date(time);
    };
    return { budget, at, told: () => told };
  }
  const spent = (retryAfter: number): object => ({ kind: 'spent', details: { retryAfter } });

  test('ends at midnight in UTC, when all of it is there again', async (t) => {
    const { budget, at, told } = budgetAt(t);
    at('2026-02-28T23:59:58.500Z');
    await budget.take();
    await budget.take();
    budget.check();
    await assert.rejects(budget.take(), spent(2));
    assert.throws(() => {
      budget.check();
    }, spent(2));
    at('2026-02-28T23:59:59.999Z');
    await assert.rejects(budget.take(), spent(1));
    assert.equal(told(), 1);
    at('2026-03-01T00:00:00.000Z');
    budget.check();
    await budget.take();
    await budget.take();
    await assert.rejects(budget.take(), spent(86_400));
    assert.throws(() => {
      budget.check();
    }, spent(86_400));
    assert.equal(told(), 2);
  });

  test('is counted from nothing after a day without a call', async (t) => {
    const { budget, at } = budgetAt(t);
    at('2026-01-01T12:00:00Z');
    await budget.take();
    at('2026-01-05T12:00:00Z');
    await budget.take();
    await budget.take();
    await assert.rejects(budget.take(), spent(43_200));
  });
});
