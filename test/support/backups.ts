import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeBackup } from '../../src/operations/backup/backup.ts';
import type { Manifest } from '../../src/operations/backup/manifest.ts';
import {
  type Restored,
  type Verified,
  restoreBackup,
  verifyBackup,
} from '../../src/operations/backup/restore.ts';
import { type Ended, runCommand } from './cli.ts';
import { upload } from './photos.ts';
import { type Service, type Variables, startService } from './service.ts';
import type { Cleanup } from './cleanup.ts';

/** Every file under a folder and its hash, links and folders marked as such: equal for what is byte-identical. */
export function fingerprint(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    names.map((name) => {
      const status = lstatSync(join(folder, name));
      if (!status.isFile()) return [name, status.isDirectory() ? 'folder' : 'other'];
      const content = readFileSync(join(folder, name));
      return [name, createHash('sha256').update(content).digest('hex')];
    }),
  );
}

/**
 * Runs a command on a data folder, with no other setting, though it is production that wants some. Throws when it does
 * not end with code 0.
 */
export async function run(dataFolder: string, ...args: readonly string[]): Promise<Ended> {
  const ended = await runCommand(args, { variables: { DATA_DIR: dataFolder, NODE_ENV: 'production' } });
  if (ended.code !== 0) throw new Error(`${args.join(' ')}: ${ended.err}`);
  return ended;
}

/** Backs a data folder up in this process. */
export function backUp(dataFolder: string, target: string): Promise<Manifest> {
  return makeBackup(dataFolder, target, new AbortController().signal);
}

/** Reads a backup as a whole in this process. Rejects unless it is valid. */
export function readBackup(backup: string): Promise<Verified> {
  return verifyBackup(backup, new AbortController().signal);
}

/** Puts a backup into a data folder in this process. */
export function restoreInto(dataFolder: string, backup: string, replace = false): Promise<Restored> {
  return restoreBackup({ backup, dataFolder, replace, signal: new AbortController().signal });
}

/** A service with three restaurants, of which the first has two photos. */
export async function startFilled(t: Cleanup, variables: Variables = {}): Promise<Service> {
  const service = await startService(t, variables);
  for (const name of ['Chez Nous', 'Le Petit Coin', 'Sakura'])
    await service.api.post('/restaurants', { name, category_id: 5, latitude: 48.8, longitude: 2.3 });
  await upload(service.api);
  await upload(service.api);
  return service;
}
