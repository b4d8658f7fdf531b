import { Server as HttpServer } from 'node:http';
import type { Server } from 'node:net';
import { type Cleanup, atEnd } from './cleanup.ts';

/** Lets a server listen on a free port of loopback until the test ends, and returns the port. */
export async function listenOnLoopback(t: Cleanup, server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  atEnd(t, () => {
    if (server instanceof HttpServer) server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server listens on no port');
  return address.port;
}
