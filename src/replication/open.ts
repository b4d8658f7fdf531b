import type { Connection } from '../storage/database.ts';
import { dropRowLog, startRowLog } from '../storage/row-log.ts';
import { type Replication, type ReplicationOptions, openReplication } from './routes.ts';

export interface PrimaryOptions extends Omit<ReplicationOptions, 'token'> {
  /** That of the service; its database is written. */
  readonly connection: Connection;
  readonly isReplica: boolean;
  /** Undefined where no replica follows. */
  readonly token: string | undefined;
}

const NONE: Replication = { routes: [], endStreams: () => undefined, close: () => undefined };

/** Opens a service to replicas where it has a token for them; elsewhere nothing is noted for any, and they find nothing. */
export function openToReplicas({ connection, isReplica, token, ...options }: PrimaryOptions): Replication {
  if (isReplica) return NONE;
  if (token === undefined) {
    dropRowLog(connection);
    return NONE;
  }
  startRowLog(connection);
  return openReplication({ ...options, token });
}
