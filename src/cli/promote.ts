import { parseArgs } from 'node:util';
import { promote } from '../replication/promote.ts';
import { checkFolder } from './check.ts';
import { type Command, FLAG } from './command.ts';
import { useCatalogue } from './settings.ts';
import { print } from './terminal.ts';

export const command: Command = {
  summary: 'make a replica the primary',
  help: [
    'Usage: catalogue promote [--force]',
    '',
    'Makes the data of a replica that follows its primary ordinary data, and checks it. The replica must be stopped.',
    'The old primary must stay stopped from before this: what is written there is lost here.',
    '',
    '  --force  even though files of photos have not arrived',
  ].join('\n'),
  run: async (args) => {
    const { values } = parseArgs({ args, options: { force: FLAG } });
    const dataFolder = useCatalogue();
    await promote(dataFolder, values.force === true);
    const code = checkFolder(dataFolder);
    print('This is a primary now. Start it without READ_ONLY and PRIMARY_URL, and lead its clients here.');
    print('The old primary must stay stopped; to have it follow this one, empty its data folder first.');
    return code;
  },
};
