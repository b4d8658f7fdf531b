import { isObject } from '../kit/objects.ts';
import { GOOGLE } from '../catalogue/restaurants/field-table.ts';
import { FACT_NAMES, FILE_NAMES, KEYED_NAMES, NUMBER_NAMES } from '../catalogue/restaurants/fields.ts';
import {
  cellNames,
  cellNumber,
  cellPairs,
  cellText,
  plainNumber,
  writtenCell,
  writtenNames,
  writtenPairs,
} from './cells.ts';
import { readCsvRecords } from './csv-records.ts';
import { type Fault, UnreadableFile, faultAt } from './faults.ts';
import { OSM_IDS } from './json-places.ts';
import { NameReader } from './names.ts';
import type { Notes } from './notes.ts';
import { type Chunks, type ExportRecord, type Raw, TIMES } from './source.ts';
import { isPlaceLink } from './takeout.ts';

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
// Every export of ours has these columns.
const OWN_COLUMNS = ['id', 'name', 'google_place_id', 'category', 'food_types', ...TIMES];
const NUMERIC: ReadonlySet<string> = new Set(NUMBER_NAMES);
const PAIRS: ReadonlySet<string> = new Set(KEYED_NAMES);
// The only columns of a saved list, under any name. A table with another one is not a saved list.
const SAVED: ReadonlySet<string | undefined> = new Set([
  undefined,
  ...['name', 'website', 'map_link', 'description', 'comment', 'category'],
]);
const MOST_SAVED_COLUMNS = 8;
// A saved list may begin with its description and a blank line.
const HEADER_RECORDS = 5;
const RULE = /^\s*(?::?-{3,}:?)?\s*$/;
// Nearly all rows.
const MOST = 0.8;
// Empty cells do not count. A score is that of a test or a critic.
const NUMBER = /^(?:[-+]?\d+(?:[.,]\d*)?)?$/;
const SCORE = /^(?:\d{1,3}(?:[.,]\d+)?(?:\s*\/\s*\d{1,3})?)?$/;
// This many rows show which column has the links.
const FIRST_ROWS = 20;

type Row = readonly string[];
type Record = Fault | { readonly line: number; readonly value: Row };
type Header = ReturnType<typeof headerOf>;

/**
 * A CSV file whose columns are found by their header, or a saved list of Google Takeout, which is known by the links in one of
 * its columns. Throws an UnreadableFile for a table without a header.
 */
export async function* readCsv(chunks: Chunks, notes: Notes): AsyncGenerator<Fault | Raw> {
  const names = new NameReader();
  const targetOf = (name: string): string | undefined => names.targetOf(name)?.target;
  const isHeader = (cells: Row): boolean => cells.some((cell) => targetOf(cellText(cell)) === 'name');
  let first: Record[] = [];
  let header: Header | undefined;
  const read = function* (records: readonly Record[]): Generator<Fault | Raw> {
    for (const record of records) {
      const raw = 'fault' in record || !header ? record : readRow(header, record.line, record.value, notes);
      if (raw && !('value' in raw)) yield raw;
    }
  };
  for await (const record of readCsvRecords(chunks, (cells) => isHeader(cells) || cells.some(isPlaceLink))) {
    if (header) yield* read([record]);
    else if (first.push(record) === FIRST_ROWS) {
      header = headerOf(first, isHeader, targetOf, notes);
      yield* read(first.slice(header.at));
      first = [];
    }
  }
  if (header) return;
  header = headerOf(first, isHeader, targetOf, notes);
  yield* read(first.slice(header.at));
}

/** The columns of a table, and where in `first` its rows begin. */
function headerOf(
  first: readonly Record[],
  isHeader: (cells: Row) => boolean,
  targetOf: (name: string) => string | undefined,
  notes: Notes,
) {
  const rows = first.map((record) => ('value' in record ? record.value : []));
  const linked = rows.findIndex((cells) => cells.some(isPlaceLink));
  const named = rows.slice(0, HEADER_RECORDS).findIndex(isHeader);
  // Without a known word: the row above the first link, or above those of a list without any place.
  const listed = rows.slice(0, HEADER_RECORDS).findIndex((_row, index) => isListOfLinks(rows.slice(index)));
  const at = named >= 0 ? named : linked >= 0 ? linked - 1 : listed;
  const head = rows[at]?.map(cellText);
  if (!head || head.every((cell) => cell === '')) throw new UnreadableFile('no_header');
  const links = head.findIndex((_name, column) =>
    rows.slice(at + 1).some((cells) => isPlaceLink(cells[column] ?? '')),
  );
  const targets = head.map(targetOf);
  const isTakeout =
    (/^url$/i.test(head[2] ?? '') && !/^name$/i.test(head[0] ?? '')) || (named < 0 && linked < 0);
  const isSaved =
    (links >= 0 || isTakeout) &&
    head.length <= MOST_SAVED_COLUMNS &&
    targets.every((target) => SAVED.has(target));
  const isOwn = OWN_COLUMNS.every((name) => head.includes(name));
  const below = rows.slice(at + 1);
  const columns = isSaved ? savedColumns(head, links >= 0 ? links : 2) : tableColumns(head, below, isOwn);
  for (const [index, name] of head.entries()) {
    const column = columns[index] ?? '';
    const target = targetOf(column);
    const field = isSaved && target === 'description' ? 'note' : target;
    if (name !== '' && field !== undefined && field !== name) notes.taken(name, field);
  }
  notes.readAs = isSaved ? 'saved_list' : 'csv';
  return {
    at: at + 1,
    columns,
    names: head,
    isSaved,
    isOwn,
    link: isSaved ? columns.indexOf('map_link') : -1,
  };
}

/**
 * Whether the first of these rows is the header of a saved list in a language that is not known, which has no places: the third
 * column has links, and the one before it few notes.
 */
function isListOfLinks([head = [], ...rows]: readonly Row[]): boolean {
  const isLink = (cells: Row | undefined): boolean => /^https?:\/\//i.test(cells?.[2]?.trim() ?? '');
  const filled = rows.filter((cells) => cells.length > 1);
  const isNoted = filled.filter((cells) => cells[1]?.trim() !== '').length * 2 > filled.length;
  return (
    head.length >= 3 &&
    head.length <= 5 &&
    !isLink(head) &&
    (/url/i.test(head[2] ?? '') || !isNoted) &&
    filled.length > 0 &&
    filled.filter(isLink).length >= filled.length * MOST
  );
}

/** The columns of a table without those whose values do not fit their names. */
function tableColumns(head: readonly string[], rows: readonly Row[], isOwn: boolean): readonly string[] {
  if (isOwn) return head;
  const isAll = (column: number, pattern: RegExp): boolean =>
    rows.every((cells) => pattern.test(cellText(cells[column] ?? '')));
  const isPair = ['x', 'y'].every((axis) => {
    const column = head.findIndex((name) => name.toLowerCase() === axis);
    return column >= 0 && isAll(column, NUMBER);
  });
  const isTagged = OSM_IDS.some((name) => head.includes(name));
  return head.map((name, column) => {
    if (/^[xy]$/i.test(name)) return isPair ? name : '';
    if (/^note$/i.test(name) && isTagged) return '';
    return /^not[ae]$/i.test(name) && isAll(column, SCORE) ? '' : name;
  });
}

/** The columns of a saved list: the title, the note before the link, and a comment at the end. */
function savedColumns(head: readonly string[], link: number): readonly string[] {
  const title = head.findIndex((name, index) => index !== link && name !== '');
  const last = head.length - 1;
  return head.map((name, index) => {
    if (index === link) return 'map_link';
    if (index === title) return 'name';
    if (index === link - 1) return 'description';
    return index === last && index > link && !/^tags?$/i.test(name) ? 'comment' : '';
  });
}

/** Undefined for a row that is not a place. */
function readRow(
  { columns, names, isSaved, isOwn, link }: Header,
  line: number,
  cells: Row,
  notes: Notes,
): Fault | Raw | undefined {
  if (cells.slice(columns.length).some((cell) => cell.trim() !== ''))
    return faultAt(line, 'more_cells', `${cells.length} instead of ${columns.length}`);
  // Between the header and the rows of a table in Markdown.
  if (cells.every((cell) => RULE.test(cell))) return undefined;
  const address = cells[link] ?? '';
  if (isSaved && address.trim() !== '' && !isPlaceLink(address)) {
    notes.notPlaces += 1;
    return undefined;
  }
  const values: [string, unknown][] = [];
  for (const [index, cell] of cells.entries()) {
    const name = columns[index] ?? '';
    const text = cellText(cell);
    if (text === '') continue;
    if (name !== '') values.push([name, isOwn ? ownValue(name, cell) : text]);
    else if (names[index]) notes.ignored(names[index], text);
  }
  return { line, kind: 'restaurant', values, isSaved, isOwn };
}

/** A cell of an export of ours. */
function ownValue(column: string, cell: string): unknown {
  if (NUMERIC.has(column)) return cellNumber(cell);
  if (PAIRS.has(column)) return cellPairs(cell);
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
    if (typeof value === 'number') return plainNumber(value);
    if (typeof value === 'string') return writtenCell(value);
    return isObject(value) ? writtenPairs(value) : writtenNames(record.food_types);
  });
  return `${cells.join(',')}\r\n`;
}
