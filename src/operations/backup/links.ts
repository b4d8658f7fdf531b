import { openCopy } from '../../storage/database.ts';
import { dropRowLog } from '../../storage/row-log.ts';
import { loadQueries } from '../../storage/statements.ts';

/**
 * Ends what must not come back with a restored database. The log that replicas follow: they have seen what came after it.
 * The invitations and the links to set a password that were not used when it was backed up: they may have been used since.
 */
export function endOpenLinks(folder: string): void {
  const connection = openCopy(folder);
  try {
    dropRowLog(connection);
    const sql = loadQueries(connection).file('backup');
    if (sql.prepare('findInvitationTable').get() === undefined) return;
    sql.prepare('deleteOpenInvitations').run();
    sql.prepare('deleteResetLinks').run();
  } finally {
    connection.close();
  }
}
