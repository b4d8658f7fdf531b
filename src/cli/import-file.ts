import { type Stats, createReadStream, statSync } from 'node:fs';
import { parse } from 'node:path';
import { describeFailure } from '../kit/system-error.ts';
import { counted } from '../kit/sentences.ts';
import { type CategoryMap, readCategoryMap, withCategories } from '../transfer/category-map.ts';
import { ENCODINGS, type Encoding, inUtf8 } from '../transfer/encoding.ts';
import { type FileForm, type Format, formatNamed, formatOfFile, readEntries } from '../transfer/formats.ts';
import type { Chunks, SourceEntry } from '../transfer/source.ts';
import { CommandError, UsageError } from './command.ts';
import type { Progress } from './terminal.ts';

/** A file to import. */
export interface ImportFile extends FileForm {
  /** A path, or `-` for standard input. */
  readonly file: string;
}

/** The named format, or else that of the file extension. Throws a UsageError if neither is known. */
export function formatOf(file: string, named: string | undefined): Format {
  const format = named === undefined ? formatOfFile(file) : formatNamed(named);
  if (format) return format;
  throw new UsageError(
    named === undefined
      ? `cannot tell the format of ${file} from its extension; use --format csv, ndjson, geojson or kml`
      : `unknown format "${named}": it must be csv, ndjson, geojson or kml`,
  );
}

/** The named encoding. Throws a UsageError for an unknown name. */
export function encodingOf(named: string | undefined): Encoding | undefined {
  const encoding = ENCODINGS.find((one) => one === named?.toLowerCase());
  if (named === undefined || encoding) return encoding;
  throw new UsageError(`unknown encoding "${named}": it must be ${ENCODINGS.join(', ')}`);
}

/**
 * Opens a file and returns its entries as it is read, with categories from `map`, and functions that return the share read so
 * far, or undefined if the size is unknown, and the title of the file, or else its name. Prints notes of the reader. Throws a
 * CommandError if the file is unreadable.
 */
export function openEntries(
  { file, ...form }: ImportFile,
  map: CategoryMap | undefined,
  progress: Progress,
): {
  readonly entries: AsyncIterable<SourceEntry>;
  readonly share: () => number | undefined;
  readonly title: () => string;
} {
  const { chunks, size } = openBytes(file);
  let read = 0;
  let title = parse(file).name;
  const entries = readEntries(chunks, form, {
    guessed: () => {
      progress.complain(
        'the file is not valid UTF-8, so it is read as windows-1252; --encoding names another encoding',
      );
    },
    taken: (bytes) => (read += bytes),
    named: (found) => (title = found),
    ignored: (columns) => {
      if (columns.length > 0) progress.complain(`columns left out: ${columns.join(', ')}`);
    },
    leftOut: (words, rows) => {
      progress.complain(`left out in ${counted(rows, 'row')}: ${words}`);
    },
  });
  return {
    entries: map ? withCategories(entries, map) : entries,
    share: () => size && read / size,
    title: () => title,
  };
}

/** Reads a map of cuisines to categories. Throws a CommandError that names its faults. */
export async function openCategoryMap(file: string): Promise<CategoryMap> {
  const faults: string[] = [];
  const text = inUtf8(openBytes(file).chunks, undefined, () => undefined);
  const map = await readCategoryMap(text, faults);
  if (faults.length > 0) throw new CommandError(faults.map((fault) => `${file}: ${fault}`).join('\n'));
  return map;
}

function openBytes(file: string): { readonly chunks: Chunks; readonly size: number | undefined } {
  if (file === '-') return { chunks: process.stdin, size: undefined };
  let stats: Stats;
  try {
    stats = statSync(file);
  } catch (error) {
    throw new CommandError(`cannot read ${describeFailure(error)}`);
  }
  if (stats.isDirectory()) throw new CommandError(`${file} is a folder`);
  return { chunks: createReadStream(file), size: stats.size };
}
