/** A cleaned image file as stored, before its orientation is applied. */
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

/** A photo is refused; clients see the message. */
export class ImageError extends Error {
  override readonly name = 'ImageError';
}

/** The file ends too early. */
export const TRUNCATED = 'photo is truncated';
/** No decoder would accept the file. */
const DAMAGED = 'photo is damaged';
/** The file has far more segments or chunks than a real photo of its size. */
export const TOO_MANY_BLOCKS = 'photo has too many parts';

const FREE_BLOCKS = 2_048;
const BYTES_A_BLOCK = 512;

/**
 * Returns a function that counts a file's segments or chunks, and throws an ImageError above a limit. The limit is several
 * times what real photos and animations have, yet parsing that many takes no longer than the pixels of a real photo.
 */
export function createBlockCount({ length }: Buffer): () => void {
  let left = FREE_BLOCKS + Math.floor(length / BYTES_A_BLOCK);
  return () => {
    left -= 1;
    check(left >= 0, TOO_MANY_BLOCKS);
  };
}

/** Throws an ImageError unless the condition holds. */
export function check(condition: boolean, fault = DAMAGED): asserts condition {
  if (!condition) throw new ImageError(fault);
}

export function startsWith(bytes: Buffer, prefix: Buffer): boolean {
  return bytes.subarray(0, prefix.length).equals(prefix);
}
