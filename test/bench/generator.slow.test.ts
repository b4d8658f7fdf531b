import assert from 'node:assert/strict';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { type TestContext, describe, test } from 'node:test';
import { atEnd } from '../support/cleanup.ts';
import { field } from '../support/client.ts';
import { drive } from './drive.ts';
import type { Figures, Stream } from './plan.ts';

/** Drives a server of the test's own for half a second. */
async function driveServer(
  t: TestContext,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  streams: readonly Stream[],
): Promise<Figures> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(t, () => {
    server.close();
    server.closeAllConnections();
  });
  const port = Number(field(server.address(), 'port'));
  return drive({ port, pid: process.pid, warmupSeconds: 0, seconds: 0.5, streams });
}

describe('the load generator', () => {
  test('counts every answer, also over connections that the server ends', async (t) => {
    let received = 0;
    const streams = [{ connections: 4, requests: [{ method: 'GET', path: '/a' }] }] as const;
    const { streams: counted } = await driveServer(
      t,
      (_, response) => {
        received += 1;
        if (received % 7 === 0) response.setHeader('Connection', 'close');
        if (received % 2 === 0) response.write('in pieces');
        response.end('hello');
      },
      streams,
    );
    const answers = counted[0]?.answers ?? 0;
    assert.ok(received > 20, `${received} requests`);
    // One may be under way on each connection at the end.
    assert.ok(answers <= received && answers >= received - 4, `${answers} of ${received}`);
    assert.equal(counted[0]?.failures, 0);
  });

  test('sends the requests of a stream in turn, with their bodies, and counts failures', async (t) => {
    const seen: string[] = [];
    const streams: readonly Stream[] = [
      {
        connections: 1,
        requests: [
          { method: 'GET', path: '/good' },
          { method: 'POST', path: '/bad', body: '{"name":"é"}' },
        ],
      },
    ];
    const { streams: counted } = await driveServer(
      t,
      (request, response) => {
        let body = '';
        request.on('data', (chunk: Buffer) => (body += chunk.toString()));
        request.on('end', () => {
          seen.push(`${request.method ?? ''} ${request.url ?? ''} ${body}`);
          response.writeHead(request.url === '/good' ? 200 : 409).end();
        });
      },
      streams,
    );
    const [{ answers, failures } = { answers: 0, failures: 0 }] = counted;
    assert.deepEqual(seen.slice(0, 3), ['GET /good ', 'POST /bad {"name":"é"}', 'GET /good ']);
    assert.equal(failures, Math.floor(answers / 2));
  });

  test('sends no more a second than the plan says, and counts the wait of those that were due', async (t) => {
    const streams = [
      { connections: 1, perSecond: 40, requests: [{ method: 'GET', path: '/slow' }] },
    ] as const;
    const { streams: counted } = await driveServer(
      t,
      (_, response) => {
        setTimeout(() => response.end(), 100);
      },
      streams,
    );
    const { answers, p50, worst } = counted[0] ?? { answers: NaN, p50: NaN, worst: NaN };
    assert.ok(answers >= 1 && answers <= 20, `${answers} answers`);
    // Each waits for those before it, though the server needs no longer for it.
    if (answers >= 3) assert.ok(worst >= 150 && p50 >= 99, `p50 ${p50}, worst ${worst}`);
  });
});
