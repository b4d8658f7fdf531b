import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import type { Client } from './client.ts';
import { changeStored } from './people.ts';
import type { Service } from './service.ts';

/** Visits of restaurant 1, more than the buffers between a service and its client hold: twenty megabytes. */
export async function addManyVisits({ folder }: Service, api: Client, userId: number | null): Promise<void> {
  await api.post('/restaurants', { name: 'Chez Nous' });
  await api.post('/visits', { restaurant_id: 1, note: '한'.repeat(5_000) });
  const copies = `INSERT INTO visits (user_id, restaurant_id, visited_on, note, created_at, updated_at)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1300)
    SELECT ?, 1, visited_on, note, created_at, updated_at FROM visits, n WHERE visits.id = 1`;
  changeStored(folder, copies, userId);
}

/** A connection on which a long answer has begun to arrive, and that reads no more of it. */
export async function openUnread(port: number, path: string, token?: string): Promise<Socket> {
  const headers = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`;
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n${headers}\r\n`);
  await once(socket, 'readable');
  return socket;
}

/** All that a connection receives until it is closed, and whether the last answer is complete. */
export async function readToEnd(
  socket: Socket,
): Promise<{ readonly all: string; readonly isWhole: boolean }> {
  let all = '';
  socket.on('data', (chunk: Buffer) => (all += chunk.toString('latin1')));
  await once(socket, 'close');
  // The last chunk, which is empty, says that an answer is complete.
  return { all, isWhole: all.endsWith('\r\n0\r\n\r\n') };
}
