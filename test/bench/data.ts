import { copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { openStorage } from '../../src/storage/storage.ts';
import { fillFastifyData } from './fastify-data.ts';
import { generateCatalogue } from './generate.ts';

const SERVICE_FILE = 'catalogue.db';
const FASTIFY_FILE = 'fastify.db';

/** The same rows for all servers. */
export interface BenchData {
  /** The service's data folder. */
  readonly folder: string;
  /** The data file of one of the Fastify apps, made when it is needed first. */
  readonly rivalFile: (name: 'fastify' | 'plain') => string;
}

export interface DataOptions {
  /** The folder of the originals. */
  readonly store: string;
  /** The folder of the copies. */
  readonly work: string;
  /** How many ratings each restaurant has. */
  readonly ratings: number;
}

/**
 * A copy in `work` of the data of `size` restaurants, so that what is written to it leaves the original as it was. The
 * original is made in `store` where it is not there yet.
 */
export async function prepareData(size: number, { store, work, ratings }: DataOptions): Promise<BenchData> {
  const original = join(store, String(size));
  if (!existsSync(original)) {
    const unfinished = `${original}.${process.pid}`;
    const storage = openStorage(unfinished);
    try {
      await generateCatalogue(storage, size, ratings);
    } finally {
      storage.close();
    }
    renameSync(unfinished, original);
  }
  const folder = join(work, `service-${size}`);
  mkdirSync(folder);
  copyFileSync(join(original, SERVICE_FILE), join(folder, SERVICE_FILE));
  const rivalFile: BenchData['rivalFile'] = (name) => {
    const file = join(work, `${name}-${size}.db`);
    if (existsSync(file)) return file;
    const filled = join(original, FASTIFY_FILE);
    if (!existsSync(filled)) {
      fillFastifyData(join(original, SERVICE_FILE), `${filled}.new`);
      renameSync(`${filled}.new`, filled);
    }
    copyFileSync(filled, file);
    return file;
  };
  return { folder, rivalFile };
}
