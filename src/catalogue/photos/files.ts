import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, lstat, mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Queue } from '../../kit/queue.ts';
import { StorageError } from '../../storage/database.ts';
import { reasonOf } from '../../kit/system-error.ts';
import { READ_ONLY, ifThere, remove, syncFolder } from './disk.ts';
import { type Arrival, type Placement, type Places, createPlacement } from './placement.ts';

/** The files of photos. Everything rejects with the system's error when the disk does not do its part. */
export interface PhotoFiles extends Placement {
  readonly begin: () => Promise<Arrival>;
  /** Forgets an upload; a photo that was placed stays. */
  readonly end: (arrival: Arrival) => Promise<void>;
  /** Undefined when there is no such file. */
  readonly sizeOf: (filename: string) => Promise<number | undefined>;
  /** The bytes from `start` to before `end`. */
  readonly read: (filename: string, start: number, end: number) => AsyncGenerator<Buffer>;
  readonly remove: (filename: string) => Promise<void>;
  /** Removes a file that `namesIn` has found, which may be in another folder than its own. */
  readonly removeFrom: (prefix: string, filename: string) => Promise<void>;
  /** The names of the photos in one of the folders. */
  readonly namesIn: (prefix: string) => Promise<string[]>;
  /** Those of PREFIXES that have a folder. */
  readonly prefixes: () => Promise<string[]>;
  /** The uploads that a crash cut short: their stems. */
  readonly cutShort: () => Promise<string[]>;
  /** Removes the remains of an upload that was cut short, but not a photo that was placed. */
  readonly clear: (stem: string) => Promise<void>;
}

const STEM = /^[0-9a-f]{32}$/;
const FILENAME = /^[0-9a-f]{32}\.(?:jpg|png|webp)$/;
/** The folder of photos in a data folder. */
export const PHOTO_FOLDER = 'photos';
/** The folders that photos are spread over, so that none gets slow: the first two digits of their names. */
export const PREFIXES: readonly string[] = Array.from({ length: 256 }, (_, index) =>
  index.toString(16).padStart(2, '0'),
);
const CHUNK_BYTES = 64 * 1024;

/** Whether this can be the name of a photo's file. */
export function isPhotoName(name: string): boolean {
  return FILENAME.test(name);
}

/** The names that the photo of an upload may have. */
export function namesOf(stem: string): readonly string[] {
  return ['jpg', 'png', 'webp'].map((extension) => `${stem}.${extension}`);
}

/** The files in the folder `photos` of a data folder; when that is not there, this is reported when it is asked for. */
export function createPhotoFiles(dataFolder: string): PhotoFiles {
  const places = placesIn(dataFolder);
  const { root, arrivals, pathOf } = places;
  const placement = createPlacement(places);
  // One at a time, so that a crowd of uploads holds no more memory than one.
  const queue = new Queue({ atOnce: 1 });
  return {
    begin: async () => {
      const stem = randomBytes(16).toString('hex');
      return { stem, handle: await open(join(arrivals, stem), 'wx', 0o600) };
    },
    place: (photo, thumbnail) => queue.run(() => placement.place(photo, thumbnail)),
    thumbnailFaults: (arrival) => queue.run(() => placement.thumbnailFaults(arrival)),
    end: async ({ stem, handle }) => {
      await handle.close();
      await remove(join(arrivals, stem));
    },
    sizeOf: async (filename) => {
      const status = await ifThere(lstat(pathOf(filename)));
      return status?.isFile() === true ? status.size : undefined;
    },
    read: (filename, start, end) => readPart(pathOf(filename), start, end),
    remove: (filename) => remove(pathOf(filename)),
    removeFrom: (prefix, filename) => remove(join(root, prefix, filename)),
    namesIn: async (prefix) => ((await ifThere(readdir(join(root, prefix)))) ?? []).filter(isPhotoName),
    prefixes: async () => (await readdir(root)).filter((name) => PREFIXES.includes(name)),
    cutShort: async () => {
      const stems = (await readdir(arrivals)).map((name) => name.split('.', 1)[0] ?? '');
      return [...new Set(stems)].filter((stem) => STEM.test(stem));
    },
    clear: async (stem) => {
      // What arrived goes last: as long as it is there, the next start knows that the upload was cut short.
      for (const name of [...namesOf(stem), stem]) await remove(join(arrivals, name));
    },
  };
}

/** The place of a photo's file in a data folder, and likewise in a backup. */
export function photoPlace(filename: string): string {
  return `${PHOTO_FOLDER}/${filename.slice(0, 2)}/${filename}`;
}

/** Uploads arrive on the same file system as the photos, so that a rename is all it takes. */
function placesIn(dataFolder: string): Places {
  const root = join(dataFolder, PHOTO_FOLDER);
  const pathOf = (filename: string): string => join(dataFolder, photoPlace(filename));
  return { root, arrivals: join(root, 'arriving'), pathOf };
}

/** Makes the folder `photos` of a data folder when it is not there. Rejects with a StorageError when it cannot be used. */
export async function makePhotoFolder(dataFolder: string): Promise<void> {
  const { root, arrivals } = placesIn(dataFolder);
  try {
    const made = await mkdir(arrivals, { recursive: true, mode: 0o700 });
    if (made !== undefined) for (const folder of [root, dataFolder]) await syncFolder(folder);
    await access(arrivals, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new StorageError(`cannot use the folder of photos ${root}: ${reasonOf(error)}`);
  }
}

async function* readPart(path: string, start: number, end: number): AsyncGenerator<Buffer> {
  const handle = await open(path, READ_ONLY);
  try {
    for (let position = start; position < end;) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - position));
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
      if (bytesRead === 0) throw new Error('a photo became shorter while it was read');
      position += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}
