import type { Chunks, Notes, SourceEntry, SourceReader } from '../../src/transfer/source.ts';

/** An entry as plain data, for comparing. */
export type PlainEntry = Readonly<Record<string, unknown>>;

/** The entry of a row on this line. */
export function row(line: number, fields: PlainEntry): PlainEntry {
  return { line, ...fields };
}

/** The entry of a row that cannot be read. */
export function faultAt(line: number, fault: string): PlainEntry {
  return { line, fault };
}

/** A file that arrives in pieces of `size` bytes. */
export async function* inPieces(bytes: Uint8Array, size: number): Chunks {
  for (let start = 0; start < bytes.length; start += size)
    yield await Promise.resolve(bytes.subarray(start, start + size));
}

/** Reads a whole file that arrives in pieces of `size` bytes. */
export async function readAll(
  reader: SourceReader,
  content: string | Uint8Array,
  size = 64 * 1024,
): Promise<{
  entries: PlainEntry[];
  ignored: readonly string[];
  leftOut: readonly string[];
  titles: string[];
}> {
  const entries: PlainEntry[] = [];
  const leftOut: string[] = [];
  const titles: string[] = [];
  let ignored: readonly string[] = [];
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const notes: Notes = {
    ignored: (columns) => {
      ignored = columns;
    },
    leftOut: (words, rows) => leftOut.push(`${rows}: ${words}`),
    named: (title) => titles.push(title),
  };
  for await (const entry of reader(inPieces(bytes, size), notes)) entries.push(plain(entry));
  return { entries, ignored, leftOut, titles };
}

function plain(entry: SourceEntry): PlainEntry {
  return 'fields' in entry
    ? { line: entry.line, ...Object.fromEntries(entry.fields) }
    : { line: entry.line, fault: entry.fault };
}
