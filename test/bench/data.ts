import { copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { openStorage } from '../../src/storage/storage.ts';
import { fillFastifyData } from './fastify-data.ts';
import { generateCatalogue } from './generate.ts';

const RATINGS = 8;
const SERVICE_FILE = 'catalogue.db';
const FASTIFY_FILE = 'fastify.db';

/** Where the same rows are for both servers. */
export interface BenchData {
  /** The service's data folder. */
  readonly folder: string;
  /** The Fastify app's data file. */
  readonly file: string;
}

/**
 * A copy in `work` of the data of `size` restaurants, so that what is written to it leaves the original as it was. The
 * original is made in `store` where it is not there yet.
 */
export async function prepareData(size: number, store: string, work: string): Promise<BenchData> {
  const original = join(store, String(size));
  if (!existsSync(original)) {
    const unfinished = `${original}.${process.pid}`;
    const storage = openStorage(unfinished);
    try {
      await generateCatalogue(storage, size, RATINGS);
    } finally {
      storage.close();
    }
    renameSync(unfinished, original);
  }
  if (!existsSync(join(original, FASTIFY_FILE))) {
    fillFastifyData(join(original, SERVICE_FILE), join(original, `${FASTIFY_FILE}.new`));
    renameSync(join(original, `${FASTIFY_FILE}.new`), join(original, FASTIFY_FILE));
  }
  const folder = join(work, `service-${size}`);
  const file = join(work, `fastify-${size}.db`);
  mkdirSync(folder);
  copyFileSync(join(original, SERVICE_FILE), join(folder, SERVICE_FILE));
  copyFileSync(join(original, FASTIFY_FILE), file);
  return { folder, file };
}
