import { openExistingDatabase } from '../storage/database.ts';
import { loadQueries } from '../storage/statements.ts';

/**
 * Ends the invitations and the links to set a password of a restored database that were not used when it was backed up:
 * they may have been used since.
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
