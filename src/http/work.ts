import type { Socket } from 'node:net';
import type { Work } from './context.ts';
import { ClientGoneError } from './errors.ts';
import type { FairTurns } from './fair-turns.ts';

/** The work of one request of a client, which ends when its socket does. */
export function createWork(turns: FairTurns, client: string, socket: Socket): Work {
  const requireClient = (): void => {
    if (socket.destroyed) throw new ClientGoneError();
  };
  return {
    pause: async () => {
      await turns.pause(client);
      requireClient();
    },
    gather: (work) =>
      turns.gather(client, () => {
        requireClient();
        return work();
      }),
  };
}
