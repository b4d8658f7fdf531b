import type { BlockList, Server, Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { isListed, normaliseAddress } from './address.ts';
import { rawAnswer } from './broken-request.ts';
import { SECURITY_HEADERS } from './reply.ts';

export interface ConnectionCapOptions {
  /** Open connections from one address; addresses in `trustedProxies` are exempt. */
  readonly maxConnectionsPerAddress: number;
  readonly trustedProxies: BlockList;
}

/**
 * A function that counts the connections of a server, and refuses those that are too many: one address may hold only so
 * many, so that a crowd of slow ones cannot shut the others out. Servers under the same cap are counted together.
 */
export function createConnectionCap(options: ConnectionCapOptions): (server: Server) => void {
  const open = new Map<string, number>();
  return (server) => {
    server.on('connection', (socket) => {
      const address = normaliseAddress(socket.remoteAddress ?? '');
      if (address === undefined || isListed(options.trustedProxies, address)) return;
      const count = (open.get(address) ?? 0) + 1;
      if (count > options.maxConnectionsPerAddress) {
        if (server instanceof TlsServer) socket.destroy();
        else refuse(socket);
        return;
      }
      open.set(address, count);
      socket.once('close', () => {
        const left = (open.get(address) ?? 1) - 1;
        if (left === 0) open.delete(address);
        else open.set(address, left);
      });
    });
  };
}

/** Without TLS: before its handshake no answer can be sent. */
function refuse(socket: Socket): void {
  socket.end(rawAnswer(503, 'Too many connections from this address', SECURITY_HEADERS));
  socket.destroySoon();
}
