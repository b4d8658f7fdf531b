import { parseArgs } from 'node:util';
import { inspectData } from '../operations/inspection/check.ts';
import { counted } from '../kit/sentences.ts';
import { verifyBackup } from '../operations/backup/restore.ts';
import { type Command, UsageError } from './command.ts';
import { useCatalogue } from './settings.ts';
import { interruptible } from './signals.ts';
import { findBackup } from './restore.ts';
import { complain, print } from './terminal.ts';

export const command: Command = {
  summary: 'check the data, or a backup',
  help: [
    'Usage: catalogue check [BACKUP]',
    '',
    'Checks the database, its indexes and the photos in DATA_DIR. It changes nothing, and the service may be running. With',
    'BACKUP, verifies that backup as a restore would. Exit code 1 if something is wrong.',
  ].join('\n'),
  run: async (args) => {
    const { positionals } = parseArgs({ args, allowPositionals: true, options: {} });
    const [backup, ...more] = positionals;
    if (more.length > 0) throw new UsageError('check takes at most one backup');
    return backup === undefined ? checkFolder(useCatalogue()) : checkBackup(findBackup(backup));
  },
};

/** Prints the findings in a data folder, and returns the exit code. */
export function checkFolder(dataFolder: string): number {
  let faulty = 0;
  for (const { subject, note, faults } of inspectData(dataFolder)) {
    if (faults.length === 0) print(`ok    ${subject}: ${note}`);
    for (const fault of faults) complain(`fault ${subject}: ${fault}`);
    faulty += faults.length;
  }
  return faulty === 0 ? 0 : 1;
}

async function checkBackup(backup: string): Promise<number> {
  const { manifest, pending } = await interruptible((signal) => verifyBackup(backup, signal));
  print(`ok    backup of ${manifest.createdAt}: the database and ${counted(manifest.photos, 'photo file')}`);
  for (const name of manifest.missing) print(`note  the file of a photo was missing already: ${name}`);
  if (pending.length > 0)
    print(
      'note  it is from an older version: after a restore, the next start upgrades it, or catalogue migrate',
    );
  return 0;
}
