import { csvHeader, csvLine } from './csv.ts';
import { GEOJSON_END, geoJsonFeature, geoJsonStart, ndjsonLine } from './json-places.ts';
import { KML_END, kmlPlacemark, kmlStart } from './kml.ts';
import type { ExportRecord } from './source.ts';

/** The formats of exports. */
export const FORMATS = ['csv', 'ndjson', 'geojson', 'kml'] as const;
export type Format = (typeof FORMATS)[number];

/** How a format is written: around and between restaurants. */
interface Form {
  readonly endings: readonly string[];
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
    type: 'text/csv; charset=utf-8',
    line: csvLine,
    start: () => csvHeader(),
  },
  ndjson: {
    endings: ['ndjson', 'jsonl'],
    type: 'application/x-ndjson; charset=utf-8',
    line: ndjsonLine,
    hasRatings: true,
  },
  geojson: {
    endings: ['geojson', 'json'],
    type: 'application/geo+json',
    line: geoJsonFeature,
    start: geoJsonStart,
    between: ',\n',
    end: GEOJSON_END,
    hasRatings: true,
  },
  kml: {
    endings: ['kml'],
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
