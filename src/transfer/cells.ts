import { splitCells } from './csv-records.ts';

// A decimal comma can occur in quotes, or where another character separates cells.
const DECIMAL = /^[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)$/;
// Spreadsheets leave such text unchanged, for example a number with leading zeros.
const TEXT_FORMULA = /^="((?:[^"]|"")*)"$/;
const FORMULA = /^'*[=+\-@\t\r]/;
const GUARDED_FORMULA = /^'+[=+\-@\t\r]/;
// The separators of cells, and those of the lists of names that people write.
const SPECIAL = /[",;\r\n\t]|^\s|\s$/;
const BETWEEN_NAMES = /[",;|/、，；،\r\n\t]|^[\s[]|\s$/;

/** The text of a cell as its author sees it: the content of `="…"`, and a guarded formula without its guard. */
export function cellText(cell: string): string {
  const text = cell.trim();
  const content = TEXT_FORMULA.exec(text)?.[1];
  if (content !== undefined) return content.replaceAll('""', '"').trim();
  return GUARDED_FORMULA.test(text) ? text.slice(1) : text;
}

/** The number in a cell, with a decimal point or comma; any other text unchanged, and null for an empty cell. */
export function cellNumber(cell: string): number | string | null {
  const text = cellText(cell);
  return DECIMAL.test(text) ? Number(text.replace(',', '.')) : text || null;
}

/** The names in a cell: CSV inside CSV. */
export function cellNames(cell: string): readonly string[] {
  return splitCells(cellText(cell))
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** The values by their keys of a cell such as `vegan=only,halal=yes`; an empty text for a key without one. */
export function cellPairs(cell: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    cellNames(cell).map((pair) => {
      const [key = '', value = ''] = pair.split(/=(.*)/s, 2);
      return [key.trim(), value.trim()];
    }),
  );
}

/** A cell of an export. Text that a spreadsheet would run as a formula has a `'` in front. */
export function writtenCell(text: string): string {
  return quoted(FORMULA.test(text) ? `'${text}` : text);
}

/** A list in one cell: CSV inside CSV. */
export function writtenNames(names: readonly string[]): string {
  return writtenCell(writtenList(names));
}

/** A list as one text, which `splitCells` reads. */
export function writtenList(names: readonly string[]): string {
  return names.map((name) => quoted(name, BETWEEN_NAMES)).join(',');
}

/** A number without an exponent. */
export function plainNumber(value: number): string {
  const text = String(value);
  return text.includes('e') ? value.toFixed(30).replace(/\.?0+$/, '') : text;
}

/** JSON whose numbers have no exponents. */
export function plainJson(value: object): string {
  const text = JSON.stringify(value, (_key, one: unknown) =>
    typeof one === 'number' && String(one).includes('e') ? `\u0001${plainNumber(one)}` : one,
  );
  return text.replace(/"\\u0001(-?[\d.]+)"/g, '$1');
}

/** The values that are not null, as a list of `key=value` in one cell. */
export function writtenPairs(values: object): string {
  const known = Object.entries(values).filter(([, value]) => value !== null);
  return writtenNames(known.map(([key, value]) => `${key}=${String(value)}`));
}

function quoted(text: string, special = SPECIAL): string {
  return special.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
