import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Gate } from '../../../src/catalogue/places/guards.ts';
import { mapWithNominatim, warnings } from '../../support/places.ts';
import { askTogether } from '../../support/raw.ts';
import { longTest } from '../../support/size.ts';

const SECOND = 1_000;

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/** A gate on a clock that the test advances. */
interface TimedGate {
  readonly gate: Gate;
  /** Lets time pass, in milliseconds, and wakes on the way those that wait for it. */
  readonly wait: (ms: number) => Promise<void>;
  /** Lets time pass while no sleeper is woken, as under load. */
  readonly oversleep: (ms: number) => void;
  /** Passes the gate; the name and the time stand in `starts` then. */
  readonly enter: (name: string) => void;
  readonly starts: readonly (readonly [string, number])[];
}

function gateAt(intervalMs: number, earlyMs = 0): TimedGate {
  let time = 50_000;
  let sleepers: Sleeper[] = [];
  const starts: (readonly [string, number])[] = [];
  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      sleepers.push({ until: time + Math.max(1, ms - earlyMs), wake: resolve });
    });
  const gate = new Gate(intervalMs, () => time, pause);
  const wait = async (ms: number): Promise<void> => {
    const end = time + ms;
    await settled();
    for (let next = earliest(sleepers, end); next; next = earliest(sleepers, end)) {
      const { until, wake } = next;
      sleepers = sleepers.filter((one) => one !== next);
      time = Math.max(time, until);
      wake();
      await settled();
    }
    time = end;
  };
  const enter = (name: string): void => {
    void gate.pass().then(() => starts.push([name, time - 50_000]));
  };
  const oversleep = (ms: number): void => {
    time += ms;
  };
  return { gate, wait, oversleep, enter, starts };
}

function earliest(sleepers: readonly Sleeper[], end: number): Sleeper | undefined {
  return [...sleepers].sort((a, b) => a.until - b.until).find(({ until }) => until <= end);
}

/** When everything that needs no more time has been done. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

describe('the gate', () => {
  test('lets the first call through at once, and the others one by one in their order', async () => {
    const { wait, enter, starts } = gateAt(SECOND);
    for (const name of ['a', 'b', 'c']) enter(name);
    await wait(0);
    assert.deepEqual(starts, [['a', 0]]);
    await wait(999);
    assert.deepEqual(starts, [['a', 0]]);
    await wait(1_001);
    assert.deepEqual(starts, [
      ['a', 0],
      ['b', 1_000],
      ['c', 2_000],
    ]);
  });

  test('keeps calls apart that come later, and none waiting that comes late enough', async () => {
    const { wait, enter, starts } = gateAt(SECOND);
    enter('a');
    await wait(400);
    enter('b');
    await wait(5_000);
    enter('c');
    await wait(0);
    assert.deepEqual(starts, [
      ['a', 0],
      ['b', 1_000],
      ['c', 5_400],
    ]);
  });

  test('goes by the clock where timers fire early', async () => {
    const { wait, enter, starts } = gateAt(SECOND, 300);
    enter('a');
    enter('b');
    await wait(3_000);
    const [, [name, at] = ['', 0]] = starts;
    assert.equal(name, 'b');
    assert.ok(at >= 1_000, String(at));
  });

  test('keeps order and distance where timers fire late', async () => {
    const { wait, oversleep, enter, starts } = gateAt(SECOND);
    enter('a');
    enter('b');
    await wait(0);
    oversleep(1_500);
    enter('c');
    await wait(2_000);
    assert.deepEqual(starts, [
      ['a', 0],
      ['b', 1_500],
      ['c', 2_500],
    ]);
  });

  test('refuses calls that would start too late, and says when to come again', async () => {
    const { gate, wait, enter, starts } = gateAt(SECOND);
    for (const name of ['a', 'b', 'c', 'd']) {
      gate.check();
      enter(name);
    }
    await wait(0);
    const busy = { name: 'PlacesError', kind: 'busy', details: { retryAfter: 1 } };
    assert.throws(() => {
      gate.check();
    }, busy);
    assert.throws(() => void gate.pass(), busy);
    await wait(1_000);
    gate.check();
    enter('e');
    assert.throws(() => {
      gate.check();
    }, busy);
    await wait(10_000);
    assert.deepEqual(
      starts.map(([name, at]) => `${name} ${at}`),
      ['a 0', 'b 1000', 'c 2000', 'd 3000', 'e 4000'],
    );
  });

  test('accepts as many as can start in time, at a faster pace', async () => {
    const { gate, wait, enter, starts } = gateAt(10);
    for (let index = 0; index <= 300; index += 1) enter(String(index));
    assert.throws(
      () => {
        gate.check();
      },
      { kind: 'busy' },
    );
    await wait(3_000);
    assert.equal(starts.length, 301);
    assert.deepEqual(
      starts.map(([, at]) => at),
      Array.from({ length: 301 }, (_, index) => index * 10),
    );
  });

  test('of a provider without a pace is open to every call', async () => {
    const gate = new Gate(0);
    for (let index = 0; index < 1_000; index += 1) {
      gate.check();
      await gate.pass();
    }
    await Promise.all(Array.from({ length: 1_000 }, () => gate.pass()));
  });
});

describe('the gate of a service', () => {
  longTest(
    'is one for all look-ups, and answers 503 to a call that would have to wait for more than 3 s',
    async (t) => {
      const { service, provider } = await mapWithNominatim(t, { MAPS_REQUESTS_PER_SECOND: '1' });
      const paths = [
        '/places/search?q=a',
        '/places/osm:N107775',
        '/geocode/cities?q=a',
        '/places/search?q=b',
        '/places/search?q=c',
      ];
      const answers = await askTogether(service.port, paths);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 200, 503],
      );
      assert.equal(answers[4]?.body, '{"error":"Maps provider is busy"}');
      assert.match(answers[4].head, /^retry-after: 1$/im);
      assert.deepEqual(
        provider.asked.map(({ path, query }) => `${path} ${query.get('q') ?? query.get('osm_ids') ?? ''}`),
        ['/search a', '/lookup N107775', '/search a', '/search b'],
      );
      assert.deepEqual(warnings(service), []);
    },
  );
});
