import { restaurantFields, withMapTags } from './json-fields.ts';
import { readElements } from './elements.ts';
import { type Chunks, type ExportRecord, type SourceEntry, elementsOf, faultAt, fieldsOf } from './source.ts';
import { isSavedPlace, readSavedPlace } from './takeout.ts';

/** A GeoJSON FeatureCollection (RFC 7946), feature by feature; also the saved places of Google Takeout. */
export async function* readGeoJson(chunks: Chunks): AsyncGenerator<SourceEntry> {
  for await (const element of readElements(chunks, 'features')) {
    if ('fault' in element) yield faultAt(element.line, element.fault);
    else yield readFeature(element.line, element.value);
  }
}

function readFeature(line: number, value: unknown): SourceEntry {
  const feature = fieldsOf(value);
  if (feature?.get('type') !== 'Feature') return faultAt(line, 'the element is not a GeoJSON feature');
  const properties = fieldsOf(feature.get('properties')) ?? new Map<string, unknown>();
  const geometry = fieldsOf(feature.get('geometry'));
  if (geometry && geometry.get('type') !== 'Point')
    return faultAt(line, `the geometry must be a Point, not ${String(geometry.get('type'))}`);
  const point = geometry?.get('coordinates');
  if (isSavedPlace(properties))
    return { line, kind: 'restaurant', fields: readSavedPlace(properties, point) };
  const fields = restaurantFields(properties);
  const [longitude, latitude] = elementsOf(point);
  if (point !== undefined) fields.set('latitude', latitude).set('longitude', longitude);
  return { line, kind: 'restaurant', fields: withMapTags(fields, properties) };
}

/** What stands before the first feature of an export. */
export const GEOJSON_START = '{"type":"FeatureCollection","features":[\n';
/** What stands after the last. */
export const GEOJSON_END = '\n]}\n';

/** A restaurant with its ratings as a feature. */
export function geoJsonFeature({ latitude, longitude, ...properties }: ExportRecord): string {
  const geometry =
    latitude === null || longitude === null ? null : { type: 'Point', coordinates: [longitude, latitude] };
  return JSON.stringify({ type: 'Feature', id: properties.id, geometry, properties });
}
