import { type Properties, percentDecoded, propertiesOf } from '../kit/objects.ts';
import { type SourceEntry, elementsOf, textOf } from './source.ts';

const NUMBER = String.raw`(-?\d{1,3}(?:\.\d{1,20})?)`;
const URL_COORDINATES: readonly RegExp[] = [
  new RegExp(`!3d${NUMBER}!4d${NUMBER}`),
  new RegExp(`[?&](?:q|query|ll)=${NUMBER}(?:,|%2C)${NUMBER}(?=[&#(]|$)`, 'i'),
  new RegExp(`/search/${NUMBER},\\+?${NUMBER}`),
  new RegExp(`/@${NUMBER},${NUMBER}`),
];

const NAME_IN_URL = /\/place\/([^/?#]{1,2000})/;
// Matches positions, which are not names: 48°51'24.0"N 2°21'07.0"E or 48.85,2.35.
const POSITION = /°|^-?\d+(?:\.\d+)?, ?-?\d+(?:\.\d+)?$/;
const MAX_URL = 500;

/**
 * An entry for a saved place. Its web address supplies a missing name, and missing coordinates if it has any; without a name
 * in either place it is a fault.
 */
export function savedEntry(line: number, row: Properties): SourceEntry {
  const url = textOf(row.get('website'));
  const place = row.has('latitude') ? undefined : coordinatesIn(url);
  const fields = new Map<string, unknown>([...row, ...Object.entries(place ?? {})]);
  const name = textOf(row.get('name')) ?? nameIn(url);
  if (name !== undefined)
    return { line, kind: 'restaurant', fields: fields.set('name', name), isSaved: true };
  const [latitude, longitude] = [fields.get('latitude'), fields.get('longitude')];
  const at = typeof latitude === 'number' ? ` at ${latitude},${String(longitude)}` : '';
  return {
    line,
    fault: `a place without a name${at}${url === undefined ? '' : ` (${url.slice(0, MAX_URL)})`}`,
  };
}

function nameIn(url: string | undefined): string | undefined {
  const text = (NAME_IN_URL.exec(url ?? '')?.[1] ?? '').replaceAll('+', ' ');
  const name = textOf(percentDecoded(text) ?? text);
  return name === undefined || POSITION.test(name) ? undefined : name;
}

/** Whether the properties of a GeoJSON feature are those of a saved place, of the older or the newer kind. */
export function isSavedPlace(properties: Properties): boolean {
  return properties.has('Google Maps URL') || properties.has('google_maps_url');
}

/** A saved place (`Saved Places.json`). The coordinates [0, 0] mean that they are not known. */
export function readSavedPlace(line: number, properties: Properties, point: unknown): SourceEntry {
  const either = (older: string, newer: string): unknown => properties.get(older) ?? properties.get(newer);
  const location = propertiesOf(either('Location', 'location')) ?? new Map<string, unknown>();
  const geo = propertiesOf(location.get('Geo Coordinates'));
  const url = textOf(either('Google Maps URL', 'google_maps_url'));
  const address = textOf(location.get('Address') ?? location.get('address'));
  const business = textOf(location.get('Business Name') ?? location.get('name'));
  const name = textOf(properties.get('Title')) ?? business ?? address?.split(/[,\n]/, 1)[0];
  const [longitude, latitude] = elementsOf(point);
  const coordinates = pair(latitude, longitude) ?? pair(geo?.get('Latitude'), geo?.get('Longitude'));
  const found: readonly (readonly [string, unknown])[] = [
    ['address', address],
    ['website', url],
    ['description', textOf(properties.get('Comment'))],
    ['latitude', coordinates?.latitude],
    ['longitude', coordinates?.longitude],
    ['created_at', momentOf(either('Published', 'date'))],
  ];
  const known = found.filter(([, value]) => value !== undefined);
  return savedEntry(line, new Map([['name', name ?? null], ...known]));
}

function momentOf(value: unknown): string | undefined {
  const time = Date.parse(textOf(value) ?? '');
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

function coordinatesIn(url: string | undefined) {
  for (const pattern of URL_COORDINATES) {
    const match = pattern.exec(url ?? '');
    const found = match && pair(Number(match[1]), Number(match[2]));
    if (found) return found;
  }
  return undefined;
}

function pair(latitude: unknown, longitude: unknown) {
  const [north, east] = [numberOf(latitude), numberOf(longitude)];
  if (!(Math.abs(north) <= 90 && Math.abs(east) <= 180) || (north === 0 && east === 0)) return undefined;
  return { latitude: north, longitude: east };
}

/** Older files have numbers as text. NaN for anything else: an empty text is not 0. */
function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : Number(textOf(value) ?? NaN);
}
