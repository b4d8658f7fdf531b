import { openExistingDatabase } from '../../storage/database.ts';
import { loadQueries } from '../../storage/statements.ts';

/**
 * Ends what must not come back with a restored database: the invitations and the links to set a password that were not used
 * when it was backed up, since they may have been used after that.
 */
export function endOpenLinks(folder: string): void {
  const connection = openExistingDatabase(folder);
  try {
    const sql = loadQueries(connection).file('backup');
    if (sql.prepare('findInvitationTable').get() === undefined) return;
    sql.prepare('deleteOpenInvitations').run();
    sql.prepare('deleteResetLinks').run();
  } finally {
    connection.close();
  }
}
