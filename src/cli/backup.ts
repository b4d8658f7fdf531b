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
import { readVersion } from '../kit/version.ts';
import { type Command, CommandError, FLAG, TEXT, UsageError, onlyOne } from './command.ts';
import { useCatalogue } from './settings.ts';
import { interruptible } from './signals.ts';
import { complain, print } from './terminal.ts';

const MAX_KEEP = 10_000;

export const command: Command = {
  summary: 'copy everything that a new machine needs',
  help: [
    'Usage: catalogue backup DIR [--tar] [--keep N]',
    '       catalogue backup PATH',
    '',
    'Copies the database and the photos in DATA_DIR as they are at one moment, the keys that the service made for',
    'itself, the change log and what can be restored by it included, and verifies the copy. The service may be running.',
    '',
    'DIR is a folder that is there, or ends in / and is made: the backup gets a name of its own in it. PATH is not',
    'there yet and becomes the backup: one file when it ends in .tar, a folder otherwise. Photos in a folder are links',
    'to those in DATA_DIR where that can be, so they take no space. Nothing is ever written over.',
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
    const { photos, missing } = await interruptible((signal) =>
      makeBackup({ dataFolder, target, version: readVersion(), signal }),
    );
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
    throw new CommandError(`${folder} is a backup or a data folder itself; backups belong next to it`);
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
