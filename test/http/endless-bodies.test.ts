import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { LINGER_LIMITS } from '../../src/http/connections.ts';
import { nextData } from '../support/raw.ts';
import { startService } from '../support/service.ts';

const PIECE = Buffer.alloc(64 * 1024, ' ');

function head(connection: string): string {
  const start = 'POST /api/nowhere HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n';
  return `${start}Connection: ${connection}\r\n\r\n`;
}

describe('a body without an end', () => {
  /** Sends as fast as it is taken, until the service closes; how much that was. */
  async function sendForEver(port: number, start: string, everyMs = 0): Promise<number> {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.resume();
    socket.write(start);
    let sent = 0;
    const closed = once(socket, 'close').catch(() => undefined);
    while (!socket.destroyed && sent < 2_000 * PIECE.length) {
      const piece = everyMs === 0 ? PIECE : PIECE.subarray(0, 10);
      sent += piece.length;
      socket.write(`${piece.length.toString(16)}\r\n`);
      socket.write(piece);
      if (!socket.write('\r\n')) await Promise.race([once(socket, 'drain').catch(() => undefined), closed]);
      if (everyMs > 0) await pause(everyMs);
    }
    return sent;
  }

  for (const connection of ['keep-alive', 'close']) {
    const start = head(connection);

    test(`is cut by its size behind an answer (${connection})`, async (t) => {
      const linger = { ...LINGER_LIMITS, bytes: 1024 * 1024, ms: 600_000 };
      const { port } = await startService(t, {}, { linger });
      assert.ok((await sendForEver(port, start)) < 2_000 * PIECE.length);
    });

    test(`is cut by its time behind an answer (${connection})`, async (t) => {
      const { port } = await startService(t, {}, { linger: { ...LINGER_LIMITS, ms: 200 } });
      assert.ok((await sendForEver(port, start, 5)) < 2_000 * PIECE.length);
    });

    test(`does not hold up a stop (${connection})`, async (t) => {
      const { port, stop } = await startService(t, {}, { linger: { ...LINGER_LIMITS, ms: 600_000 } });
      const socket = connect(port, '127.0.0.1');
      socket.write(`${start}5\r\n12345\r\n`);
      await nextData(socket);
      await stop();
    });
  }
});
