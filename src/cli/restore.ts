import { realpathSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { counted } from '../kit/sentences.ts';
import { finishRestore, restoreBackup } from '../operations/backup/restore.ts';
import { describeFailure } from '../kit/system-error.ts';
import { type Command, CommandError, FLAG, UsageError } from './command.ts';
import { announceNewCatalogue, useDataFolder } from './settings.ts';
import { interruptible } from './signals.ts';
import { print } from './terminal.ts';

export const command: Command = {
  summary: 'restore a backup',
  help: [
    'Usage: catalogue restore BACKUP [--force]',
    '       catalogue restore --finish',
    '',
    'Verifies a backup, a folder or a file, and puts its contents into DATA_DIR. The service must not be running.',
    '',
    '  --force   move an existing catalogue aside, to DATA_DIR/before-restore-<time>',
    '  --finish  complete an interrupted restore, as the next start of the service would',
  ].join('\n'),
  run: async (args) => {
    const options = { force: FLAG, finish: FLAG };
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
    const [path, ...more] = positionals;
    if (values.finish === true) {
      if (path !== undefined || values.force === true)
        throw new UsageError('restore --finish takes nothing else');
      const isFinished = await finishRestore(useDataFolder());
      print(isFinished ? 'The restore is complete.' : 'There is no restore to complete.');
      return;
    }
    if (path === undefined || more.length > 0) throw new UsageError('restore takes one backup');
    const backup = findBackup(path);
    const dataFolder = useDataFolder();
    const { manifest, pending, aside } = await interruptible((signal) =>
      restoreBackup({ backup, dataFolder, replace: values.force === true, signal }),
    );
    print(
      `Restored the backup of ${manifest.createdAt} with ${counted(manifest.photos, 'photo file')} into ${dataFolder}.`,
    );
    if (aside === undefined) announceNewCatalogue(dataFolder);
    else print(`The data of before is in ${aside}.`);
    if (pending.length > 0)
      print('It is from an older version; the next start upgrades it, or run: catalogue migrate');
  },
};

/** The real path of a backup, which may be a link. Throws a CommandError when it does not exist. */
export function findBackup(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw new CommandError(`cannot find the backup: ${describeFailure(error)}`);
  }
}
