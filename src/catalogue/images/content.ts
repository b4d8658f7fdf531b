/** The contents of an image file as it is stored: the orientation is not applied yet. */
export interface ImageContent {
  /** Pixels. */
  readonly width: number;
  /** Pixels. */
  readonly height: number;
  /** How a viewer turns the stored pixels: 1 to 8, as in EXIF. */
  readonly orientation: number;
  /** The clean file, in order. */
  readonly pieces: readonly Buffer[];
}

/** Why a photo is refused: a public sentence. */
export class ImageError extends Error {
  override readonly name = 'ImageError';
}

/** The file ends before its structure does. */
export const TRUNCATED = 'photo is truncated';
/** The file has a structure that no decoder accepts. */
const DAMAGED = 'photo is damaged';
/** The file has more segments or chunks than a photo of its size. */
export const TOO_MANY_BLOCKS = 'photo has too many parts';

const FREE_BLOCKS = 2_048;
const BYTES_A_BLOCK = 512;

/**
 * A function that counts the segments or chunks looked at in one file, and throws an ImageError for one too many: several
 * times what photos and animations of that size have take no longer than the pixels of an honest photo of that size.
 */
export function createBlockCount({ length }: Buffer): () => void {
  let left = FREE_BLOCKS + Math.floor(length / BYTES_A_BLOCK);
  return () => {
    left -= 1;
    check(left >= 0, TOO_MANY_BLOCKS);
  };
}

/** Throws an ImageError unless the condition holds; by default the photo is damaged. */
export function check(condition: boolean, fault = DAMAGED): asserts condition {
  if (!condition) throw new ImageError(fault);
}

/** Whether the bytes begin with these. */
export function startsWith(bytes: Buffer, prefix: Buffer): boolean {
  return bytes.subarray(0, prefix.length).equals(prefix);
}
