import { parseArgs } from 'node:util';
import { openDatabase, prepareFolder } from '../storage/database.ts';
import { lockFolder } from '../storage/lock.ts';
import { migrate } from '../storage/migrations.ts';
import { finishSwap } from '../storage/swap.ts';
import type { Command } from './command.ts';
import { loadDataFolder } from './settings.ts';
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
  // eslint-disable-next-line @typescript-eslint/require-await
  run: async (args) => {
    parseArgs({ args: [...args], options: {} });
    const dataFolder = loadDataFolder();
    prepareFolder(dataFolder);
    const lock = lockFolder(dataFolder);
    finishSwap(dataFolder);
    const connection = openDatabase(dataFolder);
    try {
      const applied = migrate(connection);
      print(applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`);
    } finally {
      connection.close();
      lock.release();
    }
    return 0;
  },
};
