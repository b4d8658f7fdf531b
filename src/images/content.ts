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

/** Why a photo is refused, in a public sentence. */
export interface ImageFault {
  readonly fault: string;
}

/** The file ends before its structure does. */
export const TRUNCATED: ImageFault = { fault: 'photo is truncated' };
/** The file has a structure that no decoder accepts. */
export const DAMAGED: ImageFault = { fault: 'photo is damaged' };

/** The file has more segments or chunks than a photo of its size. */
export const TOO_MANY_BLOCKS: ImageFault = { fault: 'photo has too many parts' };

const FREE_BLOCKS = 2_048;
const BYTES_A_BLOCK = 512;

/**
 * The segments or chunks that are looked at in one file: several times what photos and animations of that size have, and
 * few enough to take no longer than the pixels of an honest photo of that size.
 */
export function mostBlocks({ length }: Buffer): number {
  return FREE_BLOCKS + Math.floor(length / BYTES_A_BLOCK);
}

/** Whether the bytes begin with these. */
export function startsWith(bytes: Buffer, prefix: Buffer): boolean {
  return bytes.subarray(0, prefix.length).equals(prefix);
}
