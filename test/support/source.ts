import type { Fault } from '../../src/transfer/faults.ts';
import { Notes, type NotesJson } from '../../src/transfer/notes.ts';
import { FileLook, PlaceReader } from '../../src/transfer/place.ts';
import type { Chunks, Raw, SourceEntry, SourceFile, SourceReader } from '../../src/transfer/source.ts';

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

/** Reads a whole file that arrives in pieces of `size` bytes, without a look at its encoding. */
export async function readAll(
  reader: SourceReader,
  content: string | Uint8Array,
  size = 64 * 1024,
  name: string | null = null,
): Promise<NotesJson & { readonly entries: PlainEntry[]; readonly ownName: string | undefined }> {
  const notes = new Notes();
  const look = new FileLook(notes);
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const file: SourceFile = { name };
  const records: (Fault | Raw)[] = [];
  for await (const record of reader(inPieces(bytes, size), notes, file)) {
    records.push(record);
    if (!('fault' in record)) look.add(record);
  }
  const places = new PlaceReader(look.findings(false), notes);
  const entries = records.map((record) => plain('fault' in record ? record : places.read(record)));
  return { entries, ...notes.json(), ownName: file.ownName };
}

function plain(entry: SourceEntry): PlainEntry {
  if ('fault' in entry) return { line: entry.line, fault: entry.fault };
  const note = entry.note === undefined ? {} : { note: entry.note };
  return { line: entry.line, ...Object.fromEntries(entry.fields), ...note };
}
