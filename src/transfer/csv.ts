import { readCsvRecords, splitCells } from './csv-records.ts';
import { PLAIN_FIELDS, type Chunks, type ExportRecord, type SourceEntry, faultAt } from './source.ts';
import { readTakeoutRow } from './takeout.ts';

const COLUMNS = [
  'id',
  ...PLAIN_FIELDS,
  'category',
  'food_types',
  'status',
  'created_at',
  'updated_at',
] as const;

type Column = (typeof COLUMNS)[number] | 'cuisine';

// The id of an export is known but means nothing to another catalogue.
const ALIASES: ReadonlyMap<string, Column> = new Map<string, Column>([
  ...COLUMNS.map((column) => [column, column] as const),
  ['cuisine', 'cuisine'],
  ['title', 'name'],
  ['lat', 'latitude'],
  ['lng', 'longitude'],
  ['lon', 'longitude'],
  ['long', 'longitude'],
  ['url', 'website'],
  ['note', 'description'],
  ['notes', 'description'],
  ['comment', 'description'],
]);
const NUMERIC: ReadonlySet<string> = new Set(['latitude', 'longitude', 'id']);
// A saved list of Google Takeout may begin with its description and a blank line.
const HEADER_RECORDS = 5;
const FORMULA = /^'*[=+\-@\t\r]/;
const GUARDED_FORMULA = /^'+[=+\-@\t\r]/;

interface Header {
  readonly names: readonly string[];
  readonly columns: readonly (Column | undefined)[];
  readonly isTakeout: boolean;
}

/**
 * A CSV file whose columns are found by their header: the API's field names, the usual other names, and `cuisine`, a
 * list of which the first is the category and all are food types. Also a saved list of Google Takeout.
 */
export async function* readCsv(
  chunks: Chunks,
  onIgnored: (columns: readonly string[]) => void,
): AsyncGenerator<SourceEntry> {
  let header: Header | undefined;
  let seen = 0;
  for await (const record of readCsvRecords(chunks)) {
    if ('fault' in record) yield faultAt(record.line, record.fault);
    else if (header) yield readRow(header, record.line, record.cells);
    else {
      seen += 1;
      header = headerOf(record.cells);
      if (header) onIgnored(header.names.filter((_, index) => header?.columns[index] === undefined));
      else if (seen === HEADER_RECORDS) break;
    }
  }
  if (!header) yield faultAt(1, 'no header with a "name" (or "title") column was found');
}

function headerOf(cells: readonly string[]): Header | undefined {
  const names = cells.map((cell) => cell.trim());
  const keys = names.map((name) => name.toLowerCase().replaceAll(' ', '_'));
  const columns = keys.map((key) => ALIASES.get(key));
  if (!columns.includes('name')) return undefined;
  const isTakeout = keys.includes('title') && keys.includes('url') && !columns.includes('address');
  return { names, columns, isTakeout };
}

function readRow({ names, columns, isTakeout }: Header, line: number, cells: readonly string[]): SourceEntry {
  if (cells.length > columns.length)
    return faultAt(line, `the row has ${cells.length} cells, the header ${columns.length}`);
  const fields = new Map<string, unknown>();
  for (const [index, cell] of cells.entries()) {
    const column = columns[index];
    if (isTakeout) fields.set((names[index] ?? '').toLowerCase(), cell.trim());
    else if (column !== undefined) setField(fields, column, cell.trim());
  }
  return { line, kind: 'restaurant', fields: isTakeout ? readTakeoutRow(fields) : fields };
}

function setField(fields: Map<string, unknown>, column: Column, cell: string): void {
  const text = GUARDED_FORMULA.test(cell) ? cell.slice(1) : cell;
  if (column === 'cuisine' || column === 'food_types') {
    const names = splitCells(text)
      .map((name) => name.trim())
      .filter((name) => name !== '');
    fields.set('food_types', names);
    if (column === 'cuisine') fields.set('category', names[0] ?? null);
  } else if (NUMERIC.has(column))
    fields.set(column, /^[+-]?\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell || null);
  else if (!(column === 'description' && text === '' && fields.has('description')))
    fields.set(column, text || null);
}

/** The header line of an export. */
export function csvHeader(): string {
  return `${COLUMNS.join(',')}\r\n`;
}

/** One line of an export. Text that a spreadsheet would run as a formula gets a `'` in front. */
export function csvLine(record: ExportRecord): string {
  const cells = COLUMNS.map((column) => {
    const value = record[column];
    if (value === null) return '';
    if (typeof value === 'number') return String(value);
    const text = typeof value === 'string' ? value : value.map(quoted).join(',');
    return quoted(FORMULA.test(text) ? `'${text}` : text);
  });
  return `${cells.join(',')}\r\n`;
}

function quoted(text: string): string {
  return /[",;\r\n\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
