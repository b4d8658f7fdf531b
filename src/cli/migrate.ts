import { parseArgs } from 'node:util';
import { openExistingDatabase } from '../storage/database.ts';
import { migrate } from '../storage/migrations.ts';
import { withOwnFolder } from '../storage/storage.ts';
import type { Command } from './command.ts';
import { useCatalogue } from './data-folder.ts';
import { print } from './terminal.ts';

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'bring the database up to this version',
  help: [
    'Usage: catalogue migrate',
    '',
    'Applies what this version adds to the database in DATA_DIR, each step whole or not at all.',
    'There is no way back: make a backup first, and stop the service.',
  ].join('\n'),
  run: async (args) => {
    parseArgs({ args: [...args], options: {} });
    const dataFolder = useCatalogue();
    const applied = await withOwnFolder(dataFolder, () => {
      const connection = openExistingDatabase(dataFolder);
      try {
        return migrate(connection);
      } finally {
        connection.close();
      }
    });
    print(applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`);
    return 0;
  },
};
