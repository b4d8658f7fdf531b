import { type Properties, parseJson, propertiesOf } from '../../kit/objects.ts';
import {
  ADDRESS_MAX,
  MAX_HITS,
  decimalOf,
  failureOf,
  nonsense,
  placeOf,
  placesIn,
  textOf,
} from './answer.ts';
import { type Ask, type MapsProvider, type Place, PlacesError } from './provider.ts';
import { DAY_MS } from '../../kit/time.ts';

/** Nominatim, with the pace that its operators allow to the whole service. */
export interface NominatimOptions {
  readonly provider: 'nominatim';
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** The contact for its operators. */
  readonly contact: string;
  readonly requestsPerSecond: number;
}

const PLACE_ID = /^osm:[NWR][1-9][0-9]{0,15}$/;
const MAX_AGE_MS = DAY_MS;
const TYPES: ReadonlyMap<unknown, string> = new Map([
  ['node', 'N'],
  ['way', 'W'],
  ['relation', 'R'],
]);

/** A Nominatim server, asked by this version of the service: https://nominatim.org/release-docs/latest/api/Overview/ */
export function createNominatim(options: NominatimOptions, version: string): MapsProvider {
  const { baseUrl, contact, requestsPerSecond } = options;
  const headers = {
    Accept: 'application/json',
    'User-Agent': `restaurant-catalogue/${version} (${contact})`,
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
    const places = placesIn(parseJson(answer.text), readPlace);
    if (!places) throw nonsense('no array of places');
    return places;
  }

  const limit = String(MAX_HITS);
  return {
    name: 'nominatim',
    maxAgeMs: MAX_AGE_MS,
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

/** Undefined for what has no id or no name, such as a street number: that is no place to eat at. */
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

/** The object of OpenStreetMap; Nominatim's own `place_id` is another one tomorrow. */
function placeIdOf(fields: Properties): string | undefined {
  const number = fields.get('osm_id');
  const id = `osm:${TYPES.get(fields.get('osm_type')) ?? ''}${typeof number === 'number' ? number : ''}`;
  return PLACE_ID.test(id) ? id : undefined;
}

/**
 * Street, town and country, as an address is written; `display_name` begins with the name of the place and holds every
 * district around it. Null where no street or no town is known.
 */
function shortAddress(address: Properties | undefined): string | null {
  const part = (...names: readonly string[]): string =>
    names.map((name) => textOf(address?.get(name), ADDRESS_MAX)).find((text) => text !== null) ?? '';
  const street = part('road', 'pedestrian', 'square');
  const town = part('city', 'town', 'village', 'municipality');
  if (street === '' || town === '') return null;
  const lines = [`${part('house_number')} ${street}`, `${part('postcode')} ${town}`, part('country')];
  const trimmed = lines.map((line) => line.trim());
  return trimmed.filter((line) => line !== '').join(', ');
}
