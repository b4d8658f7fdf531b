import { parseArgs } from 'node:util';
import { migrateFolder, withOwnFolder } from '../storage/storage.ts';
import type { Command } from './command.ts';
import { useCatalogue } from './settings.ts';
import { print } from './terminal.ts';

export const command: Command = {
  summary: 'bring the database up to this version',
  help: [
    'Usage: catalogue migrate',
    '',
    'Brings the database in DATA_DIR up to this version, completely or not at all. The service does this when it starts, after',
    'a backup, unless MIGRATE is manual. This command makes no backup and cannot be undone: make a backup first, and stop the',
    'service.',
  ].join('\n'),
  run: async (args) => {
    parseArgs({ args, options: {} });
    const dataFolder = useCatalogue();
    const applied = await withOwnFolder(dataFolder, () => migrateFolder(dataFolder));
    print(applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`);
  },
};
