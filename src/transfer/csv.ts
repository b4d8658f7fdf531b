import { FACT_NAMES, FILE_NAMES, NUMBER_NAMES } from '../restaurants/fields.ts';
import { readCsvRecords, splitCells } from './csv-records.ts';
import { type Chunks, type ExportRecord, type SourceEntry, TIMES } from './source.ts';
import { withPlaceInUrl } from './takeout.ts';

const FIRST_NAMES = FILE_NAMES.filter((name) => !FACT_NAMES.includes(name));
const COLUMNS: readonly string[] = [
  ...['id', ...FIRST_NAMES, 'category', 'food_types', 'status', ...TIMES],
  ...FACT_NAMES,
];

const OTHER_NAMES = {
  cuisine: ['cuisine'],
  name: ['title'],
  latitude: ['lat'],
  longitude: ['lng', 'lon', 'long'],
  website: ['url'],
  description: ['note', 'notes', 'comment'],
};
// The id of an export is known but means nothing to another catalogue.
const ALIASES: ReadonlyMap<string, string> = new Map([
  ...COLUMNS.map((column) => [column, column] as const),
  ...Object.entries(OTHER_NAMES).flatMap(([column, names]) => names.map((name) => [name, column] as const)),
]);
const NUMERIC: ReadonlySet<string> = new Set([...NUMBER_NAMES, 'id']);
// A saved list of Google Takeout may begin with its description and a blank line.
const HEADER_RECORDS = 5;
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;
// The fields of a saved list of Google Takeout; a table with any other is no such list.
const TAKEOUT_COLUMNS: ReadonlySet<string> = new Set(['name', 'website', 'description']);
const FORMULA = /^'*[=+\-@\t\r]/;
const GUARDED_FORMULA = /^'+[=+\-@\t\r]/;

type Header = NonNullable<ReturnType<typeof headerOf>>;

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
  for await (const record of readCsvRecords(chunks, (cells) => headerOf(cells) !== undefined)) {
    if ('fault' in record) yield record;
    else if (header) yield readRow(header, record.line, record.value);
    else if ((header = headerOf(record.value))) onIgnored(header.ignored);
    if (!header && (seen += 1) === HEADER_RECORDS) break;
  }
  if (!header) yield { line: 1, fault: 'no header with a "name" (or "title") column was found' };
}

function headerOf(cells: readonly string[]) {
  const names = cells.map((cell) => cell.trim());
  const keys = names.map((name) => name.toLowerCase().replaceAll(' ', '_'));
  const columns = keys.map((key) => ALIASES.get(key));
  if (!columns.includes('name')) return undefined;
  const known = columns.filter((column) => column !== undefined);
  const isTakeout =
    keys.includes('title') && keys.includes('url') && known.every((column) => TAKEOUT_COLUMNS.has(column));
  const ignored = names.filter((name, index) => name !== '' && columns[index] === undefined);
  return { ignored, columns, isTakeout };
}

function readRow({ columns, isTakeout }: Header, line: number, cells: readonly string[]): SourceEntry {
  if (cells.length > columns.length)
    return { line, fault: `the row has ${cells.length} cells, the header ${columns.length}` };
  const fields = new Map<string, unknown>();
  const cuisines: string[] = [];
  for (const [index, cell] of cells.entries()) {
    const column = columns[index];
    if (column === 'cuisine') cuisines.push(...namesIn(cell));
    else if (column !== undefined) setField(fields, column, cell.trim());
  }
  if (columns.includes('cuisine')) setCuisines(fields, cuisines);
  return { line, kind: 'restaurant', fields: isTakeout ? withPlaceInUrl(fields) : fields };
}

/** Of several columns for one field the first with a value counts; texts of descriptions are joined. */
function setField(fields: Map<string, unknown>, column: string, cell: string): void {
  const present = fields.get(column) ?? null;
  const value = valueOf(column, cell);
  if (present === null || (Array.isArray(present) && present.length === 0)) fields.set(column, value);
  else if (column === 'description' && typeof present === 'string' && typeof value === 'string')
    fields.set(column, `${present}\n${value}`);
}

function valueOf(column: string, cell: string): unknown {
  if (NUMERIC.has(column)) return DECIMAL.test(cell) ? Number(cell) : cell || null;
  return column === 'food_types' ? namesIn(cell) : unguarded(cell) || null;
}

/** Columns of the API's own names go before cuisines. */
function setCuisines(fields: Map<string, unknown>, cuisines: readonly string[]): void {
  if ((fields.get('category') ?? null) === null) fields.set('category', cuisines[0] ?? null);
  const foodTypes = fields.get('food_types');
  if (!Array.isArray(foodTypes) || foodTypes.length === 0) fields.set('food_types', cuisines);
}

function namesIn(cell: string): readonly string[] {
  return splitCells(unguarded(cell.trim()))
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function unguarded(cell: string): string {
  return GUARDED_FORMULA.test(cell) ? cell.slice(1) : cell;
}

/** The header line of an export. */
export function csvHeader(): string {
  return `${COLUMNS.join(',')}\r\n`;
}

/** One line of an export. Text that a spreadsheet would run as a formula gets a `'` in front. */
export function csvLine(record: ExportRecord): string {
  const values = new Map<string, unknown>(Object.entries(record));
  const cells = COLUMNS.map((column) => {
    const value = values.get(column);
    if (value === null) return '';
    if (typeof value === 'number') return String(value);
    const text = typeof value === 'string' ? value : record.food_types.map(quoted).join(',');
    return quoted(FORMULA.test(text) ? `'${text}` : text);
  });
  return `${cells.join(',')}\r\n`;
}

function quoted(text: string): string {
  return /[",;\r\n\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
