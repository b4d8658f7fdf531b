import { MAX_RECORD } from './source.ts';

const FIRST_SIZE = 64 * 1024;

/** Bytes collected one by one. Of more than 1 MiB only the first are stored, but all are counted. */
export interface ByteCollector {
  readonly add: (byte: number) => void;
  /** The number of bytes since the last `clear`, also of those that were not stored. */
  readonly size: () => number;
  /** The bytes from `start` to before `end`, to be read before the next `add`. */
  readonly slice: (start: number, end: number) => Uint8Array;
  readonly clear: () => void;
}

/** An empty collector of bytes, for one record after the other. */
export function createByteCollector(): ByteCollector {
  let bytes = Buffer.alloc(FIRST_SIZE);
  let size = 0;
  return {
    add: (byte) => {
      if (size >= bytes.length && bytes.length < MAX_RECORD) bytes = Buffer.concat([bytes], bytes.length * 2);
      if (size < bytes.length) bytes[size] = byte;
      size += 1;
    },
    size: () => size,
    slice: (start, end) => bytes.subarray(start, end),
    clear: () => {
      size = 0;
    },
  };
}

/** Text in UTF-8; undefined when the bytes are none. A byte order mark stays. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The text without a byte order mark at its start. */
export function withoutMark(text: string): string {
  return text.replace(/^\ufeff/, '');
}
