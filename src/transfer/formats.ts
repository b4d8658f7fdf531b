import { readCsv } from './csv.ts';
import { type Encoding, type Reading, inUtf8 } from './encoding.ts';
import { readGeoJson } from './geojson.ts';
import { readNdjson } from './ndjson.ts';
import type { Chunks, Notes, SourceEntry, SourceReader } from './source.ts';

/** The formats of files. */
export const FORMATS = ['csv', 'ndjson', 'geojson'] as const;
export type Format = (typeof FORMATS)[number];

const ENDINGS: ReadonlyMap<string, Format> = new Map([
  ['csv', 'csv'],
  ['tsv', 'csv'],
  ['ndjson', 'ndjson'],
  ['jsonl', 'ndjson'],
  ['geojson', 'geojson'],
  ['json', 'geojson'],
]);

const READERS: Readonly<Record<Format, SourceReader>> = {
  csv: readCsv,
  ndjson: readNdjson,
  geojson: readGeoJson,
};

/** The format that an ending stands for, such as `tsv`; undefined for any other text. */
export function formatNamed(ending: string): Format | undefined {
  return ENDINGS.get(ending);
}

/** The format of a file by the ending of its name; undefined where that tells nothing. */
export function formatOfFile(name: string): Format | undefined {
  return formatNamed(name.slice(name.lastIndexOf('.') + 1).toLowerCase());
}

/** The format of a file, and its encoding where that is known. */
export interface FileForm {
  readonly format: Format;
  readonly encoding: Encoding | undefined;
}

/** The entries of a file as it is read. */
export function readEntries(
  chunks: Chunks,
  { format, encoding }: FileForm,
  { guessed = () => undefined, taken, ...notes }: Notes & Reading,
): AsyncGenerator<SourceEntry> {
  // JSON is UTF-8 (RFC 8259 section 8.1), so that anything else in it is a fault.
  const reading = { ...(format === 'csv' && { guessed }), ...(taken && { taken }) };
  return READERS[format](inUtf8(chunks, encoding, reading), notes);
}
