import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, access, lstat, mkdir, open, readdir, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StorageError } from '../storage/database.ts';
import { codeOf } from '../storage/failures.ts';
import { reasonOf } from '../system-error.ts';
import { type CleanImage, cleanImage } from '../images/image.ts';
import { createQueue } from './queue.ts';

/** An upload on its way, written into `handle`, a temporary file. */
export interface Arrival {
  /** The name that the photo will have, without its extension. */
  readonly stem: string;
  readonly handle: FileHandle;
}

/** The outcome of an upload: a photo in its place, or why not. */
export type Placement =
  { readonly ok: true; readonly photo: PlacedPhoto } | { readonly ok: false; readonly fault: string };

export interface PlacedPhoto extends Pick<CleanImage, 'type' | 'width' | 'height'> {
  readonly filename: string;
  /** Bytes. */
  readonly size: number;
}

/** The files of photos. Everything rejects with the system's error when the disk does not do its part. */
export interface PhotoFiles {
  readonly begin: () => Promise<Arrival>;
  /** Cleans what arrived and puts it into its place. On the disk when it resolves. */
  readonly place: (arrival: Arrival) => Promise<Placement>;
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
/** The endings that the files of photos have. */
export const EXTENSIONS = ['jpg', 'png', 'webp'] as const;
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

/**
 * Opens the folder `photos` of a data folder, and makes it when it is not there. Rejects with a StorageError when that
 * cannot be done.
 */
export async function openPhotoFiles(dataFolder: string): Promise<PhotoFiles> {
  await makeFolders(dataFolder, placesIn(dataFolder));
  return readPhotoFiles(dataFolder);
}

/** The same for a folder that must not be written to; what is not there is reported when it is asked for. */
export function readPhotoFiles(dataFolder: string): PhotoFiles {
  const places = placesIn(dataFolder);
  const { root, arrivals, pathOf } = places;
  // One at a time, so that a crowd of uploads holds no more memory than one.
  const inTurn = createQueue();
  return {
    begin: async () => {
      const stem = randomBytes(16).toString('hex');
      return { stem, handle: await open(join(arrivals, stem), 'wx+', 0o600) };
    },
    place: ({ stem, handle }) =>
      inTurn(async () => {
        const result = cleanImage(await readWhole(handle));
        return result.ok ? { ok: true, photo: await settle(result.image, stem, places) } : result;
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
      for (const name of [...EXTENSIONS.map((extension) => `${stem}.${extension}`), stem])
        await remove(join(arrivals, name));
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

async function makeFolders(dataFolder: string, { root, arrivals }: Places): Promise<void> {
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
    await writeDurably(cleaned, pieces);
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

async function readWhole(handle: FileHandle): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe((await handle.stat()).size);
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, filled);
    if (bytesRead === 0) throw new Error('an uploaded file became shorter');
    filled += bytesRead;
  }
  return bytes;
}

async function writeDurably(path: string, pieces: readonly Buffer[]): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    await writePieces(handle, pieces);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Writes pieces of a file together. A write takes as long as copying thousands of bytes, so that a file in tens of
 * thousands of pieces must not cost as many writes; few are held, since a tiny piece takes more memory than its bytes.
 */
export async function writePieces(
  handle: FileHandle,
  pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
): Promise<void> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const piece of pieces) {
    held.push(piece);
    size += piece.length;
    if (size < MOST_BYTES && held.length < MOST_PIECES) continue;
    await handle.appendFile(Buffer.concat(held));
    held = [];
    size = 0;
  }
  await handle.appendFile(Buffer.concat(held));
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
