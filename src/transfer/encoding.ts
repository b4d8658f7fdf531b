import { StringDecoder } from 'node:string_decoder';
import type { Chunks } from './source.ts';

/** The encodings of import files. */
export const ENCODINGS = ['utf-8', 'utf-16le', 'windows-1252'] as const;
export type Encoding = (typeof ENCODINGS)[number];

// The part of a file from which its encoding is guessed.
const HEAD_SIZE = 1024 * 1024;
// The bytes 0x80 to 0x9F. The decoder of many versions of Node 22 and 24 reads them as ISO 8859-1.
const WINDOWS_CHARACTERS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
// Half a character as UTF-8 would have it, which is not valid: a reader reports the record that holds it.
const HALF_CHARACTER = Buffer.from([0xed, 0xa0, 0x80]);
const NOTHING = Buffer.alloc(0);

/**
 * Converts a file to UTF-8. Its encoding is `encoding`, or UTF-16 if a byte order mark says so. Without either, a file whose
 * first MiB is not UTF-8 is read as windows-1252 where `guessed` is present, which is called then.
 */
export async function* inUtf8(
  chunks: Chunks,
  encoding: Encoding | undefined,
  guessed?: () => void,
): AsyncGenerator<Uint8Array> {
  let decode: Decoder | undefined;
  const head: Uint8Array[] = [];
  let size = 0;
  const start = (): Uint8Array => {
    const bytes = Buffer.concat(head);
    decode = decoderFor(encoding ?? encodingFrom(bytes, guessed));
    return decode(bytes);
  };
  for await (const chunk of chunks) {
    if (decode) yield decode(chunk);
    else {
      head.push(chunk);
      size += chunk.length;
      if (encoding !== undefined || size >= HEAD_SIZE) yield start();
    }
  }
  if (!decode) yield start();
  yield decode?.(undefined) ?? NOTHING;
}

/** The encoding of a file that begins with `head`. */
function encodingFrom(head: Buffer, guessed: (() => void) | undefined): Encoding | 'utf-16be' {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  if (!guessed) return 'utf-8';
  try {
    // Where more follows, the last character may be cut.
    const stream = head.length >= HEAD_SIZE;
    new TextDecoder('utf-8', { fatal: true }).decode(head.subarray(0, HEAD_SIZE), { stream });
    return 'utf-8';
  } catch {
    guessed();
    return 'windows-1252';
  }
}

/** Decodes a file that may be cut anywhere; undefined is its end. */
type Decoder = (chunk: Uint8Array | undefined) => Uint8Array;

function decoderFor(encoding: Encoding | 'utf-16be'): Decoder {
  if (encoding === 'utf-8') return (chunk = NOTHING) => chunk;
  return encoding === 'windows-1252' ? fromWindows : createPairDecoder(encoding === 'utf-16be');
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
