/** What a photo file holds, as it is stored: the orientation is not applied yet. */
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
/** The file has a structure that no decoder takes. */
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

/** The parts of a file that stay, in the order in which they were added. */
export interface Pieces {
  /** Keeps the bytes from `start` to before `end` of the file. */
  readonly keep: (start: number, end: number) => void;
  /** Adds bytes that were made anew. */
  readonly add: (made: Buffer) => void;
  readonly all: () => readonly Buffer[];
}

/** No pieces yet of the file `bytes`. Neighbours that stay together become one piece. */
export function createPieces(bytes: Buffer): Pieces {
  const done: Buffer[] = [];
  let from = 0;
  let to = 0;

  function flush(): void {
    if (to > from) done.push(bytes.subarray(from, to));
    from = to;
  }

  return {
    keep: (start, end) => {
      if (start !== to) {
        flush();
        from = start;
      }
      to = end;
    },
    add: (made) => {
      flush();
      done.push(made);
    },
    all: () => {
      flush();
      return [...done];
    },
  };
}

/** Whether the bytes begin with these. */
export function startsWith(bytes: Buffer, prefix: Buffer): boolean {
  return bytes.subarray(0, prefix.length).equals(prefix);
}
