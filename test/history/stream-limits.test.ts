import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { answerTo } from '../support/bytes.ts';
import { atEnd } from '../support/cleanup.ts';
import { createClient, field, textOf } from '../support/client.ts';
import { type Person, changeStored, signUp } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { longTest } from '../support/size.ts';
import { type Asked, type Follower, askForStream, follow, refusalOf } from '../support/streams.ts';
import { until } from '../support/until.ts';
import { startWorld } from '../support/world.ts';

const TOO_MANY = [429, { error: 'Too many streams' }, '30'] as const;
const OF_ADDRESS = 8;
const OF_USER = 4;

/** Asks as the client of this number, who has an address of its own. */
const from = (client: number): Asked => ({ headers: { 'X-Forwarded-For': `203.0.113.${client}` } });

const as = ({ accessToken }: Person, client = 1): Asked => ({
  headers: { ...from(client).headers, Authorization: `Bearer ${accessToken}` },
});

async function several(count: number, open: (index: number) => Promise<Follower>): Promise<Follower[]> {
  const streams: Follower[] = [];
  for (let index = 0; index < count; index += 1) streams.push(await open(index));
  return streams;
}

describe('opening a stream', () => {
  test('counts with files, and leaves calls of the API alone', async (t) => {
    const { url, api } = await startService(t, {
      RATE_LIMIT_PER_MINUTE: '1',
      RATE_LIMIT_BURST: '3',
      FILES_RATE_LIMIT_PER_MINUTE: '1',
      FILES_RATE_LIMIT_BURST: '5',
    });
    for (const left of ['4', '3', '2', '1', '0']) {
      const { answer, leave } = await follow(t, url);
      assert.deepEqual(
        [answer.headers['ratelimit-limit'], answer.headers['ratelimit-remaining']],
        ['5', left],
      );
      leave();
    }
    const refused = await refusalOf(askForStream(t, url));
    assert.equal(refused[0], 429);
    assert.equal((await api.get('/health')).headers.get('ratelimit-remaining'), '2');
    // A list of changes is a call like any other.
    assert.equal((await api.get('/changes')).headers.get('ratelimit-remaining'), '1');
  });
});

describe('at most so many streams are open', () => {
  longTest('of a client address', async (t) => {
    const { service, people } = await startWorld(t);
    const { owner, other, admin } = people;
    const all = [owner, other, admin];
    await several(OF_ADDRESS, (index) => follow(t, service.url, as(all[index % 3] ?? owner)));
    assert.deepEqual(await refusalOf(askForStream(t, service.url, as(admin))), TOO_MANY);
    assert.equal((await follow(t, service.url, as(admin, 2))).events.length, 1);
  });

  test('of a user, API tokens and all addresses together', async (t) => {
    const { service, people, owner } = await startWorld(t);
    const made = await owner.post('/auth/tokens', { name: 'another' });
    const headers = { Authorization: `Bearer ${textOf(made.body, 'token')}` };
    await several(OF_USER, (index) =>
      follow(t, service.url, index % 2 === 0 ? as(people.owner, index) : { headers }),
    );
    for (const asked of [as(people.owner, 9), { headers }])
      assert.deepEqual(await refusalOf(askForStream(t, service.url, asked)), TOO_MANY);
    assert.equal((await follow(t, service.url, as(people.other, 9))).events.length, 1);
  });

  longTest('of the placeholder', async (t) => {
    const { url } = await startService(t);
    const streams = await several(OF_ADDRESS, (index) => follow(t, url, from(index)));
    assert.deepEqual(await refusalOf(askForStream(t, url, from(99))), TOO_MANY);
    streams[3]?.leave();
    await until(async () => (await answered(askForStream(t, url, from(99)))) === 200);
  });

  /** The status of an answer to a request that is given up then. */
  async function answered(asking: ReturnType<typeof askForStream>): Promise<number | undefined> {
    const { statusCode } = await answerTo(asking);
    asking.destroy();
    return statusCode;
  }

  longTest('and those of clients that vanish, in whatever way, are free again', async (t) => {
    const { url, port } = await startService(t);
    const head = 'GET /api/changes/stream HTTP/1.1\r\nHost: x\r\n';
    const vanish: readonly (() => void)[] = [
      () => {
        askForStream(t, url).destroy();
      },
      () => {
        const socket = connect(port, '127.0.0.1', () => socket.write(`${head}\r\n`, () => socket.destroy()));
        socket.on('error', () => undefined);
      },
      () => {
        const socket = connect(port, '127.0.0.1', () =>
          socket.write(`${head}\r\n`, () => socket.resetAndDestroy()),
        );
        socket.on('error', () => undefined);
      },
      // Says that it will send no more, and goes on to listen.
      () => {
        const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () =>
          socket.end(`${head}\r\n`),
        );
        socket.on('error', () => undefined).on('end', () => socket.destroy());
        atEnd(t, () => socket.destroy());
      },
      () => {
        const socket = connect(port, '127.0.0.1', () => socket.end(`${head}Connection: close\r\n\r\n`));
        socket.on('error', () => undefined);
      },
      () => void fetch(`${url}/api/changes/stream`, { method: 'HEAD' }),
      () => {
        const asking = askForStream(t, url);
        asking.once('response', () => asking.destroy());
      },
    ];
    for (const one of vanish) for (let time = 0; time < OF_ADDRESS; time += 1) one();
    let streams: Follower[] = [];
    // All of them at once: a slot that was not given back would be missed.
    await until(async () => {
      for (const stream of streams) stream.leave();
      streams = [];
      for (let index = 0; index < OF_ADDRESS; index += 1) {
        const stream = await follow(t, url).catch(() => undefined);
        if (!stream) return false;
        streams.push(stream);
      }
      return true;
    });
    assert.equal(streams.length, OF_ADDRESS);
  });
});

describe('a stream ends', () => {
  longTest('once its caller may no longer read, before anything more is sent', async (t) => {
    const { service, people, owner, other, admin } = await startWorld(t);
    const tokens = await admin.post('/auth/tokens', { name: 'short-lived' });
    const headers = { Authorization: `Bearer ${textOf(tokens.body, 'token')}` };
    const erin = await signUp(service, 'erin');
    const streams = {
      session: await follow(t, service.url, as(people.owner)),
      inactive: await follow(t, service.url, as(people.other)),
      token: await follow(t, service.url, { headers }),
      gone: await follow(t, service.url, as(erin)),
      stays: await follow(t, service.url, as(people.admin)),
    };
    await owner.post('/auth/logout', {});
    changeStored(service.folder, 'UPDATE users SET is_active = 0 WHERE id = ?', people.other.id);
    changeStored(service.folder, 'DELETE FROM users WHERE id = ?', erin.id);
    await admin.delete(`/auth/tokens/${String(field(tokens.body, 'id'))}`);
    assert.equal((await other.get('/changes')).status, 401);
    await admin.post('/restaurants', { name: 'Too late' });
    const { stays, ...ended } = streams;
    await until(() => stays.events.length === 2);
    for (const [name, stream] of Object.entries(ended)) {
      await until(() => stream.isOver());
      assert.equal(stream.events.length, 1, name);
    }
    assert.equal(stays.isOver(), false);
  });

  test('at the stop of the service, at once and whole', async (t) => {
    const { url, stop } = await startService(t);
    const streams = await several(3, () => follow(t, url));
    await stop();
    await until(() => streams.every((stream) => stream.isOver()));
    for (const { answer } of streams) assert.equal(answer.complete, true);
  });

  longTest('after its time', async (t) => {
    const { url, api } = await startService(t, {}, { streams: { lifetimeMs: 150, silenceMs: 20 } });
    const stream = await follow(t, url);
    await until(() => stream.isOver());
    assert.equal(stream.answer.complete, true);
    // And leaves its place to the next.
    const next = createClient(url);
    assert.equal((await next.get('/changes')).status, (await api.get('/changes')).status);
    await several(OF_ADDRESS, () => follow(t, url));
  });
});
