import { cutText } from '../../kit/input/fields.ts';
import { type Properties, parseJson, propertiesOf } from '../../kit/objects.ts';
import { DAY_MS } from '../../kit/time.ts';
import { readVersion } from '../../kit/version.ts';
import {
  ADDRESS_MAX,
  type Ask,
  MAX_HITS,
  type MapsProvider,
  type Place,
  PlacesError,
  decimalOf,
  failureOf,
  placeOf,
  placesIn,
} from './provider.ts';

export interface NominatimOptions {
  readonly provider: 'nominatim';
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Sent to the operators of the server, as their policy demands. */
  readonly contact: string;
  /** For the whole service. */
  readonly requestsPerSecond: number;
}

const PLACE_ID = /^osm:[NWR][1-9][0-9]{0,15}$/;
/** The letters of OpenStreetMap's types in the ids of its objects. */
export const OSM_TYPES: ReadonlyMap<unknown, string> = new Map([
  ['node', 'N'],
  ['way', 'W'],
  ['relation', 'R'],
]);

/** Nominatim: https://nominatim.org/release-docs/latest/api/Overview/ */
export function createNominatim(options: NominatimOptions): MapsProvider {
  const { baseUrl, contact, requestsPerSecond } = options;
  const headers = {
    Accept: 'application/json',
    'User-Agent': `restaurant-catalogue/${readVersion()} (${contact})`,
  };

  async function find(path: string, parameters: Readonly<Record<string, string>>, ask: Ask) {
    const query = new URLSearchParams({
      ...parameters,
      format: 'jsonv2',
      addressdetails: '1',
      extratags: '1',
    });
    const answer = await ask(`${baseUrl}/${path}?${query.toString()}`, { headers });
    if (answer.status !== 200) throw failureOf(answer);
    return placesIn(parseJson(answer.text), readPlace, 'no array of places');
  }

  const limit = String(MAX_HITS);
  return {
    maxAgeMs: DAY_MS,
    intervalMs: 1_000 / requestsPerSecond,
    allowPrivate: true,
    attribution: { Link: '<https://www.openstreetmap.org/copyright>; rel="license"' },
    isPlaceId: (text) => PLACE_ID.test(text),
    searchPlaces: (words, ask) => find('search', { q: words, limit }, ask),
    getPlace: async (placeId, ask) => {
      const [place] = await find('lookup', { osm_ids: placeId.slice('osm:'.length) }, ask);
      if (!place) throw new PlacesError('missing');
      return place;
    },
    findCities: (words, ask) => find('search', { q: words, limit, featureType: 'city' }, ask),
  };
}

/** Undefined without an id or a name: a house number, for example, is not a place to eat. */
function readPlace(fields: Properties | undefined): Place | undefined {
  const id = fields && placeIdOf(fields);
  if (!fields || id === undefined) return undefined;
  const tags = propertiesOf(fields.get('extratags'));
  return placeOf(id, {
    name: fields.get('name'),
    address: shortAddress(propertiesOf(fields.get('address'))) ?? fields.get('display_name'),
    phone: tags?.get('phone') ?? tags?.get('contact:phone'),
    website: tags?.get('website') ?? tags?.get('contact:website'),
    latitude: decimalOf(fields.get('lat')),
    longitude: decimalOf(fields.get('lon')),
  });
}

/** The id of the OpenStreetMap object; Nominatim's own `place_id` is not stable. */
function placeIdOf(fields: Properties): string | undefined {
  const number = fields.get('osm_id');
  const id = `osm:${OSM_TYPES.get(fields.get('osm_type')) ?? ''}${typeof number === 'number' ? number : ''}`;
  return PLACE_ID.test(id) ? id : undefined;
}

/**
 * Street, town and country in the order of a written address; `display_name` starts with the name of the place and lists
 * every district around it. Null without a street or a town.
 */
function shortAddress(address: Properties | undefined): string | null {
  const part = (...names: readonly string[]): string =>
    names.map((name) => cutText(address?.get(name), ADDRESS_MAX)).find((text) => text !== null) ?? '';
  const street = part('road', 'pedestrian', 'square');
  const town = part('city', 'town', 'village', 'municipality');
  if (street === '' || town === '') return null;
  const lines = [`${part('house_number')} ${street}`, `${part('postcode')} ${town}`, part('country')];
  const trimmed = lines.map((line) => line.trim());
  return trimmed.filter((line) => line !== '').join(', ');
}
