import { type Properties, isObject, propertiesOf } from '../kit/objects.ts';
import { plainJson } from './cells.ts';
import { type Fault, UnreadableFile, faultAt } from './faults.ts';
import { flattened, readElements, readLines } from './json.ts';
import type { Notes } from './notes.ts';
import {
  API_FIELDS,
  type Chunks,
  type ExportRecord,
  type Raw,
  type SourceFile,
  TIMES,
  elementsOf,
  textOf,
} from './source.ts';
import { isReview, isSavedPlace, readReview, readSavedPlace } from './takeout.ts';
import { isHomeLabel, isLabelled } from './takeout-names.ts';

type Values = Raw['values'];

// The lines about people in an export.
const PEOPLE_TYPES: readonly unknown[] = ['list', 'item', 'visit'];
const OWN_FIELDS: readonly string[] = [...API_FIELDS, ...TIMES, 'ratings'];
const OSM_TYPES: readonly unknown[] = ['node', 'way', 'relation'];
/** Where sources have the id of an element of OpenStreetMap. */
export const OSM_IDS = ['@id', 'osm_id'];
// What mappers tell each other.
const HINTS = /^(?:tags\.)?note(?::|$)/;
const WGS_84 = /CRS:?:?84|EPSG:{1,2}(?:4326|4979)|WGS ?84/i;
const CRS = /"crs"\s*:\s*\{[^]{0,300}?"(?:name|href)"\s*:\s*"([^"]*)"\s*\}/;
// Of ArcGIS.
const ESRI_CRS = /"spatialReference"\s*:\s*\{[^{}]*?"(?:latestWkid|wkid)"\s*:\s*(\d{1,9})/;
const MAX_NAME = 100;

/** Reads one JSON value per line. */
export function readJsonLines(chunks: Chunks, notes: Notes, file: SourceFile): AsyncGenerator<Fault | Raw> {
  return readPlaces(readLines(chunks), notes, file);
}

/** Reads JSON of any other outline. Throws an UnreadableFile for coordinates other than those of WGS 84. */
export async function* readJson(chunks: Chunks, notes: Notes, file: SourceFile): AsyncGenerator<Fault | Raw> {
  let around = '';
  const elements = readElements(chunks, (text) => (around = text));
  yield* readPlaces(elements, notes, file);
  requireWgs84(CRS.exec(around)?.[1] ?? ESRI_CRS.exec(around)?.[1]?.replace(/^/, 'EPSG:'));
}

/** Throws an UnreadableFile for coordinates of another system than WGS 84. */
function requireWgs84(crs: string | undefined): void {
  if (crs !== undefined && !WGS_84.test(crs))
    throw new UnreadableFile('other_positions', crs.slice(0, MAX_NAME));
}

async function* readPlaces(
  elements: ReturnType<typeof readElements>,
  notes: Notes,
  file: SourceFile,
): AsyncGenerator<Fault | Raw> {
  const hasLabels = file.name !== null && isLabelled(file.name);
  for await (const found of elements) {
    if ('fault' in found) {
      yield found;
      continue;
    }
    const { line } = found;
    const object = propertiesOf(found.value);
    if (!object) yield faultAt(line, 'not_object');
    else if (object.get('is_suggestion') === true) yield faultAt(line, 'suggestion');
    else if (PEOPLE_TYPES.includes(object.get('type')))
      notes.leftOut('people', 'people', line, object.get('type'));
    else {
      // The points of ways that Overpass adds.
      if (OSM_TYPES.includes(object.get('type')) && object.has('id') && !isObject(object.get('tags')))
        continue;
      for (const one of placesIn(object)) {
        const raw = readPlace(line, one, notes);
        if ((hasLabels || isHome(one)) && raw.isSaved !== true) throw new UnreadableFile('labels');
        yield raw;
      }
    }
  }
}

/** An object that is a place, or the places that it has by their ids, also under one name. */
function placesIn(object: Properties, isInner = false): readonly Properties[] {
  for (const value of object.values()) if (!isObject(value)) return [object];
  const parts = [...object.values()].flatMap((value) => propertiesOf(value) ?? []);
  const [first] = parts;
  if (!first) return [object];
  if (parts.every((part) => part.has('name') || part.has('title'))) return parts;
  const inner = parts.length > 1 || isInner ? [first] : placesIn(first, true);
  return inner[0] === first ? [object] : inner;
}

/** Whether a feature is the label of a home or a place of work, as an account has it under any name of the file. */
function isHome(feature: Properties): boolean {
  const properties = propertiesOf(feature.get('properties')) ?? new Map<string, unknown>();
  const isLabel = [...properties.keys()].every((name) => name === 'name' || name === 'address');
  return isLabel && isHomeLabel(textOf(properties.get('name')) ?? '');
}

/** One object: a feature, an element of Overpass, or a restaurant. */
function readPlace(line: number, object: Properties, notes: Notes): Raw {
  const type = object.get('type');
  if (type === 'category' || type === 'food_type')
    return { line, kind: type, values: [['name', object.get('name')]], isOwn: true };
  if (type === 'Feature') {
    notes.readAs ??= 'geojson';
    return readFeature(line, object, notes);
  }
  const tags = object.get('tags');
  if (OSM_TYPES.includes(type) && (object.has('id') || isObject(tags))) {
    notes.readAs ??= 'overpass';
    const values: Values = [
      ['@id', `${String(type)}/${String(object.get('id'))}`],
      ...(isObject(tags) ? without(HINTS, flattened(tags), notes) : []),
    ];
    return { line, kind: 'restaurant', values: [...values, ...positionOf(centreOf(object), line, notes)] };
  }
  const { values, ...more } = valuesOf(object);
  // Of a card of Trello they are about the card, and private.
  const own = object.has('idList') ? without(/^(?:closed|url|shortUrl)$/, values, notes) : values;
  return { line, kind: 'restaurant', values: own, ...more };
}

function readFeature(line: number, feature: Properties, notes: Notes): Raw {
  const properties = propertiesOf(feature.get('properties')) ?? new Map<string, unknown>();
  const geometry = propertiesOf(feature.get('geometry'));
  const crs = propertiesOf(feature.get('crs') ?? geometry?.get('crs'));
  requireWgs84(textOf(propertiesOf(crs?.get('properties'))?.get('name')));
  if (isReview(properties)) {
    notes.readAs = 'reviews';
    return readReview(line, properties, centreOf(geometry));
  }
  if (isSavedPlace(properties)) {
    notes.readAs = 'saved_places';
    return readSavedPlace(line, properties, centreOf(geometry));
  }
  const id = feature.get('id');
  const hasId = typeof id === 'string' && /^(?:node|way|relation)\//.test(id);
  const isTagged = hasId || OSM_IDS.some((name) => properties.has(name));
  const { values: all, ...more } = valuesOf(properties);
  const values = isTagged ? without(HINTS, all, notes) : all;
  const position = geometry ? positionOf(centreOf(geometry), line, notes) : [];
  return {
    line,
    kind: 'restaurant',
    values: [...position, ...values, ...(hasId ? [['@id', id] as const] : [])],
    ...more,
  };
}

/** The values but those of these names, which are not used. */
function without(names: RegExp, values: Values, notes: Notes): Values {
  return values.filter(([name, value]) => {
    const isLeft = names.test(name);
    if (isLeft) notes.ignored(name, value);
    return !isLeft;
  });
}

/** The values of a restaurant; those of an export of ours as the API has them. */
function valuesOf(object: Properties): Pick<Raw, 'values' | 'isOwn'> {
  const isOwn = ['created_at', 'updated_at', 'food_types', 'category'].every((name) => object.has(name));
  if (!isOwn) return { values: flattened(Object.fromEntries(object)) };
  const fields = OWN_FIELDS.filter((name) => object.has(name)).map(
    (name) => [name, object.get(name)] as const,
  );
  const foodTypes = elementsOf(object.get('food_types')).map(nameIn);
  return {
    isOwn,
    values: [...fields, ['category', nameIn(object.get('category'))], ['food_types', foodTypes]],
  };
}

function nameIn(value: unknown): unknown {
  const record = propertiesOf(value);
  return record ? record.get('name') : value;
}

function positionOf(centre: Centre | undefined, line: number, notes: Notes): Values {
  if (!centre) {
    notes.leftOut('position', 'no_position', line, '');
    return [];
  }
  return [
    ['latitude', centre[1]],
    ['longitude', centre[0]],
  ];
}

/** Longitude and latitude as the source has them. */
type Centre = readonly [longitude: unknown, latitude: unknown];

const MOST_POINTS = 100_000;

/** The point of a geometry, or the middle of its extent; undefined if it has neither. */
function centreOf(object: Properties | undefined): Centre | undefined {
  if (!object) return undefined;
  const center = propertiesOf(object.get('center'));
  if (object.has('lat')) return [object.get('lon'), object.get('lat')];
  if (center) return [center.get('lon'), center.get('lat')];
  const coordinates = object.get('coordinates');
  if (object.get('type') === 'Point') return pointOf(coordinates);
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  // The same with longitudes from 0 to 360, for what lies across the date line.
  let [turnedWest, turnedEast] = [Infinity, -Infinity];
  // Not by recursion: arrays may be nested deeply.
  const left: unknown[] = [
    coordinates,
    object.get('geometries'),
    object.get('geometry'),
    object.get('bounds'),
  ];
  for (let count = 0; left.length > 0 && count < MOST_POINTS; count += 1) {
    const next = left.pop();
    const within = propertiesOf(next);
    if (within) left.push(within.get('coordinates'), within.get('geometries'), ...boundsIn(within));
    else if (Array.isArray(next)) {
      const [x, y] = elementsOf(next);
      if (typeof x === 'number' && typeof y === 'number') {
        [west, east] = [Math.min(west, x), Math.max(east, x)];
        [south, north] = [Math.min(south, y), Math.max(north, y)];
        const turned = x < 0 ? x + 360 : x;
        [turnedWest, turnedEast] = [Math.min(turnedWest, turned), Math.max(turnedEast, turned)];
      } else for (const one of next) left.push(one);
    }
  }
  if (west > east) return undefined;
  const middle = (one: number, other: number): number => Number(((one + other) / 2).toFixed(7));
  if (east - west <= 180 || turnedEast - turnedWest > 180) return [middle(west, east), middle(south, north)];
  const turn = turnedWest + turnedEast > 360 ? 360 : 0;
  return [middle(turnedWest - turn, turnedEast - turn), middle(south, north)];
}

function pointOf(coordinates: unknown): Centre | undefined {
  const [longitude, latitude] = elementsOf(coordinates);
  return longitude === undefined ? undefined : [longitude, latitude];
}

/** The points of Overpass, and the corners of its bounds. */
function boundsIn(object: Properties): readonly unknown[] {
  const of = (name: string): unknown => object.get(name);
  if (object.has('lat')) return [[of('lon'), of('lat')]];
  return object.has('minlat')
    ? [
        [of('minlon'), of('minlat')],
        [of('maxlon'), of('maxlat')],
      ]
    : [];
}

/** A restaurant with its ratings, a category or anything else as one line. */
export function ndjsonLine(record: object): string {
  return `${plainJson(record)}\n`;
}

/** The text before the first feature of an export. */
export function geoJsonStart(listName?: string): string {
  const head = JSON.stringify({ type: 'FeatureCollection', name: listName });
  return `${head.slice(0, -1)},"features":[\n`;
}
/** The text after the last. */
export const GEOJSON_END = '\n]}\n';

/** A restaurant with its ratings as a feature; programs that show maps take its name from `title` (simplestyle-spec). */
export function geoJsonFeature({ latitude, longitude, ...fields }: ExportRecord): string {
  const geometry =
    latitude === null || longitude === null ? null : { type: 'Point', coordinates: [longitude, latitude] };
  const properties = { title: fields.name, ...fields };
  return plainJson({ type: 'Feature', id: fields.id, geometry, properties });
}
