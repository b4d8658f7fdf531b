import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import {
  type FileHandle,
  access,
  lstat,
  mkdir,
  open,
  readFile,
  readdir,
  rename,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Parsed } from '../input/fields.ts';
import { StorageError } from '../storage/database.ts';
import { codeOf } from '../storage/failures.ts';
import { reasonOf } from '../system-error.ts';
import { type CleanImage, cleanImage } from '../images/image.ts';
import { createQueue } from '../memory/queue.ts';

/** An upload on its way, written into `handle`, a temporary file. */
export interface Arrival {
  /** The name that the photo will have, without its extension. */
  readonly stem: string;
  readonly handle: FileHandle;
}

/** A photo in its place. */
export interface PlacedPhoto extends Pick<CleanImage, 'type' | 'width' | 'height'> {
  readonly filename: string;
  /** Bytes. */
  readonly size: number;
}

/** The files of photos. Everything rejects with the system's error when the disk does not do its part. */
export interface PhotoFiles {
  readonly begin: () => Promise<Arrival>;
  /** Cleans what arrived and puts it into its place. On the disk when it resolves. */
  readonly place: (arrival: Arrival) => Promise<Parsed<PlacedPhoto>>;
  /** Forgets an upload; a photo that was placed stays. */
  readonly end: (arrival: Arrival) => Promise<void>;
  /** Undefined when there is no such file. */
  readonly sizeOf: (filename: string) => Promise<number | undefined>;
  /** The bytes from `start` to before `end`. */
  readonly read: (filename: string, start: number, end: number) => AsyncGenerator<Buffer>;
  readonly remove: (filename: string) => Promise<void>;
  /** The names of the photos in one of the folders. */
  readonly namesIn: (prefix: string) => Promise<string[]>;
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
const MOST_BYTES = 256 * 1024;
const MOST_PIECES = 1_000;
// Links are not followed, so that nothing outside is ever served.
const READ_ONLY = constants.O_RDONLY | constants.O_NOFOLLOW;

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
  // One at a time, so that a crowd of uploads holds no more memory than one.
  const queue = createQueue({ atOnce: 1 });
  return {
    begin: async () => {
      const stem = randomBytes(16).toString('hex');
      return { stem, handle: await open(join(arrivals, stem), 'wx', 0o600) };
    },
    place: ({ stem }) =>
      queue.run(async () => {
        const result = cleanImage(await readFile(join(arrivals, stem), { flag: READ_ONLY }));
        if (!result.ok) return { ok: false, faults: [result.fault] };
        return { ok: true, value: await settle(result.image, stem, places) };
      }),
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
    namesIn: async (prefix) => ((await ifThere(readdir(join(root, prefix)))) ?? []).filter(isPhotoName),
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
function placesIn(dataFolder: string) {
  const root = join(dataFolder, PHOTO_FOLDER);
  const pathOf = (filename: string): string => join(dataFolder, photoPlace(filename));
  return { root, arrivals: join(root, 'arriving'), pathOf };
}

type Places = ReturnType<typeof placesIn>;

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

async function settle(
  { type, extension, width, height, pieces }: CleanImage,
  stem: string,
  { root, arrivals, pathOf }: Places,
): Promise<PlacedPhoto> {
  const filename = `${stem}.${extension}`;
  const [cleaned, path] = [join(arrivals, filename), pathOf(filename)];
  try {
    await writeFile(cleaned, together(pieces), { flag: 'wx', mode: 0o600, flush: true });
    const made = await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    if (made !== undefined) await syncFolder(root);
    await rename(cleaned, path);
    await syncFolder(dirname(path));
  } catch (error) {
    for (const one of [cleaned, path]) await remove(one);
    throw error;
  }
  const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return { filename, size, type, width, height };
}

/**
 * Puts pieces of a file together. A write takes as long as copying thousands of bytes, so that a file in tens of thousands
 * of pieces must not cost as many writes; few are held, since a tiny piece takes more memory than its bytes.
 */
export async function* together(pieces: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const piece of pieces) {
    held.push(piece);
    size += piece.length;
    if (size < MOST_BYTES && held.length < MOST_PIECES) continue;
    yield Buffer.concat(held);
    held = [];
    size = 0;
  }
  yield Buffer.concat(held);
}

/** A name in a folder outlives a power cut only once the folder itself is on the disk. */
async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
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

async function remove(path: string): Promise<void> {
  await ifThere(unlink(path));
}

async function ifThere<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
