import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { makeBackup } from '../operations/backup/backup.ts';
import { counted } from '../kit/sentences.ts';
import { shorten } from '../operations/inspection/findings.ts';
import { TAR_ENDING, datedName, rotate } from '../operations/backup/dated.ts';
import { BACKUP_FILES } from '../operations/backup/manifest.ts';
import { makeFolder } from '../storage/folder.ts';
import { reasonOf } from '../kit/system-error.ts';
import { type Command, CommandError, FLAG, TEXT, UsageError, onlyOne } from './command.ts';
import { useCatalogue } from './settings.ts';
import { interruptible } from './signals.ts';
import { complain, print } from './terminal.ts';

const MAX_KEEP = 10_000;

export const command: Command = {
  summary: 'back up the database and the photos',
  help: [
    'Usage: catalogue backup DIR [--tar] [--keep N]',
    '       catalogue backup PATH',
    '',
    'Copies the database and the photos in DATA_DIR as they are at one moment, with the keys that the service generated and',
    'the change log with everything that it can restore, and verifies the copy. The service may be running.',
    '',
    'DIR is an existing folder, or ends in / and is created; the backup gets a dated name in it. PATH must not exist yet and',
    'becomes the backup: one file if it ends in .tar, otherwise a folder. In a folder, photos are hard links to those in',
    'DATA_DIR where possible, and take no space. Nothing is ever overwritten.',
    '',
    '  --tar     make one file in DIR instead of a folder',
    '  --keep N  afterwards, remove the oldest backups in DIR until N are left',
  ].join('\n'),
  run: async (args) => {
    const options = { tar: FLAG, keep: TEXT };
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
    const path = onlyOne(positionals, 'backup takes one path');
    const keep = parseKeep(values.keep);
    const isInside = path.endsWith('/') || isFolder(path);
    if (!isInside && values.keep !== undefined) throw new UsageError('--keep is for a folder of backups');
    if (!isInside && values.tar === true && !path.endsWith(TAR_ENDING))
      throw new UsageError(`--tar is for a folder of backups; one file ends in ${TAR_ENDING}`);
    const dataFolder = useCatalogue();
    const target = isInside ? await nameInside(path, values.tar === true) : resolve(path);
    const { photos, missing } = await interruptible((signal) => makeBackup(dataFolder, target, signal));
    for (const line of shorten(missing.map((name) => `the file of a photo is missing: ${name}`)))
      complain(line);
    print(`Backed up to ${target}: the database and ${counted(photos, 'photo file')}, verified.`);
    if (keep !== undefined)
      for (const name of rotate(target, keep)) print(`Removed ${join(resolve(path), name)}.`);
  },
};

function parseKeep(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const keep = /^[1-9]\d{0,4}$/.test(given) ? Number(given) : 0;
  if (keep < 1 || keep > MAX_KEEP) throw new UsageError(`--keep takes a number from 1 to ${MAX_KEEP}`);
  return keep;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

async function nameInside(path: string, isTar: boolean): Promise<string> {
  const folder = resolve(path);
  if (Object.values(BACKUP_FILES).some((name) => existsSync(join(folder, name))))
    throw new CommandError(`${folder} is itself a backup or a data folder; backups belong next to it`);
  try {
    makeFolder(folder);
  } catch (error) {
    throw new CommandError(`cannot make ${folder}: ${reasonOf(error)}`);
  }
  for (;;) {
    const name = join(folder, datedName(new Date()) + (isTar ? TAR_ENDING : ''));
    if (!existsSync(name)) return name;
    // Names have a resolution of a second: the next second's is free.
    await sleep(1000 - (Date.now() % 1000));
  }
}
