import { restaurantFields } from './json-fields.ts';
import { readLines } from './lines.ts';
import { type Chunks, type ExportRecord, type SourceEntry, faultAt, fieldsOf } from './source.ts';

/** One JSON object a line: a restaurant, or a category or food type by its `type`. */
export async function* readNdjson(chunks: Chunks): AsyncGenerator<SourceEntry> {
  for await (const line of readLines(chunks)) {
    if ('fault' in line) yield faultAt(line.line, line.fault);
    else if (line.text.trim() !== '') yield readLine(line.line, line.text);
  }
}

function readLine(line: number, text: string): SourceEntry {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return faultAt(line, 'the line is not valid JSON');
  }
  const object = fieldsOf(value);
  if (!object) return faultAt(line, 'the line is not a JSON object');
  if (object.get('is_suggestion') === true)
    return faultAt(line, 'the line is a suggestion, not a restaurant');
  const type = object.get('type');
  if (type === 'category' || type === 'food_type')
    return { line, kind: type, fields: new Map([['name', object.get('name')]]) };
  return { line, kind: 'restaurant', fields: restaurantFields(object) };
}

/** A restaurant with its ratings as one line. */
export function ndjsonLine(record: ExportRecord): string {
  return `${JSON.stringify(record)}\n`;
}

/** A category or food type as one line. */
export function ndjsonLookupLine(type: 'category' | 'food_type', name: string): string {
  return `${JSON.stringify({ type, name })}\n`;
}
