import { restaurantFields } from './json-fields.ts';
import { decodeText, withoutMark } from './bytes.ts';
import { type Chunks, type ExportRecord, MAX_RECORD, type SourceEntry, faultAt, fieldsOf } from './source.ts';

const LINE_FEED = 0x0a;

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

/** One line of a text file, or why it could not be read. */
type Line =
  { readonly line: number; readonly text: string } | { readonly line: number; readonly fault: string };

/** Lines of a file in UTF-8 as it arrives; of a line over 1 MiB no more than that is ever in memory. */
async function* readLines(chunks: Chunks): AsyncGenerator<Line> {
  let line = 1;
  let parts: Uint8Array[] = [];
  let size = 0;

  function add(part: Uint8Array): void {
    size += part.length;
    if (size <= MAX_RECORD) parts.push(part);
    else parts = [];
  }

  function take(): Line {
    const read = size > MAX_RECORD ? { line, fault: 'the line is longer than 1 MiB' } : decoded(line, parts);
    line += 1;
    parts = [];
    size = 0;
    return read;
  }

  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      add(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    add(chunk.subarray(start));
  }
  if (size > 0) yield take();
}

function decoded(line: number, parts: readonly Uint8Array[]): Line {
  const text = decodeText(Buffer.concat(parts));
  return text === undefined
    ? { line, fault: 'the line is not valid UTF-8' }
    : { line, text: withoutMark(text) };
}
