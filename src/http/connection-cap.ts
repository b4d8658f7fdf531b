import type { BlockList, Server, Socket } from 'node:net';
import { isListed, normaliseAddress } from './address.ts';

export interface ConnectionCapOptions {
  /** Open connections from one address; addresses in `trustedProxies` are exempt. */
  readonly maxConnectionsPerAddress: number;
  readonly trustedProxies: BlockList;
}

/** Counts the connections of a server; `refuse` ends one that is too many. */
export type ConnectionCap = (server: Server, refuse: (socket: Socket) => void) => void;

/**
 * One address may hold only so many connections, so that a crowd of slow ones cannot shut the others out. Servers under
 * the same cap are counted together.
 */
export function createConnectionCap({
  maxConnectionsPerAddress,
  trustedProxies,
}: ConnectionCapOptions): ConnectionCap {
  const open = new Map<string, number>();
  return (server, refuse) => {
    server.on('connection', (socket) => {
      const address = normaliseAddress(socket.remoteAddress ?? '');
      if (address === undefined || isListed(trustedProxies, address)) return;
      const count = (open.get(address) ?? 0) + 1;
      if (count > maxConnectionsPerAddress) {
        refuse(socket);
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
