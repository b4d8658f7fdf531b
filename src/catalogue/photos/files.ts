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
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ifExists, readPart, removeFile, syncFolder, together } from '../../kit/files.ts';
import type { Parsed } from '../../kit/input/fields.ts';
import { Queue } from '../../kit/queue.ts';
import { reasonOf } from '../../kit/system-error.ts';
import { StorageError } from '../../storage/database.ts';
import { type CleanImage, type ImageResult, cleanImage, sizeOf } from '../images/image.ts';

/** The folder of photos in a data folder. */
export const PHOTO_FOLDER = 'photos';
/** The subfolders of photos, by the first two digits of their names, so that none gets too large. */
export const PREFIXES: readonly string[] = Array.from({ length: 256 }, (_, index) =>
  index.toString(16).padStart(2, '0'),
);
// Does not follow links, so that no file outside the folder is ever served.
const READ_ONLY = constants.O_RDONLY | constants.O_NOFOLLOW;
const STEM = /^[0-9a-f]{32}$/;
const FILENAME = /^[0-9a-f]{32}\.(?:jpg|png|webp)$/;
const MAX_THUMBNAIL_SIDE = 640;
const MAX_THUMBNAIL_BYTES = 150 * 1024;

export const THUMBNAIL_FAULT = `thumbnail must be a JPEG or WebP of at most ${MAX_THUMBNAIL_SIDE} pixels a side and 150 KB`;

/** An upload in progress, written to the temporary file `handle`. */
export interface Arrival {
  /** The future name of the photo, without its extension. */
  readonly stem: string;
  readonly handle: FileHandle;
}

/** A file in its final place. */
export interface PlacedFile extends Pick<CleanImage, 'type' | 'width' | 'height'> {
  readonly filename: string;
  /** Bytes. */
  readonly size: number;
}

/** The files of a photo in their final places. */
export interface PlacedPhoto extends PlacedFile {
  readonly thumbnail: PlacedFile | undefined;
}

export function isPhotoName(name: string): boolean {
  return FILENAME.test(name);
}

/** The names that the photo of an upload may have. */
export function namesOf(stem: string): readonly string[] {
  return ['jpg', 'png', 'webp'].map((extension) => `${stem}.${extension}`);
}

/**
 * The path of a photo's file in a data folder or a backup. Throws a StorageError for any other name: a database that came from
 * elsewhere may name files outside of the folder.
 */
export function photoPlace(filename: string): string {
  if (!isPhotoName(filename)) throw new StorageError('the database names a photo file that cannot be one');
  return `${PHOTO_FOLDER}/${filename.slice(0, 2)}/${filename}`;
}

/** The files in the folder `photos` of a data folder. Methods reject with the system's error when the disk fails. */
export class PhotoFiles {
  readonly #dataFolder: string;
  readonly #root: string;
  // On the same file system as the photos, so that placing an upload is a rename.
  readonly #arrivals: string;
  // One at a time, so that many uploads take no more memory than one.
  readonly #queue = new Queue({ atOnce: 1 });

  constructor(dataFolder: string) {
    this.#dataFolder = dataFolder;
    this.#root = join(dataFolder, PHOTO_FOLDER);
    this.#arrivals = join(this.#root, 'arriving');
  }

  /** Creates the folder unless it exists. Rejects with a StorageError if it cannot be used. */
  async makeFolder(): Promise<void> {
    try {
      const made = await mkdir(this.#arrivals, { recursive: true, mode: 0o700 });
      if (made !== undefined) for (const folder of [this.#root, this.#dataFolder]) await syncFolder(folder);
      await access(this.#arrivals, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (error) {
      throw new StorageError(`cannot use the folder of photos ${this.#root}: ${reasonOf(error)}`);
    }
  }

  async begin(): Promise<Arrival> {
    const stem = randomBytes(16).toString('hex');
    return { stem, handle: await open(join(this.#arrivals, stem), 'wx', 0o600) };
  }

  /** Removes the temporary files of an upload; a photo in its final place stays. */
  async end({ stem, handle }: Arrival): Promise<void> {
    await handle.close();
    await removeFile(join(this.#arrivals, stem));
  }

  /** Cleans the uploaded files and moves them to their final places, all or none. Resolves once they are on disk. */
  place(photo: Arrival, thumbnail: Arrival | undefined): Promise<Parsed<PlacedPhoto>> {
    return this.#queue.run(async () => {
      const image = await this.#cleaned(photo);
      const small = thumbnail && asThumbnail(await this.#cleaned(thumbnail));
      if (!image.ok || small?.ok === false) return { ok: false, faults: faultsOf(image, small) };
      const placed = await this.#settle(image.image, photo.stem);
      try {
        const own = thumbnail && small && (await this.#settle(small.image, thumbnail.stem));
        return { ok: true, value: { ...placed, thumbnail: own } };
      } catch (error) {
        await this.remove(placed.filename);
        throw error;
      }
    });
  }

  /** The faults of an uploaded thumbnail. */
  thumbnailFaults(arrival: Arrival): Promise<readonly string[]> {
    return this.#queue.run(async () => faultsOf(asThumbnail(await this.#cleaned(arrival))));
  }

  /** Undefined when there is no such file. */
  async sizeOf(filename: string): Promise<number | undefined> {
    const status = await ifExists(lstat(this.#pathOf(filename)));
    return status?.isFile() === true ? status.size : undefined;
  }

  /** The bytes from `start` to `end`, `end` excluded. */
  async *read(filename: string, start: number, end: number): AsyncGenerator<Buffer> {
    const handle = await open(this.#pathOf(filename), READ_ONLY);
    try {
      yield* readPart(handle, start, end);
    } finally {
      await handle.close();
    }
  }

  async remove(filename: string): Promise<void> {
    await removeFile(this.#pathOf(filename));
  }

  /** Removes a file found by `namesIn`, even from the wrong folder. */
  async removeFrom(prefix: string, filename: string): Promise<void> {
    await removeFile(join(this.#root, prefix, filename));
  }

  /** The names of the photos in a subfolder. */
  async namesIn(prefix: string): Promise<string[]> {
    return ((await ifExists(readdir(join(this.#root, prefix)))) ?? []).filter(isPhotoName);
  }

  /** The PREFIXES whose folders exist. */
  async prefixes(): Promise<string[]> {
    return (await readdir(this.#root)).filter((name) => PREFIXES.includes(name));
  }

  /** The stems of uploads interrupted by a crash. */
  async cutShort(): Promise<string[]> {
    const stems = (await readdir(this.#arrivals)).map((name) => name.split('.', 1)[0] ?? '');
    return [...new Set(stems)].filter((stem) => STEM.test(stem));
  }

  /** Removes the temporary files of an interrupted upload, but not a photo in its final place. */
  async clear(stem: string): Promise<void> {
    // The upload itself goes last: while it exists, the next start knows that the upload was interrupted.
    for (const name of [...namesOf(stem), stem]) await removeFile(join(this.#arrivals, name));
  }

  #pathOf(filename: string): string {
    return join(this.#dataFolder, photoPlace(filename));
  }

  async #cleaned({ stem }: Arrival): Promise<ImageResult> {
    return cleanImage(await readFile(join(this.#arrivals, stem), { flag: READ_ONLY }));
  }

  async #settle(image: CleanImage, stem: string): Promise<PlacedFile> {
    const { type, extension, width, height, pieces } = image;
    const filename = `${stem}.${extension}`;
    const [cleaned, path] = [join(this.#arrivals, filename), this.#pathOf(filename)];
    try {
      await writeFile(cleaned, together(pieces), { flag: 'wx', mode: 0o600, flush: true });
      const made = await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      if (made !== undefined) await syncFolder(this.#root);
      await rename(cleaned, path);
      await syncFolder(dirname(path));
    } catch (error) {
      for (const one of [cleaned, path]) await removeFile(one);
      throw error;
    }
    return { filename, size: sizeOf(image), type, width, height };
  }
}

/** The cleaned image, unless it is refused as a thumbnail. */
function asThumbnail(result: ImageResult): ImageResult {
  if (!result.ok) return { ok: false, fault: THUMBNAIL_FAULT };
  const { type, width, height } = result.image;
  const isSmall =
    Math.max(width, height) <= MAX_THUMBNAIL_SIDE && sizeOf(result.image) <= MAX_THUMBNAIL_BYTES;
  return isSmall && type !== 'image/png' ? result : { ok: false, fault: THUMBNAIL_FAULT };
}

function faultsOf(...results: readonly (ImageResult | undefined)[]): readonly string[] {
  return results.flatMap((result) => (result?.ok === false ? [result.fault] : []));
}
