import { type Stats, createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { describeFailure } from '../kit/system-error.ts';
import { type CategoryMap, readCategoryMap } from '../transfer/category-map.ts';
import { detectEncoding, encodingNamed, inUtf8 } from '../transfer/encoding.ts';
import { UnreadableFile } from '../transfer/faults.ts';
import { FORMATS, type Format, formatNamed, formatOfFile } from '../transfer/formats.ts';
import type { Notes } from '../transfer/notes.ts';
import {
  type FileToRead,
  IMPORT_FORMATS,
  type ImportFormat,
  type ReadableFile,
  lookAt,
} from '../transfer/read.ts';
import { CommandError, UsageError } from './command.ts';

/** A file to import, and what the operator said of it. */
export interface ImportFile extends Omit<FileToRead, 'path' | 'name'> {
  /** A path, or `-` for standard input. */
  readonly file: string;
}

// Other names of formats: the endings of files.
const ALIASES: Readonly<Record<string, ImportFormat>> = { tsv: 'csv', jsonl: 'ndjson', kmz: 'zip' };

/** The format of an export: the named one, or else that of the file extension. Throws a UsageError if neither is known. */
export function exportFormatOf(file: string, named: string | undefined): Format {
  const format = named === undefined ? formatOfFile(file) : formatNamed(named);
  if (format) return format;
  throw new UsageError(
    named === undefined
      ? `cannot tell the format of ${file} from its extension; use --format csv, ndjson, geojson or kml`
      : `unknown format "${named}": it must be ${FORMATS.join(', ')}`,
  );
}

/** The named format of an import. Throws a UsageError for an unknown name. */
export function importFormatOf(named: string | undefined): ImportFormat | undefined {
  const format = IMPORT_FORMATS.find((one) => one === named) ?? ALIASES[named ?? ''];
  if (named === undefined || format) return format;
  throw new UsageError(`unknown format "${named}": it must be ${IMPORT_FORMATS.join(', ')}`);
}

/** The named encoding. Throws a UsageError for an unknown name. */
export function encodingOf(named: string | undefined): string | undefined {
  const encoding = named === undefined ? undefined : encodingNamed(named);
  if (named === undefined || encoding !== undefined) return encoding;
  throw new UsageError(
    `unknown encoding "${named}": it must be a label such as utf-8, windows-1252 or shift_jis`,
  );
}

/** Looks through a file, which `read` then gets. Throws a CommandError if it is unreadable, or holds no places. */
export async function withFile<Result>(
  { file, ...asked }: ImportFile,
  name: string | null,
  notes: Notes,
  read: (file: ReadableFile) => Promise<Result>,
): Promise<Result> {
  const isStream = !statsOf(file)?.isFile();
  // It is read twice.
  const folder = isStream ? mkdtempSync(join(tmpdir(), 'catalogue-import-')) : undefined;
  try {
    const path = folder === undefined ? file : join(folder, 'file');
    if (folder !== undefined) await pipeline(bytesOf(file), createWriteStream(path, { mode: 0o600 }));
    return await read(await lookAt({ ...asked, path, name }, notes));
  } catch (error) {
    if (error instanceof UnreadableFile) throw new CommandError(`${file}: ${error.message}`);
    throw error;
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/** Reads a map of cuisines to categories. Throws a CommandError that names its faults. */
export async function openCategoryMap(file: string): Promise<CategoryMap> {
  const faults: string[] = [];
  statsOf(file);
  const bytes = await buffer(bytesOf(file));
  const { encoding } = await detectEncoding(Readable.from([bytes]));
  const map = await readCategoryMap(inUtf8(Readable.from([bytes]), encoding), faults);
  if (faults.length > 0) throw new CommandError(faults.map((fault) => `${file}: ${fault}`).join('\n'));
  return map;
}

function bytesOf(file: string): Readable {
  return file === '-' ? process.stdin : createReadStream(file);
}

/** Undefined for standard input. Throws a CommandError for a folder, and for what is not there. */
function statsOf(file: string): Stats | undefined {
  if (file === '-') return undefined;
  let stats: Stats;
  try {
    stats = statSync(file);
  } catch (error) {
    throw new CommandError(`cannot read ${describeFailure(error)}`);
  }
  if (stats.isDirectory()) throw new CommandError(`${file} is a folder`);
  return stats;
}
