import { type FileHandle, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type CleanImage, type ImageResult, cleanImage, sizeOf } from '../images/image.ts';
import type { Parsed } from '../../kit/input/fields.ts';
import { READ_ONLY, remove, syncFolder, together } from './disk.ts';
import { asThumbnail } from './thumbnail.ts';

/** An upload on its way, written into `handle`, a temporary file. */
export interface Arrival {
  /** The name that the photo will have, without its extension. */
  readonly stem: string;
  readonly handle: FileHandle;
}

/** A file in its place. */
export interface PlacedFile extends Pick<CleanImage, 'type' | 'width' | 'height'> {
  readonly filename: string;
  /** Bytes. */
  readonly size: number;
}

/** The files of a photo in their places. */
export interface PlacedPhoto extends PlacedFile {
  readonly thumbnail: PlacedFile | undefined;
}

/** The folders of photos. */
export interface Places {
  readonly root: string;
  /** The folder of uploads on their way. */
  readonly arrivals: string;
  readonly pathOf: (filename: string) => string;
}

/** Puts uploads into their places. Rejects with the system's error. */
export interface Placement {
  /** Cleans what arrived and puts it into its place: all of it or nothing. On the disk when it resolves. */
  readonly place: (photo: Arrival, thumbnail: Arrival | undefined) => Promise<Parsed<PlacedPhoto>>;
  /** The faults of what arrived as a thumbnail. */
  readonly thumbnailFaults: (arrival: Arrival) => Promise<readonly string[]>;
}

/** Makes it for the folders of a data folder. */
export function createPlacement(places: Places): Placement {
  const cleaned = async ({ stem }: Arrival): Promise<ImageResult> =>
    cleanImage(await readFile(join(places.arrivals, stem), { flag: READ_ONLY }));
  const cleanedThumbnail = async (arrival: Arrival): Promise<ImageResult> =>
    asThumbnail(await cleaned(arrival));
  return {
    place: async (photo, thumbnail) => {
      const [image, small] = [await cleaned(photo), thumbnail && (await cleanedThumbnail(thumbnail))];
      if (!image.ok || small?.ok === false) return { ok: false, faults: faultsOf(image, small) };
      const placed = await settle(image.image, photo.stem, places);
      if (!thumbnail || !small) return { ok: true, value: { ...placed, thumbnail: undefined } };
      try {
        const own = await settle(small.image, thumbnail.stem, places);
        return { ok: true, value: { ...placed, thumbnail: own } };
      } catch (error) {
        await remove(places.pathOf(placed.filename));
        throw error;
      }
    },
    thumbnailFaults: async (arrival) => faultsOf(await cleanedThumbnail(arrival)),
  };
}

function faultsOf(...results: readonly (ImageResult | undefined)[]): readonly string[] {
  return results.flatMap((result) => (result?.ok === false ? [result.fault] : []));
}

async function settle(
  image: CleanImage,
  stem: string,
  { root, arrivals, pathOf }: Places,
): Promise<PlacedFile> {
  const { type, extension, width, height, pieces } = image;
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
  return { filename, size: sizeOf(image), type, width, height };
}
