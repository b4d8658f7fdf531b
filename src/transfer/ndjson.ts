import { type Properties, parseJson, propertiesOf } from '../kit/objects.ts';
import {
  API_FIELDS,
  type Chunks,
  type Found,
  MAX_RECORD,
  type Notes,
  type SourceEntry,
  TIMES,
  byteTexts,
  decodeText,
  extended,
} from './source.ts';

// The lines about people in an export.
const PEOPLE_TYPES: readonly unknown[] = ['list', 'item', 'visit'];
const OWN_FIELDS = [...API_FIELDS, ...TIMES, 'ratings'];

/**
 * Reads one JSON object per line: a restaurant, or a category or food type if its `type` says so. Lines about people are
 * skipped: only a backup restores them.
 */
export async function* readNdjson(chunks: Chunks, notes: Notes): AsyncGenerator<SourceEntry> {
  let people = 0;
  for await (const found of readLines(chunks)) {
    if ('fault' in found) yield found;
    else if (found.value.trim() !== '') {
      const entry = readLine(found.line, found.value);
      if (entry) yield entry;
      else people += 1;
    }
  }
  if (people > 0) notes.leftOut('lists and visits of people, which only a backup restores', people);
}

/** The entry of a line; undefined for one about people. */
function readLine(line: number, text: string): SourceEntry | undefined {
  const value = parseJson(text);
  if (value === undefined) return { line, fault: 'the line is not valid JSON' };
  const object = propertiesOf(value);
  if (!object) return { line, fault: 'the line is not a JSON object' };
  if (object.get('is_suggestion') === true)
    return { line, fault: 'the line is a suggestion, not a restaurant' };
  const type = object.get('type');
  if (PEOPLE_TYPES.includes(type)) return undefined;
  if (type === 'category' || type === 'food_type')
    return { line, kind: type, fields: new Map([['name', object.get('name')]]) };
  return { line, kind: 'restaurant', fields: restaurantFields(object) };
}

/** A restaurant as the API or an export writes it: lookups are read by their names, ids and averages left out. */
export function restaurantFields(object: Properties): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const name of OWN_FIELDS) if (object.has(name)) fields.set(name, object.get(name));
  if (object.has('category')) fields.set('category', nameIn(object.get('category')));
  const foodTypes = object.get('food_types');
  if (Array.isArray(foodTypes)) fields.set('food_types', foodTypes.map(nameIn));
  // The caller refuses anything but a list.
  else if (foodTypes !== undefined) fields.set('food_types', foodTypes);
  return fields;
}

function nameIn(value: unknown): unknown {
  const record = propertiesOf(value);
  return record ? record.get('name') : value;
}

/** A restaurant with its ratings, a category or anything else as one line. */
export function ndjsonLine(record: object): string {
  return `${JSON.stringify(record)}\n`;
}

/** Lines of a file in UTF-8 as it arrives; of a line over 1 MiB no more than that is ever in memory. */
async function* readLines(chunks: Chunks): AsyncGenerator<Found<string>> {
  let line = 1;
  let text = '';
  for await (const part of byteTexts(chunks)) {
    const [rest = '', ...more] = part.split('\n');
    text = extended(text, rest);
    for (const next of more) {
      yield decoded(line, text);
      line += 1;
      text = next;
    }
  }
  if (text !== '') yield decoded(line, text);
}

function decoded(line: number, text: string): Found<string> {
  if (text.length > MAX_RECORD) return { line, fault: 'the line is longer than 1 MiB' };
  const value = decodeText(text, true);
  return value === undefined ? { line, fault: 'the line is not valid UTF-8' } : { line, value };
}
