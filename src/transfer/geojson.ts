import { OSM_TYPES } from '../catalogue/places/nominatim.ts';
import { DIETS } from '../catalogue/restaurants/field-table.ts';
import { type Properties, isObject, propertiesOf } from '../kit/objects.ts';
import { readElements } from './elements.ts';
import { restaurantFields } from './ndjson.ts';
import { type Chunks, type ExportRecord, type SourceEntry, elementsOf, isMissing, textOf } from './source.ts';
import { isSavedPlace, readSavedPlace } from './takeout.ts';

const MAX_TYPE_NAME = 40;

/** Reads a GeoJSON FeatureCollection or feature (RFC 7946) with OpenStreetMap tags, or Google Takeout's saved places. */
export async function* readGeoJson(chunks: Chunks): AsyncGenerator<SourceEntry> {
  for await (const element of readElements(chunks, 'features', isFeature)) {
    if ('fault' in element) yield element;
    else yield readFeature(element.line, element.value);
  }
}

function isFeature(value: unknown): boolean {
  const object = propertiesOf(value);
  return object?.get('type') === 'Feature' && object.has('properties');
}

function readFeature(line: number, value: unknown): SourceEntry {
  const feature = propertiesOf(value);
  if (feature?.get('type') !== 'Feature') return { line, fault: 'the element is not a GeoJSON feature' };
  const properties = propertiesOf(feature.get('properties')) ?? new Map<string, unknown>();
  const geometry = propertiesOf(feature.get('geometry'));
  if (geometry && geometry.get('type') !== 'Point')
    return { line, fault: `the geometry must be a Point${otherType(geometry.get('type'))}` };
  const point = geometry?.get('coordinates');
  if (isSavedPlace(properties)) return readSavedPlace(line, properties, point);
  const fields = restaurantFields(properties);
  const [longitude, latitude] = elementsOf(point);
  if (point !== undefined) fields.set('latitude', latitude).set('longitude', longitude);
  return { line, kind: 'restaurant', fields: withMapTags(fields, properties, feature.get('id')) };
}

function otherType(type: unknown): string {
  const name = textOf(type);
  return name === undefined ? '' : `, not ${name.slice(0, MAX_TYPE_NAME)}`;
}

const ADDRESS_PARTS: readonly (readonly string[])[] = [
  ['addr:street', 'addr:housenumber'],
  ['addr:postcode', 'addr:city'],
  ['addr:country'],
];

// Values of `diet:*` that the service knows too; others are free text.
const DIET_VALUES: readonly unknown[] = ['yes', 'only', 'limited', 'no'];

/** Fields with tags of OpenStreetMap in place of missing ones. */
function withMapTags(fields: Map<string, unknown>, tags: Properties, featureId: unknown): Properties {
  const tag = (...names: readonly string[]): string | undefined =>
    names.map((name) => textOf(tags.get(name))).find((text) => text !== undefined);
  const parts = ADDRESS_PARTS.map((names) => names.flatMap((name) => textOf(tags.get(name)) ?? []).join(' '));
  const found: readonly (readonly [string, unknown])[] = [
    ['address', tag('addr:full') ?? (parts.filter((part) => part !== '').join(', ') || undefined)],
    ['phone', tag('contact:phone')],
    ['website', tag('contact:website', 'url')],
  ];
  for (const [name, value] of found)
    if (value !== undefined && isMissing(fields, name)) fields.set(name, value);
  setFacts(fields, tags, featureId);
  const cuisines = (tag('cuisine') ?? '')
    .split(/[;,]/)
    .map(cuisineName)
    .filter((name) => name !== '');
  if (cuisines.length > 0 && isMissing(fields, 'food_types')) {
    fields.set('food_types', cuisines);
    if (isMissing(fields, 'category')) fields.set('category', cuisines[0]);
  }
  return fields;
}

function setFacts(fields: Map<string, unknown>, tags: Properties, featureId: unknown): void {
  const diets = DIETS.map((diet) => [diet, tags.get(`diet:${diet}`)]).filter(([, value]) =>
    DIET_VALUES.includes(value),
  );
  if (diets.length > 0 && isMissing(fields, 'diets')) fields.set('diets', Object.fromEntries(diets));
  const osm = mapId(tags, featureId);
  const ids = fields.get('external_ids') ?? {};
  const isMarked = isObject(ids) && Object.entries(ids).some(([key, id]) => key === 'osm' && id !== null);
  if (osm !== undefined && isObject(ids) && !isMarked) fields.set('external_ids', { ...ids, osm });
}

/** The id of a place at OpenStreetMap, as `N1` or `node/1`, or as a number next to its type. */
function mapId(tags: Properties, featureId: unknown): string | undefined {
  const type = textOf(tags.get('osm_type'));
  const typed = type === undefined ? undefined : `${type}/${String(tags.get('osm_id'))}`;
  for (const value of [tags.get('osm_id'), typed, tags.get('@id'), tags.get('id'), featureId]) {
    const [, word = '', number] =
      /^(node|way|relation|[NWR])\/?([1-9]\d{0,18})$/.exec(textOf(value) ?? '') ?? [];
    if (number !== undefined) return `${OSM_TYPES.get(word) ?? word}${number}`;
  }
  return undefined;
}

/** `fish_and_chips` as a person would write it. */
function cuisineName(tag: string): string {
  const words = tag.trim().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
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
  return JSON.stringify({ type: 'Feature', id: fields.id, geometry, properties });
}
