import { isObject } from '../kit/objects.ts';
import { GOOGLE } from '../catalogue/restaurants/field-table.ts';
import { FACT_NAMES, FILE_NAMES, KEYED_NAMES, NUMBER_NAMES } from '../catalogue/restaurants/fields.ts';
import {
  cellNames,
  cellNumber,
  cellPairs,
  cellText,
  priceLevelOf,
  withCity,
  writtenCell,
  writtenNames,
  writtenPairs,
} from './cells.ts';
import { readCsvRecords } from './csv-records.ts';
import { type Chunks, type ExportRecord, type Notes, type SourceEntry, TIMES, isMissing } from './source.ts';
import { savedEntry } from './takeout.ts';

const FIRST_NAMES = FILE_NAMES.filter((name) => !FACT_NAMES.includes(name));
const COLUMNS: readonly string[] = [
  'id',
  ...FIRST_NAMES,
  'category',
  'food_types',
  'status',
  ...TIMES,
  ...FACT_NAMES,
];

// Columns that stand for fields.
const STANDINS: readonly string[] = ['cuisine', 'price', 'city'];
const OTHER_NAMES = {
  name: ['title'],
  latitude: ['lat'],
  longitude: ['lng', 'lon', 'long'],
  website: ['url'],
  description: ['note', 'notes', 'comment'],
};
// A table that has all three columns of stars has ratings, and its comments belong to them.
const STARS = ['food_rating', 'service_rating', 'ambiance_rating'] as const;
const RATING = [...STARS, 'comment'] as const;
const RATING_COLUMNS: ReadonlySet<string> = new Set(RATING);
// The id of an export is known but means nothing to another catalogue.
const ALIASES: ReadonlyMap<string, string> = new Map([
  ...[...COLUMNS, ...STANDINS].map((column) => [column, column] as const),
  ...Object.entries(OTHER_NAMES).flatMap(([column, names]) => names.map((name) => [name, column] as const)),
]);
const NUMERIC: ReadonlySet<string> = new Set([...NUMBER_NAMES, ...STARS, 'id']);
const PAIRS: ReadonlySet<string> = new Set(KEYED_NAMES);
// A saved list of Google Takeout may begin with its description and a blank line.
const HEADER_RECORDS = 5;
// The fields of a saved list of Google Takeout; a table with any other is not one.
const TAKEOUT_COLUMNS: ReadonlySet<string> = new Set(['name', 'website', 'description']);

type Header = NonNullable<ReturnType<typeof headerOf>>;

/**
 * A CSV file whose columns are found by their header: the API's field names, the usual other names, and three that stand
 * for a field: `cuisine`, a list of which the first is the category and all are food types; `price`, currency signs;
 * `city`, which is added to the address. With columns for all three kinds of stars, a row that has stars brings a rating.
 * Also a saved list of Google Takeout.
 */
export async function* readCsv(chunks: Chunks, notes: Notes): AsyncGenerator<SourceEntry> {
  let header: Header | undefined;
  let seen = 0;
  let unreadPrices = 0;
  for await (const record of readCsvRecords(chunks, (cells) => headerOf(cells) !== undefined)) {
    if ('fault' in record) yield record;
    else if (header) yield readRow(header, record.line, record.value, () => (unreadPrices += 1));
    else if ((header = headerOf(record.value))) notes.ignored(header.ignored);
    if (!header && (seen += 1) === HEADER_RECORDS) break;
  }
  if (!header) yield { line: 1, fault: 'no header with a "name" (or "title") column was found' };
  if (unreadPrices > 0) notes.leftOut('price where it is not one to four equal currency signs', unreadPrices);
}

function headerOf(cells: readonly string[]) {
  const names = cells.map(cellText);
  const keys = names.map((name) => name.toLowerCase().replaceAll(' ', '_'));
  const hasRatings = STARS.every((name) => keys.includes(name));
  const columns = keys.map((key) => (hasRatings && RATING_COLUMNS.has(key) ? key : ALIASES.get(key)));
  if (!columns.includes('name')) return undefined;
  const known = columns.filter((column) => column !== undefined);
  const isTakeout =
    keys.includes('title') && keys.includes('url') && known.every((column) => TAKEOUT_COLUMNS.has(column));
  const ignored = names.filter((name, index) => name !== '' && columns[index] === undefined);
  return { ignored, columns, hasRatings, isTakeout };
}

function readRow(
  { columns, hasRatings, isTakeout }: Header,
  line: number,
  cells: readonly string[],
  onUnreadPrice: () => void,
): SourceEntry {
  if (cells.length > columns.length)
    return { line, fault: `the row has ${cells.length} cells, the header ${columns.length}` };
  const fields = new Map<string, unknown>();
  const standins = new Map<string, string[]>(STANDINS.map((name) => [name, []]));
  for (const [index, cell] of cells.entries()) {
    const column = columns[index];
    if (column === undefined) continue;
    const standin = standins.get(column);
    if (standin) standin.push(cell);
    else setField(fields, column, cell);
  }
  const cuisines = (standins.get('cuisine') ?? []).flatMap(cellNames);
  const foodTypes = fields.get('food_types');
  // Columns with the API's names take precedence over cuisines, a price level over currency signs.
  if (columns.includes('cuisine')) {
    if (isMissing(fields, 'category')) fields.set('category', cuisines[0] ?? null);
    if (!Array.isArray(foodTypes) || foodTypes.length === 0) fields.set('food_types', cuisines);
  }
  for (const price of standins.get('price') ?? []) {
    const level = priceLevelOf(price);
    if (level === undefined && cellText(price) !== '') onUnreadPrice();
    if (level !== undefined && isMissing(fields, 'price_level')) fields.set('price_level', level);
  }
  for (const city of (standins.get('city') ?? []).map(cellText))
    if (city !== '') fields.set('address', withCity(fields.get('address'), city));
  if (hasRatings) takeRating(fields);
  return isTakeout ? savedEntry(line, fields) : { line, kind: 'restaurant', fields };
}

/** Makes a rating of the stars and comment in a row. Without stars, the comment is about the place. */
function takeRating(fields: Map<string, unknown>): void {
  const comment = fields.get('comment');
  if (STARS.some((name) => !isMissing(fields, name)))
    fields.set('ratings', [Object.fromEntries(RATING.map((name) => [name, fields.get(name) ?? null]))]);
  else if (typeof comment === 'string') setField(fields, 'description', comment);
  for (const name of RATING) fields.delete(name);
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
  if (NUMERIC.has(column)) return cellNumber(cell);
  if (PAIRS.has(column)) return cellText(cell) === '' ? null : cellPairs(cell);
  return column === 'food_types' ? cellNames(cell) : cellText(cell) || null;
}

/** The header line of an export. */
export function csvHeader(): string {
  return `${COLUMNS.join(',')}\r\n`;
}

/** One line of an export. */
export function csvLine(record: ExportRecord): string {
  // The id at Google has a separate column.
  const { [GOOGLE]: _ownColumn, ...external_ids } = record.external_ids;
  const values = new Map<string, unknown>(Object.entries({ ...record, external_ids }));
  const cells = COLUMNS.map((column) => {
    const value = values.get(column);
    if (value === null) return '';
    if (typeof value === 'number') return String(value);
    if (typeof value === 'string') return writtenCell(value);
    return isObject(value) ? writtenPairs(value) : writtenNames(record.food_types);
  });
  return `${cells.join(',')}\r\n`;
}
