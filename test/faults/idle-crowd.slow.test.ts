import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { describe, test } from 'node:test';
import { startServerProcess, withOpenFiles } from '../support/cli.ts';
import { openFilesOf } from '../support/raw.ts';
import { temporaryFolder } from '../support/service.ts';
import { ask } from './support.ts';

const IDLE = 1_000;
const ADDRESSES = 20;
const OPEN_FILES = 4_096;

/** A connection that was used once and stays open, from one of several addresses. */
async function goIdle(port: number, index: number): Promise<Socket> {
  const localAddress = `127.2.0.${(index % ADDRESSES) + 1}`;
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  return socket;
}

describe(`${IDLE} idle connections`, () => {
  test('stay open, and all others are served', async (t) => {
    const variables = { DATA_DIR: temporaryFolder(t), TRUSTED_PROXIES: 'none' };
    const { url, process: server } = await startServerProcess(t, variables, {
      under: withOpenFiles(OPEN_FILES),
    });
    const port = Number(new URL(url).port);
    const before = openFilesOf(server.pid);
    const idle = await Promise.all(Array.from({ length: IDLE }, (_, index) => goIdle(port, index)));
    assert.ok(openFilesOf(server.pid) >= before + IDLE);
    const headers = { 'Content-Type': 'application/json', Connection: 'close' };
    for (let index = 0; index < 50; index += 1) {
      const body = JSON.stringify({ name: `Served ${index}` });
      assert.equal((await ask(port, '/api/categories', { method: 'POST', headers, body })).status, 201);
      assert.equal((await ask(port, '/api/restaurants', { headers: { Connection: 'close' } })).status, 200);
    }
    assert.equal(idle.filter((socket) => socket.readyState === 'open').length, IDLE);
    for (const socket of idle) socket.destroy();
  });
});
