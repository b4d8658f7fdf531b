import { asXml } from '../kit/static-files.ts';
import { plainNumber, writtenList } from './cells.ts';
import { splitCells } from './csv-records.ts';
import {
  MAX_RECORD,
  type Chunks,
  type ExportRecord,
  type Raw,
  type SourceFile,
  byteTexts,
  decodeText,
  extended,
} from './source.ts';
import { type Fault, UnreadableFile, faultAt } from './faults.ts';
import type { Notes } from './notes.ts';
import { decodeEntities } from './values.ts';
import { XmlReader, attributeOf } from './xml.ts';

// The elements of KML and GPX that are places, and the names of those within that say something.
const PLACES = ['Placemark', 'wpt'];
const GROUPS = ['Folder', 'Document', 'kml', 'gpx'];
const NAMES: ReadonlyMap<string, string> = new Map([
  ['name', 'name'],
  ['address', 'address'],
  ['phoneNumber', 'phone'],
  ['description', 'description'],
  ['desc', 'description'],
  ['cmt', 'description'],
  ['when', 'created_at'],
  ['time', 'created_at'],
]);
// Those that say how a place looks, or where it is on a way.
const HIDDEN = [
  'Style',
  'StyleMap',
  'LookAt',
  'Camera',
  'LineString',
  'LinearRing',
  'Polygon',
  'Track',
  'Region',
];
const PRESENTATION: ReadonlySet<string> = new Set(
  `styleUrl visibility open extrude tessellate altitudeMode drawOrder displayName ele magvar geoidheight fix sat hdop vdop pdop src
   ageofdgpsdata dgpsid`.split(/\s+/),
);
const MOST_FOLDERS = 100;
const PICTURE = /<img\b[^>]*>/gi;
const LINE_ENDS = /<br\s*\/?>|<\/(?:p|div|li|tr|h\d)>/gi;
const WEB_ADDRESS = /https?:\/\/[^\s"'<>]+/i;
// Lines of the template of Google My Maps, and those that have nothing behind their heading.
const SAYS_NOTHING = /^(?:URL|Note|Labels?|Tags?|Address|Phone|[\p{L}\s]{1,20}):\s*$/iu;
const NOTE = /^Note:\s*/i;

/** A place that is being read. */
interface Place {
  readonly line: number;
  readonly values: [name: string, value: unknown][];
  readonly list: string | undefined;
  coordinates: string | undefined;
  size: number;
}

/**
 * Reads the places of KML (OGC 12-007r2), such as My Maps and Organic Maps export, and the waypoints of GPX. Their folders are
 * lists. A place whose end is missing ends where the next one begins.
 */
export async function* readKml(chunks: Chunks, notes: Notes, file: SourceFile): AsyncGenerator<Fault | Raw> {
  const folders: (string | undefined)[] = [];
  let found: (Fault | Raw)[] = [];
  let place: Place | undefined;
  let [root, name, text, data, hidden, depth] = ['', '', '', '', '', 0];
  let [hasLink, isEnded, hasPlaces, inPoint, inExtensions] = [false, false, false, false, false];
  const takeText = (): void => {
    const value = decodeText(text, false);
    if (!place) {
      const title = name === 'name' ? decodeEntities(value ?? '').trim() : '';
      if (title === '') return;
      if (folders.length > 0) folders[folders.length - 1] ??= title;
      else file.ownName ??= title;
    } else if (name === 'coordinates') {
      if (inPoint) place.coordinates ??= value?.trim();
    } else if (name === 'value' || name === 'SimpleData') place.values.push([data || name, value]);
    else {
      const target = NAMES.get(name);
      if (target !== undefined) place.values.push([target, value]);
      else if (name === 'url' || name === 'href') place.values.push(['website', value]);
      else if (inExtensions || !PRESENTATION.has(name)) place.values.push([name, value]);
    }
  };
  const endPlace = (): void => {
    if (place) found.push(rawOf(place, notes, file.ownName !== undefined));
    place = undefined;
    hidden = data = '';
    inPoint = inExtensions = false;
  };
  const open = (tag: string, attributes: string): void => {
    if (root === '') {
      root = tag;
      if (root !== 'kml' && root !== 'gpx') throw new UnreadableFile('other_xml');
      notes.readAs = root;
    }
    const isPlace = PLACES.includes(tag);
    if (hidden !== '' && !isPlace) return;
    name = tag;
    text = '';
    const attribute = (key: string): string => decodeEntities(attributeOf(attributes, key) ?? '');
    if (isPlace) {
      endPlace();
      hasPlaces = true;
      place = {
        line: reader.line,
        values: [],
        list: folders.findLast((one) => one !== undefined),
        coordinates: tag === 'wpt' ? `${attribute('lon')},${attribute('lat')}` : undefined,
        size: 0,
      };
    } else if (name === 'Folder') {
      endPlace();
      depth += 1;
      if (depth <= MOST_FOLDERS) folders.push(undefined);
    } else if (name === 'NetworkLink') [hasLink, hidden] = [true, name];
    else if (HIDDEN.includes(name)) hidden = name;
    else if (name === 'Point') inPoint = true;
    else if (name === 'extensions') inExtensions = true;
    else if (name === 'Data' || name === 'SimpleData') data = attribute('name');
    else if (name === 'link') place?.values.push(['website', attribute('href')]);
  };
  const close = (tag: string): void => {
    const isPlace = PLACES.includes(tag);
    if (hidden !== '') {
      if (tag === hidden || isPlace) hidden = '';
      if (!isPlace) return;
    }
    if (tag === name && text !== '') takeText();
    name = text = '';
    if (tag === 'Point') inPoint = false;
    else if (tag === 'extensions') inExtensions = false;
    else if (isPlace || GROUPS.includes(tag)) endPlace();
    if (tag === 'Folder' && depth > 0) {
      if (depth <= MOST_FOLDERS) folders.pop();
      depth -= 1;
    }
    if (tag === root) isEnded = true;
  };
  const addText = (bytes: string): void => {
    if (place) place.size += bytes.length;
    if (name !== '') text = extended(text, bytes);
  };

  const reader = new XmlReader({ open, close, text: addText });
  for await (const bytes of byteTexts(chunks)) {
    const isRead = reader.feed(bytes);
    if (!isRead) {
      endPlace();
      found.push(faultAt(reader.line, 'rest'));
    }
    yield* found;
    found = [];
    if (!isRead) return;
  }
  reader.feed('', true);
  endPlace();
  yield* found;
  if (root === '') throw new UnreadableFile('other_xml');
  if (!hasPlaces && hasLink) throw new UnreadableFile('link_only');
  if (!isEnded) yield faultAt(reader.line, 'cut_short');
}

function rawOf(
  { line, values, list, coordinates, size }: Place,
  notes: Notes,
  hasTitle: boolean,
): Fault | Raw {
  if (size > MAX_RECORD) return faultAt(line, 'too_long');
  const names = values.map(([name]) => name);
  const isOwn = names.includes('created_at') && names.includes('updated_at');
  const position = positionValues(coordinates, line, notes);
  if (isOwn) {
    const own = values.flatMap(([name, value]): [string, unknown][] =>
      value === '' ? [] : [[name, ownValue(name, value)]],
    );
    // Only the file of a list has a title.
    return {
      line,
      kind: 'restaurant',
      values: [...own, ...position.map(([name, value]): [string, unknown] => [name, Number(value)])],
      isOwn,
      isSaved: hasTitle || list !== undefined,
      list,
    };
  }
  const described = values.map(([name, value]) =>
    name === 'description' && typeof value === 'string'
      ? describedBy(decodeEntities(value))
      : { values: [[name, value]] as const },
  );
  return {
    line,
    kind: 'restaurant',
    values: [...position, ...described.flatMap((one) => one.values)],
    isSaved: true,
    list,
  };
}

/** The values of a position; of one that is none, or of more than one, the text as it stands. */
function positionValues(
  coordinates: string | undefined,
  line: number,
  notes: Notes,
): readonly [string, unknown][] {
  if (coordinates === undefined || coordinates === '') {
    notes.leftOut('position', 'no_position', line, '');
    return [];
  }
  const [longitude = '', latitude = '', , ...more] = coordinates.split(/\s*,\s*/);
  const isTuple = more.length === 0 && !/\s/.test(coordinates.replace(/\s*,\s*/g, ','));
  if (isTuple && latitude !== '')
    return [
      ['latitude', latitude],
      ['longitude', longitude],
    ];
  notes.leftOut('position', 'not_a_position', line, coordinates);
  return [];
}

/** The text of a description in HTML without the lines of a template that say nothing, and its first web address. */
function describedBy(html: string): { readonly values: readonly (readonly [string, unknown])[] } {
  const text = decodeEntities(html.replace(PICTURE, '').replace(LINE_ENDS, '\n'));
  const website = WEB_ADDRESS.exec(text)?.[0].replace(/[.,;)\]]+$/, '');
  const lines = text
    .split('\n')
    .map((one) => one.replaceAll('\u00a0', ' ').trim())
    .filter(
      (one) =>
        !SAYS_NOTHING.test(one) &&
        !(website !== undefined && /^(?:URL:\s*)?(\S+)$/i.exec(one)?.[1] === website),
    )
    .map((one) => one.replace(NOTE, ''));
  const described = [['description', lines.join('\n').trim()]] as const;
  return { values: website === undefined ? described : [...described, ['website', website]] };
}

/** A value of an export of ours. */
function ownValue(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const text = decodeEntities(value);
  if (name === 'food_types') return splitCells(text).map((one) => one.trim());
  return name === 'price_level' ? Number(text) : text;
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
  const keyed = (['diets', 'external_ids'] as const).flatMap((field) =>
    Object.entries(record[field]).map(([key, value]) => [`${field}.${key}`, value] as const),
  );
  const data = [...Object.entries({ ...others, food_types: writtenList(food_types) || null }), ...keyed]
    .map(([key, value]) => [key, element('value', value)] as const)
    .map(([key, value]) => (value === '' ? '' : `<Data name="${key}">${value}</Data>`));
  const texts = Object.entries({ name, address, phoneNumber: phone, description })
    .map(([tag, value]) => element(tag, value))
    .join('');
  const isPlaced = latitude !== null && longitude !== null;
  const point = isPlaced
    ? `<Point>${element('coordinates', `${plainNumber(longitude)},${plainNumber(latitude)}`)}</Point>`
    : '';
  return `<Placemark>${texts}<ExtendedData>${data.join('')}</ExtendedData>${point}</Placemark>\n`;
}
