import { parseNewLookup } from '../catalogue/lookups/input.ts';
import { caseKey } from '../storage/text.ts';
import { cellText } from './cells.ts';
import { readCsvRecords } from './csv-records.ts';
import { type Chunks, type SourceEntry, textOf } from './source.ts';

/** The category for a cuisine; empty or undefined if it has the same name. */
export type CategoryMap = (cuisine: string) => string | undefined;

/** Stands for all cuisines that have no row. */
export const ALL_OTHERS = '*';

// Far more than any catalogue has.
const MAX_ROWS = 10_000;

/**
 * Reads a map of cuisines to categories: CSV in UTF-8 with the columns `cuisine` and `category`; others are ignored. Case
 * does not matter. A cuisine without a category has its own name, as does one without a row, unless there is a row `*`.
 * Adds the faults of the file to `faults`, with their lines.
 */
export async function readCategoryMap(chunks: Chunks, faults: string[]): Promise<CategoryMap> {
  const categories = new Map<string, string>();
  let columns: ReturnType<typeof columnsOf>;
  for await (const record of readCsvRecords(chunks, (cells) => columnsOf(cells) !== undefined)) {
    const fault = (text: string): number => faults.push(`line ${record.line}: ${text}`);
    if (categories.size >= MAX_ROWS) fault(`the map has more than ${MAX_ROWS} cuisines`);
    else if ('fault' in record) fault(record.fault);
    else if (!columns) {
      columns = columnsOf(record.value);
      if (!columns) fault('the header must have the columns cuisine and category');
    } else {
      const cuisine = cellText(record.value[columns.cuisine] ?? '');
      const category = cellText(record.value[columns.category] ?? '');
      const key = caseKey(cuisine);
      const checked = parseNewLookup({ name: category || cuisine });
      if (cuisine === '') fault('the cuisine is missing');
      else if (!checked.ok) fault(`category: ${checked.faults.join('; ')}`);
      else if ((categories.get(key) ?? category) !== category) fault(`${cuisine} has another category above`);
      // An empty category counts too: the cuisine then has its own name, even if there is a row `*`.
      else categories.set(key, category);
    }
    if (faults.length > 0) break;
  }
  if (!columns && faults.length === 0) faults.push('line 1: the file is empty');
  const otherwise = categories.get(ALL_OTHERS);
  return (cuisine) => categories.get(caseKey(cuisine.trim())) ?? otherwise;
}

function columnsOf(cells: readonly string[]) {
  const names = cells.map((cell) => cellText(cell).toLowerCase());
  const [cuisine, category] = [names.indexOf('cuisine'), names.indexOf('category')];
  return cuisine < 0 || category < 0 ? undefined : { cuisine, category };
}

/** Replaces the categories of entries by those of a map; food types stay as they are. */
export async function* withCategories(
  entries: AsyncIterable<SourceEntry>,
  map: CategoryMap,
): AsyncGenerator<SourceEntry> {
  for await (const entry of entries) {
    if ('fault' in entry || entry.kind === 'food_type') {
      yield entry;
      continue;
    }
    const field = entry.kind === 'category' ? 'name' : 'category';
    const cuisine = textOf(entry.fields.get(field));
    const category = cuisine === undefined ? undefined : map(cuisine);
    yield category ? { ...entry, fields: new Map([...entry.fields, [field, category]]) } : entry;
  }
}
