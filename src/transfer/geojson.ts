import { propertiesOf } from '../kit/objects.ts';
import { readElements } from './elements.ts';
import { restaurantFields, withMapTags } from './json-fields.ts';
import { type Chunks, type ExportRecord, type SourceEntry, elementsOf, textOf } from './source.ts';
import { isSavedPlace, readSavedPlace } from './takeout.ts';

const MAX_TYPE_NAME = 40;

/** A GeoJSON FeatureCollection (RFC 7946), feature by feature, or a single feature; also the saved places of Google Takeout. */
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

/** The text before the first feature of an export. */
export const GEOJSON_START = '{"type":"FeatureCollection","features":[\n';
/** The text after the last. */
export const GEOJSON_END = '\n]}\n';

/** A restaurant with its ratings as a feature. */
export function geoJsonFeature({ latitude, longitude, ...properties }: ExportRecord): string {
  const geometry =
    latitude === null || longitude === null ? null : { type: 'Point', coordinates: [longitude, latitude] };
  return JSON.stringify({ type: 'Feature', id: properties.id, geometry, properties });
}
