import { StringDecoder } from 'node:string_decoder';
import type { Chunks } from './source.ts';

/** The encodings of import files. */
export const ENCODINGS = ['utf-8', 'utf-16le', 'windows-1252'] as const;
export type Encoding = (typeof ENCODINGS)[number];

// The part of a file from which its encoding is guessed.
const HEAD_SIZE = 1024 * 1024;
// The bytes 0x80 to 0x9F. The decoder of some versions of Node 22 and 23 reads them as ISO 8859-1.
const WINDOWS_CHARACTERS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
// Half a character as UTF-8 would have it, which is not valid: a reader reports the record that holds it.
const HALF_CHARACTER = Buffer.from([0xed, 0xa0, 0x80]);
const NOTHING = Buffer.alloc(0);

/** Called while a file is read. */
export interface Reading {
  /** Called when it is read as windows-1252 since it is not UTF-8. */
  readonly guessed?: () => void;
  /** Called with the number of bytes of the file once the reader has taken them. */
  readonly taken?: (bytes: number) => void;
}

/**
 * Converts a file to UTF-8. Its encoding is `encoding`, or UTF-16 if a byte order mark says so. Without either, a file whose
 * first MiB is not UTF-8 is read as windows-1252 where `guessed` is present.
 */
export async function* inUtf8(
  chunks: Chunks,
  encoding: Encoding | undefined,
  { guessed, taken = () => undefined }: Reading = {},
): AsyncGenerator<Uint8Array> {
  let decode: Decoder | undefined;
  let waiting: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    waiting.push(chunk);
    size += chunk.length;
    if (!decode && size < HEAD_SIZE && encoding === undefined) continue;
    decode ??= decoderOf(Buffer.concat(waiting), encoding, guessed);
    yield* decoded(waiting, decode, taken);
    waiting = [];
  }
  decode ??= decoderOf(Buffer.concat(waiting), encoding, guessed);
  yield* decoded(waiting, decode, taken);
  yield decode(undefined);
}

function* decoded(
  chunks: readonly Uint8Array[],
  decode: Decoder,
  taken: (bytes: number) => void,
): Generator<Uint8Array> {
  for (const chunk of chunks) {
    yield decode(chunk);
    taken(chunk.length);
  }
}

/** Decodes a file that may be cut anywhere; undefined is its end. */
type Decoder = (chunk: Uint8Array | undefined) => Uint8Array;

/** The decoder for a file that begins with `head`. */
function decoderOf(head: Buffer, encoding: Encoding | undefined, guess: Reading['guessed']): Decoder {
  const found = encoding ?? markOf(head) ?? byContent(head, guess);
  if (found === 'utf-8') return (chunk = NOTHING) => chunk;
  return found === 'windows-1252' ? fromWindows : createPairDecoder(found === 'utf-16be');
}

function markOf(bytes: Buffer): Encoding | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
}

function byContent(bytes: Uint8Array, guess: Reading['guessed']): Encoding {
  if (!guess || isUtf8(bytes)) return 'utf-8';
  guess();
  return 'windows-1252';
}

/** Whether the start of a file is UTF-8. Where there is more behind it, its last character may be cut. */
function isUtf8(bytes: Uint8Array): boolean {
  try {
    const stream = bytes.length >= HEAD_SIZE;
    new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, HEAD_SIZE), { stream });
    return true;
  } catch {
    return false;
  }
}

function fromWindows(chunk: Uint8Array = NOTHING): Uint8Array {
  const text = Buffer.from(chunk).toString('latin1');
  const toCharacter = (byte: string): string => WINDOWS_CHARACTERS.charAt(byte.charCodeAt(0) - 0x80);
  return Buffer.from(text.replace(/[\u0080-\u009f]/g, toCharacter));
}

/** A decoder of UTF-16. */
function createPairDecoder(isBigEndian: boolean): Decoder {
  const decoder = new StringDecoder('utf16le');
  let odd: Uint8Array = NOTHING;
  return (chunk) => {
    if (!chunk) return Buffer.concat([wellFormed(decoder.end()), odd.length > 0 ? HALF_CHARACTER : NOTHING]);
    const bytes = Buffer.concat([odd, chunk]);
    const even = bytes.subarray(0, bytes.length - (bytes.length % 2));
    odd = bytes.subarray(even.length);
    return wellFormed(decoder.write(isBigEndian ? Buffer.from(even).swap16() : even));
  };
}

function wellFormed(text: string): Uint8Array {
  if (text.isWellFormed()) return Buffer.from(text);
  const [first = '', ...rest] = text.split(/\p{Surrogate}/u);
  return Buffer.concat([Buffer.from(first), ...rest.flatMap((part) => [HALF_CHARACTER, Buffer.from(part)])]);
}
