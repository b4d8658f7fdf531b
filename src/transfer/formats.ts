import { csvHeader, csvLine, readCsv } from './csv.ts';
import { type Encoding, inUtf8 } from './encoding.ts';
import { GEOJSON_END, geoJsonFeature, geoJsonStart, readGeoJson } from './geojson.ts';
import { KML_END, kmlPlacemark, kmlStart, readKml } from './kml.ts';
import { ndjsonLine, readNdjson } from './ndjson.ts';
import type { Chunks, ExportRecord, Notes, SourceEntry, SourceReader } from './source.ts';

/** The formats of files. */
export const FORMATS = ['csv', 'ndjson', 'geojson', 'kml'] as const;
export type Format = (typeof FORMATS)[number];

/** How a format is read, and written: around and between restaurants. */
interface Form {
  readonly endings: readonly string[];
  readonly read: SourceReader;
  readonly type: string;
  readonly line: (record: ExportRecord) => string;
  /** With the name of the list that the file shows. */
  readonly start?: (listName?: string) => string;
  readonly between?: string;
  readonly end?: string;
  readonly hasRatings?: boolean;
}

export const FORMS: Readonly<Record<Format, Form>> = {
  csv: {
    endings: ['csv', 'tsv'],
    read: readCsv,
    type: 'text/csv; charset=utf-8',
    line: csvLine,
    start: () => csvHeader(),
  },
  ndjson: {
    endings: ['ndjson', 'jsonl'],
    read: readNdjson,
    type: 'application/x-ndjson; charset=utf-8',
    line: ndjsonLine,
    hasRatings: true,
  },
  geojson: {
    endings: ['geojson', 'json'],
    read: readGeoJson,
    type: 'application/geo+json',
    line: geoJsonFeature,
    start: geoJsonStart,
    between: ',\n',
    end: GEOJSON_END,
    hasRatings: true,
  },
  kml: {
    endings: ['kml'],
    read: readKml,
    type: 'application/vnd.google-earth.kml+xml',
    line: kmlPlacemark,
    start: kmlStart,
    end: KML_END,
  },
};

/** The format of an ending such as `tsv`; undefined for any other text. */
export function formatNamed(ending: string): Format | undefined {
  return FORMATS.find((format) => FORMS[format].endings.includes(ending));
}

/** The format of a file by the ending of its name; undefined for any other ending. */
export function formatOfFile(name: string): Format | undefined {
  return formatNamed(name.slice(name.lastIndexOf('.') + 1).toLowerCase());
}

/** The format of a file, and its encoding where that is known. */
export interface FileForm {
  readonly format: Format;
  readonly encoding: Encoding | undefined;
}

/**
 * The entries of a file as it is read. Calls `guessed` when CSV is read as windows-1252 because it is not UTF-8, and `taken`
 * with the number of bytes of each part of the file once the reader asks for the next.
 */
export function readEntries(
  chunks: Chunks,
  { format, encoding }: FileForm,
  notes: Notes & { readonly guessed: () => void; readonly taken: (bytes: number) => void },
): AsyncGenerator<SourceEntry> {
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      yield chunk;
      notes.taken(chunk.length);
    }
  }
  // JSON is UTF-8 (RFC 8259 section 8.1), and so is KML, so that anything else in them is a fault.
  const guessed = format === 'csv' ? notes.guessed : undefined;
  return FORMS[format].read(inUtf8(counted(), encoding, guessed), notes);
}
