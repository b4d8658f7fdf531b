import { type Stats, createReadStream, statSync } from 'node:fs';
import { counted } from '../inspection/findings.ts';
import { describeFailure } from '../system-error.ts';
import { type CategoryMap, readCategoryMap } from '../transfer/category-map.ts';
import { readCsv } from '../transfer/csv.ts';
import { ENCODINGS, type Encoding, inUtf8 } from '../transfer/encoding.ts';
import type { Format } from '../transfer/export.ts';
import { readGeoJson } from '../transfer/geojson.ts';
import { readNdjson } from '../transfer/ndjson.ts';
import type { Chunks, SourceEntry, SourceReader } from '../transfer/source.ts';
import { CommandError, UsageError } from './command.ts';

const READERS: Readonly<Record<Format, SourceReader>> = {
  csv: readCsv,
  ndjson: readNdjson,
  geojson: readGeoJson,
};

/** A file to import. */
export interface ImportFile {
  /** A path, or `-` for standard input. */
  readonly file: string;
  readonly format: Format;
  readonly encoding: Encoding | undefined;
}

/** The encoding that was named. Throws a UsageError when there is no such one. */
export function encodingOf(named: string | undefined): Encoding | undefined {
  const encoding = ENCODINGS.find((one) => one === named?.toLowerCase());
  if (named === undefined || encoding) return encoding;
  throw new UsageError(`unknown encoding "${named}": it must be ${ENCODINGS.join(', ')}`);
}

/**
 * Opens a file: its entries as it is read, and the share of it that was read, undefined where its size is unknown. `say` is
 * called with what the reader notes, in words. Throws a CommandError when it cannot be read.
 */
export function openEntries(
  { file, format, encoding }: ImportFile,
  say: (line: string) => void,
): {
  readonly entries: AsyncIterable<SourceEntry>;
  readonly share: () => number | undefined;
} {
  const { chunks, share } = openBytes(file);
  // JSON is UTF-8 (RFC 8259 section 8.1), so that anything else in it is a fault.
  const onGuess = (): void => {
    say('the file is not valid UTF-8, so it is read as windows-1252; --encoding names another encoding');
  };
  const text = inUtf8(chunks, encoding, format === 'csv' ? onGuess : undefined);
  const entries = READERS[format](text, {
    ignored: (columns) => {
      if (columns.length > 0) say(`columns left out: ${columns.join(', ')}`);
    },
    leftOut: (words, rows) => {
      say(`left out in ${counted(rows, 'row')}: ${words}`);
    },
  });
  return { entries, share };
}

/** Reads a map of cuisines to categories. Throws a CommandError that names what is wrong with it. */
export async function openCategoryMap(file: string): Promise<CategoryMap> {
  const faults: string[] = [];
  const map = await readCategoryMap(
    inUtf8(openBytes(file).chunks, undefined, () => undefined),
    faults,
  );
  if (faults.length > 0) throw new CommandError(faults.map((fault) => `${file}: ${fault}`).join('\n'));
  return map;
}

function openBytes(file: string): { readonly chunks: Chunks; readonly share: () => number | undefined } {
  if (file === '-') return { chunks: process.stdin, share: () => undefined };
  let stats: Stats;
  try {
    stats = statSync(file);
  } catch (error) {
    throw new CommandError(`cannot read ${describeFailure(error)}`);
  }
  if (stats.isDirectory()) throw new CommandError(`${file} is a folder`);
  const stream = createReadStream(file);
  return { chunks: stream, share: () => (stats.size === 0 ? 1 : stream.bytesRead / stats.size) };
}
