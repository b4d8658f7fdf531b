const AS_CSV = 'as CSV (UTF-8)';
const AS_TABLE = `Put the places into a table and save it ${AS_CSV}.`;

/** Why a file is refused, and what to do: one sentence for each code. */
const REFUSALS = {
  workbook: `This is an Excel workbook. Save it ${AS_CSV}.`,
  office: `This is an Office file of an old kind. If it is a table, save it ${AS_CSV}.`,
  open_document: `This is an OpenDocument file. If it is a table, save it ${AS_CSV}.`,
  numbers: `This is a Numbers or Pages document. Export it ${AS_CSV}.`,
  document: `This is a document, not a table. ${AS_TABLE}`,
  pdf: `This is a PDF. ${AS_TABLE}`,
  picture: 'This is a picture or a film. Add photos on the page of a place.',
  packed: 'This is a packed file of a kind that is not read. Unpack it first, or pack it as .zip.',
  database:
    'This is a database. If it is a backup of this catalogue, restore it with: catalogue restore FILE.',
  data_file: 'This is a data file of a kind that is not read. Save it as CSV or GeoJSON.',
  contacts: 'These are contacts (vCard). Save the places as CSV.',
  calendar: 'This is a calendar, which has no places.',
  web_page: 'This is a web page. Download the file itself, and import that.',
  osm_xml: 'This is OpenStreetMap data as XML. Export it as GeoJSON, or as JSON of Overpass.',
  other_xml: 'This file is XML of a kind that is not read. KML and GPX are.',
  document_type: 'This file has a document type, which is not read. Export it again as plain KML.',
  link_only:
    'This file only links to another one on the web. Open it in Google Maps or Google Earth, export it as KML without "keep data up to date", and import that.',
  not_text: `This file is not a text. Save the places ${AS_CSV}.`,
  no_header:
    'This table has no column with the names of places. Its first row must say what the columns are: name, address, …',
  labels: 'These are the labels of a Google account, such as "Home". They are private, and are not imported.',
  other_positions:
    'The positions of this file are in {}. Export it with WGS 84 (EPSG:4326), that is with longitude and latitude.',
  damaged: 'This archive is damaged. Pack it again.',
  too_large:
    'This archive has more than 1,000 files or 100 MB, or grows more than 200-fold. Unpack it, and import the files that have places.',
  encrypted: 'This file is encrypted, or packed in a way that is not read. Unpack it first.',
  archive_within: 'This is an archive within the archive. Unpack it first.',
  no_places: 'This file holds no places.',
  admins_only:
    'Only administrators may import such a file; others import saved places of Google Takeout, KML and GPX',
} as const;

/** Why one record is refused. */
const FAULTS = {
  no_name: 'a place without a name{}',
  not_valid: '{}',
  same_line: 'the same restaurant as on line {}',
  exists: '{}',
  list_full: '{}',
  gone: 'the restaurant is gone',
  too_long: 'the record is longer than 1 MiB',
  many_cells: 'the row has more than 10,000 cells',
  more_cells:
    'the row has more cells than the header ({}); text that has the separator in it must be in quotes',
  open_quote: 'a quote is not closed',
  bad_bytes: 'the record has bytes that are no characters',
  not_json: 'the record is not valid JSON',
  not_object: 'the record is not a JSON object',
  suggestion: 'the record is a suggestion, not a restaurant',
  cut_short: 'the file ends in the middle',
  brackets: 'a bracket does not match, the rest of the file is not read',
  rest: 'a place is longer than 1 MiB, and the rest of the file is not read',
} as const;

/** The file could be imported by a user with other rights. */
export const ADMINS_ONLY = 'admins_only';

export type RefusalCode = keyof typeof REFUSALS;
export type FaultCode = keyof typeof FAULTS;

/** Why a part of a file could not be read. `line` counts from 1 and is where the part begins. */
export interface Fault {
  readonly line: number;
  readonly fault: string;
  readonly code: FaultCode;
}

/** A fault with its sentence, in which `detail` stands for `{}`. */
export function faultAt(line: number, code: FaultCode, detail = ''): Fault {
  return { line, code, fault: FAULTS[code].replace('{}', () => detail) };
}

/** A file that cannot be read, with a sentence on what to do. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
  readonly code: RefusalCode;

  constructor(code: RefusalCode, detail = '') {
    super(REFUSALS[code].replace('{}', () => detail));
    this.code = code;
  }
}
