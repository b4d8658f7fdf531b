import { asHtml, asXml } from '../kit/static-files.ts';
import {
  type Chunks,
  type ExportRecord,
  MAX_RECORD,
  type Notes,
  type SourceEntry,
  byteTexts,
  decodeText,
} from './source.ts';
import { savedEntry } from './takeout.ts';

// Tags may have the prefix of a namespace.
const START = /<(?:[\w-]+:)?Placemark[\s>]/;
const END = /<\/(?:[\w-]+:)?Placemark\s*>/;
const ROOT = /<(?:[\w-]+:)?kml[\s>]/;
const ROOT_END = /<\/(?:[\w-]+:)?kml\s*>/;
const [TITLE, ADDRESS, DESCRIPTION] = [elementOf('name'), elementOf('address'), elementOf('description')];
const COORDINATES = elementOf('coordinates');
const POINT = /<(?:[\w-]+:)?Point[\s>]/;
const LINE_ENDS = /<br\s*\/?>|<\/(?:p|div|li|tr)>/gi;
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const NO_KML = { line: 1, fault: 'the file is not KML, or has a document type, which is not read' };

/** Matches an element that has text alone. */
function elementOf(name: string): RegExp {
  return new RegExp(`<(?:[\\w-]+:)?${name}(?:\\s[^<>]*)?>([^<]*)</`);
}

/**
 * Reads the placemarks of a KML file (OGC 12-007r2) that are points, such as My Maps and Organic Maps export, in folders or
 * not. The name of the document is that of the list. A file with a document type is refused, and of entities only those of XML
 * itself are known.
 */
export async function* readKml(chunks: Chunks, notes: Notes): AsyncGenerator<SourceEntry> {
  let [rest, line, isHead] = ['', 1, true];
  for await (const text of byteTexts(chunks)) {
    const parts = (rest + text).split(END);
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const start = START.exec(part)?.index ?? 0;
      if (isHead) {
        const head = withoutMarks(part.slice(0, start));
        if (!isKml(head)) {
          yield NO_KML;
          return;
        }
        const title = textIn(TITLE, head)?.trim() ?? '';
        if (title !== '') notes.named?.(title);
        isHead = false;
      }
      yield readPlacemark(line + linesIn(part.slice(0, start)), withoutMarks(part.slice(start)));
      line += linesIn(part);
    }
    if (rest.length <= MAX_RECORD) continue;
    yield { line, fault: 'a place is longer than 1 MiB, and the rest of the file is not read' };
    return;
  }
  if (isHead && !isKml(withoutMarks(rest))) yield NO_KML;
  else if (!ROOT_END.test(rest)) yield { line, fault: 'the file ends in the middle' };
}

function isKml(head: string): boolean {
  return ROOT.test(head) && !head.includes('<!');
}

function readPlacemark(line: number, part: string): SourceEntry {
  const fields = new Map<string, unknown>([
    ['name', textIn(TITLE, part)],
    ['address', textIn(ADDRESS, part)],
    ['description', textIn(DESCRIPTION, part)?.replace(LINE_ENDS, '\n')],
  ]);
  const coordinates = textIn(COORDINATES, part)?.trim() ?? '';
  if (coordinates === '') return savedEntry(line, fields);
  if (!POINT.test(part)) return { line, fault: 'the placemark is not a point' };
  const [longitude, latitude] = coordinates.split(/[\s,]+/).map((text) => parseFloat(text));
  return savedEntry(line, fields.set('longitude', longitude).set('latitude', latitude));
}

/**
 * XML without its comments, its sections for characters like any other text. Both also end with the part: otherwise each of
 * thousands without an end would be searched to the last character.
 */
function withoutMarks(part: string): string {
  return part
    .replace(/<!--[^]*?(?:-->|$)/g, '')
    .replace(/<!\[CDATA\[([^]*?)(?:\]\]>|$)/g, (_, text: string) => asHtml(text));
}

function linesIn(part: string): number {
  return part.split('\n').length - 1;
}

/** The text of the first such element, empty if there is none; undefined if it is not UTF-8. */
function textIn(element: RegExp, part: string): string | undefined {
  const text = decodeText(element.exec(part)?.[1] ?? '', false);
  return text?.replace(ENTITY, (entity, decimal?: string, hex?: string, name?: string) => {
    const code = decimal === undefined ? parseInt(hex ?? '', 16) : Number(decimal);
    return ENTITIES[name?.toLowerCase() ?? ''] ?? (code <= 0x10ffff ? String.fromCodePoint(code) : entity);
  });
}

/** The text before the first placemark of an export. */
export function kmlStart(listName?: string): string {
  const name = listName === undefined ? '' : `<name>${asXml(listName)}</name>\n`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<kml xmlns="http://www.opengis.net/kml/2.2"><Document>\n${name}`;
}
/** The text after the last. */
export const KML_END = '</Document></kml>\n';

/** A restaurant as a placemark: what KML has no element for is extended data. */
export function kmlPlacemark(record: ExportRecord): string {
  const { name, address, phone, description, latitude, longitude, food_types, ...others } = record;
  const element = (tag: string, value: unknown): string =>
    typeof value === 'string' || typeof value === 'number' ? `<${tag}>${asXml(String(value))}</${tag}>` : '';
  const data = Object.entries({ ...others, food_types: food_types.join(', ') || null })
    .map(([key, value]) => [key, element('value', value)] as const)
    .map(([key, value]) => (value === '' ? '' : `<Data name="${key}">${value}</Data>`));
  const texts = Object.entries({ name, address, phoneNumber: phone, description })
    .map(([tag, value]) => element(tag, value))
    .join('');
  const isPlaced = latitude !== null && longitude !== null;
  const point = isPlaced ? `<Point>${element('coordinates', `${longitude},${latitude}`)}</Point>` : '';
  return `<Placemark>${texts}<ExtendedData>${data.join('')}</ExtendedData>${point}</Placemark>\n`;
}
