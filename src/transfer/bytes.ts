import { type Chunks, MAX_RECORD } from './source.ts';

/**
 * A file as it arrives, as text with one character for each byte, which can be cut anywhere. Bytes of UTF-8 beyond ASCII
 * never look like the characters of CSV or JSON.
 */
export async function* byteTexts(chunks: Chunks): AsyncGenerator<string> {
  for await (const chunk of chunks) yield Buffer.from(chunk).toString('latin1');
}

/** A record with what follows of it. It grows no further once it is too long, which its length shows. */
export function extended(record: string, part: string): string {
  return record.length > MAX_RECORD ? record : record + part;
}

/** The text of bytes in UTF-8; undefined when they are none. A byte order mark stays. */
export function decodeText(bytes: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return undefined;
  }
}

/** The same without a byte order mark at its start. */
export function decodeMarked(bytes: string): string | undefined {
  return decodeText(bytes)?.replace(/^\ufeff/, '');
}
