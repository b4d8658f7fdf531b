/* eslint-disable no-control-regex -- files of programs begin with such characters */
import { propertiesOf } from '../kit/objects.ts';
import { type RefusalCode, UnreadableFile } from './faults.ts';
import { isCollection } from './json.ts';

/** The structure of a file. */
export type TextContainer = 'csv' | 'lines' | 'json' | 'xml';

/** How much of a file decides, in bytes. */
export const HEAD_SIZE = 64 * 1024;

// Files by their first bytes, one character for each.
const SIGNS: readonly (readonly [sign: RegExp, code: RefusalCode])[] = [
  [/^PK[^]*xl\//, 'workbook'],
  [/^\xd0\xcf\x11\xe0/, 'office'],
  [/^PK[^]*application\/vnd\.oasis\.opendocument/, 'open_document'],
  [/^PK[^]*Index\/[^]*\.iwa/, 'numbers'],
  [/^(?:PK[^]*(?:word|ppt)\/|\{\\rtf)/, 'document'],
  [/^%PDF/, 'pdf'],
  [/^(?:\x89PNG|\xff\xd8\xff|GIF8|RIFF....WEBP|BM....\0\0|II\*\0|MM\0\*|[^]{4}ftyp)/, 'picture'],
  [/^(?:\x1f\x8b|7z\xbc\xaf|Rar!|BZh|\xfd7zXZ|\x28\xb5\x2f\xfd)/, 'packed'],
  [/^SQLite format 3\0/, 'database'],
  [/^(?:PAR1|ARROW1|fgb\x03)/, 'data_file'],
];
// Texts by their beginning.
const WORDS: readonly (readonly [sign: RegExp, code: RefusalCode])[] = [
  [/^BEGIN:VCARD/i, 'contacts'],
  [/^BEGIN:VCALENDAR/i, 'calendar'],
  [/^(?:<[?!][^>]*>\s*)*<html[\s>]|^<!doctype\s+(?:html|netscape)/i, 'web_page'],
  [/^(?:<[?!][^>]*>\s*)*<(?:\w+:)?Workbook[\s>]/, 'workbook'],
  [/^(?:<[?!][^>]*>\s*)*<osm[\s>]/, 'osm_xml'],
  // The locations, searches and photos of an account.
  [/^[[{][^]{0,5000}"(?:latitudeE7|semanticSegments|timelineObjects|photoTakenTime)"\s*:/, 'no_places'],
  [/^\[\s*\{\s*"header"\s*:/, 'no_places'],
];
// A text has at most one zero in this many characters.
const MOST_TEXT = 100;
const ZIP = /^PK(?:\x03\x04|\x05\x06)/;
const JSON_START = /^(?:\x1e|\{\s*["}]|\[\s*(?:[[{"\]]|$))/;

/** True for an archive that begins with `head`. Throws an UnreadableFile for an unsupported kind of file. */
export function isArchive(head: Uint8Array): boolean {
  const bytes = Buffer.from(head).toString('latin1');
  for (const [sign, code] of SIGNS) if (sign.test(bytes)) throw new UnreadableFile(code);
  return ZIP.test(bytes);
}

/** The container of a text that begins with `head`. Throws an UnreadableFile for an unsupported kind of file. */
export function containerOf(head: Uint8Array, encoding: string): TextContainer {
  const text = new TextDecoder(encoding).decode(head).trimStart();
  for (const [sign, code] of WORDS) if (sign.test(text)) throw new UnreadableFile(code);
  // Text has no zeros, except for a damaged byte.
  const zeros = text.split('\0').length - 1;
  if (zeros > Math.max(1, text.length / MOST_TEXT)) throw new UnreadableFile('not_text');
  if (/^<[?!\w]/.test(text)) return 'xml';
  if (!JSON_START.test(text)) return 'csv';
  return hasLines(text) ? 'lines' : 'json';
}

/** Whether JSON has one value a line: the first line is one, or most lines are. */
function hasLines(head: string): boolean {
  if (head.startsWith('[')) return false;
  const lines = head.split('\n').filter((line) => line.trim() !== '');
  // The last may be cut.
  const whole = head.length < HEAD_SIZE / 2 ? lines : lines.slice(0, -1);
  const values = whole.filter((line) => isLine(line)).length;
  const [first = ''] = whole;
  return (isLine(first) && values > 0) || values * 2 > whole.length;
}

function isLine(line: string): boolean {
  const text = line.replace(/^\x1e/, '').trim();
  if (!text.startsWith('{') || !text.endsWith('}')) return false;
  try {
    const fields = propertiesOf(JSON.parse(text));
    // A collection on one line is not a record.
    return fields !== undefined && !isCollection(fields);
  } catch {
    return false;
  }
}
