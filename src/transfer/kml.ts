import { asHtml } from '../kit/static-files.ts';
import {
  type Chunks,
  type ExportRecord,
  type Found,
  MAX_RECORD,
  type Notes,
  type SourceEntry,
  byteTexts,
  decodeText,
  extended,
} from './source.ts';
import { savedEntry } from './takeout.ts';

// How the parts of XML begin and end; any other is text.
const PARTS: readonly (readonly [start: string, end: string])[] = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
  ['<', '>'],
];
// Without the prefix of a namespace.
const TAG = /^<(\/?)(?:[^\s/>:]+:)?([^\s/>:!?]+)/;
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi;
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);
const MOST_OPEN = 100;
const CUT = 'the file ends in the middle';
const LINE_ENDS = /<br\s*\/?>|<\/(?:p|div|li|tr)>/gi;
const TEXTS: readonly string[] = ['name', 'description', 'address'];

interface Placemark {
  readonly line: number;
  readonly texts: Map<string, string>;
  coordinates: string;
  fault: string | undefined;
}

/**
 * Reads the placemarks of a KML file (OGC 12-007r2) that are points, such as My Maps and Organic Maps export, in folders or
 * not. The name of the document is that of the list. Of entities only those of XML itself are known.
 */
export async function* readKml(chunks: Chunks, notes: Notes): AsyncGenerator<SourceEntry> {
  const open: string[] = [];
  let title = '';
  let place: Placemark | undefined;
  let line = 1;
  for await (const found of readParts(chunks)) {
    if ('fault' in found) {
      yield found;
      return;
    }
    const part = found.value;
    line = found.line;
    const [parent = '', around = ''] = [open.at(-1), open.at(-2)];
    if (!part.startsWith('<') || part.startsWith('<![CDATA[')) {
      if (place) addText(place, parent, around, part);
      else if (parent === 'name' && around === 'Document') title = extended(title, textIn(part) ?? '');
      continue;
    }
    if (part.startsWith('<!--') || part.startsWith('<?')) continue;
    const [, close = '', name = ''] = TAG.exec(part) ?? [];
    const fault = faultOf(close, name, open);
    if (fault !== undefined) {
      yield { line, fault };
      return;
    }
    if (close !== '') open.pop();
    else if (!part.endsWith('/>')) open.push(name);
    if (name !== 'Placemark') continue;
    if (close === '') {
      if (title.trim() !== '') notes.named?.(title.trim());
      place = { line, texts: new Map(), coordinates: '', fault: undefined };
    } else if (place) {
      yield entryOf(place);
      place = undefined;
    }
  }
  if (open.length > 0) yield { line, fault: CUT };
}

/** Why a tag ends the reading; undefined if it does not. */
function faultOf(close: string, name: string, open: readonly string[]): string | undefined {
  if (name === '') return 'the file is not KML, or has a document type, which is not read';
  if (open.length === 0 && name !== 'kml') return 'the file is not KML';
  if (close !== '' && open.at(-1) !== name)
    return 'an end tag does not match, the rest of the file is not read';
  return open.length > MOST_OPEN ? 'the file is nested too deeply' : undefined;
}

function addText(place: Placemark, parent: string, around: string, part: string): void {
  const text = textIn(part);
  if (text === undefined) place.fault ??= 'the text is not valid UTF-8';
  else if (parent === 'coordinates' && around !== 'Point') place.fault ??= 'the placemark is not a point';
  else if (parent === 'coordinates') place.coordinates = extended(place.coordinates, text);
  else if (around === 'Placemark' && TEXTS.includes(parent))
    place.texts.set(parent, extended(place.texts.get(parent) ?? '', text));
}

function entryOf({ line, texts, coordinates, fault }: Placemark): SourceEntry {
  if (fault !== undefined) return { line, fault };
  const fields = new Map<string, unknown>(texts);
  fields.set('description', texts.get('description')?.replace(LINE_ENDS, '\n') ?? null);
  const [longitude, latitude] = coordinates
    .trim()
    .split(/[\s,]+/)
    .map((text) => parseFloat(text));
  if (coordinates.trim() !== '') fields.set('longitude', longitude).set('latitude', latitude);
  return savedEntry(line, fields);
}

/** The text of a part; undefined if it is not UTF-8. */
function textIn(part: string): string | undefined {
  if (part.startsWith('<')) return decodeText(part.slice('<![CDATA['.length, -']]>'.length), false);
  return decodeText(part, false)?.replace(ENTITY, (entity, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return ENTITIES.get(name) ?? entity;
    const code = decimal === undefined ? parseInt(hex ?? '', 16) : Number(decimal);
    return code > 0x10ffff ? entity : String.fromCodePoint(code);
  });
}

/** The tags, comments and texts of a file as it arrives, each of at most 1 MiB. */
async function* readParts(chunks: Chunks): AsyncGenerator<Found<string>> {
  let [rest, line] = ['', 1];
  for await (const text of byteTexts(chunks)) {
    rest += text;
    let start = 0;
    for (let end = endOf(rest, 0); end > 0; end = endOf(rest, start)) {
      const value = rest.slice(start, end);
      yield { line, value };
      line += value.split('\n').length - 1;
      start = end;
    }
    rest = rest.slice(start);
    if (rest.length <= MAX_RECORD) continue;
    yield { line, fault: 'a part of the file is longer than 1 MiB' };
    return;
  }
  if (rest.trim() !== '') yield { line, fault: CUT };
}

/** Where the part of a text ends that begins at `start`; 0 if that is not there yet. */
function endOf(text: string, start: number): number {
  const part = PARTS.find(([sign]) => text.startsWith(sign, start));
  if (!part) return Math.max(0, text.indexOf('<', start));
  const [sign, end] = part;
  const found = text.indexOf(end, start + sign.length);
  return found === -1 ? 0 : found + end.length;
}

/** The text before the first placemark of an export. */
export const KML_START =
  '<?xml version="1.0" encoding="UTF-8"?>\n<kml xmlns="http://www.opengis.net/kml/2.2"><Document>\n';
/** The text after the last. */
export const KML_END = '</Document></kml>\n';

// No document of XML 1.0 may have them.
// eslint-disable-next-line no-control-regex
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** A restaurant as a placemark: what KML has no element for is extended data. */
export function kmlPlacemark(record: ExportRecord): string {
  const { name, address, phone, description, latitude, longitude, food_types, ...others } = record;
  const element = (tag: string, value: unknown): string =>
    typeof value === 'string' || typeof value === 'number'
      ? `<${tag}>${asHtml(String(value).replace(NOT_IN_XML, ''))}</${tag}>`
      : '';
  const data = Object.entries({ ...others, food_types: food_types.join(', ') || null })
    .map(([key, value]) => [key, element('value', value)] as const)
    .map(([key, value]) => (value === '' ? '' : `<Data name="${key}">${value}</Data>`));
  const texts =
    element('name', name) +
    element('address', address) +
    element('phoneNumber', phone) +
    element('description', description);
  const isPlaced = latitude !== null && longitude !== null;
  const point = isPlaced ? `<Point>${element('coordinates', `${longitude},${latitude}`)}</Point>` : '';
  return `<Placemark>${texts}<ExtendedData>${data.join('')}</ExtendedData>${point}</Placemark>\n`;
}
