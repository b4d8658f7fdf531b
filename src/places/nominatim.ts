import type { OutboundAnswer } from '../outbound/fetch.ts';
import { type Properties, parseJson, propertiesOf } from '../objects.ts';
import { addressOf, decimalOf, failureOf, nameOf, nonsense, phoneOf, pointOf, websiteOf } from './answer.ts';
import { type Ask, type MapsProvider, type Place, PlacesError } from './provider.ts';

export interface NominatimOptions {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** The contact for its operators. */
  readonly contact: string;
  /** The version of this service. */
  readonly version: string;
}

const PLACE_ID = /^osm:[NWR][1-9][0-9]{0,15}$/;
const MAX_HITS = 20;
const MAX_AGE_MS = 24 * 60 * 60 * 1000;
const TYPES: ReadonlyMap<unknown, string> = new Map([
  ['node', 'N'],
  ['way', 'W'],
  ['relation', 'R'],
]);

/** A Nominatim server: https://nominatim.org/release-docs/latest/api/Overview/ */
export function createNominatim({ baseUrl, contact, version }: NominatimOptions): MapsProvider {
  const headers = {
    Accept: 'application/json',
    'User-Agent': `restaurant-catalogue/${version} (${contact})`,
  };

  async function find(
    path: string,
    parameters: Readonly<Record<string, string>>,
    ask: Ask,
  ): Promise<Place[]> {
    const query = new URLSearchParams({
      ...parameters,
      format: 'jsonv2',
      addressdetails: '1',
      extratags: '1',
    });
    return readHits(await ask(`${baseUrl}/${path}?${query.toString()}`, { headers }));
  }

  const limit = String(MAX_HITS);
  return {
    name: 'nominatim',
    maxAgeMs: MAX_AGE_MS,
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

/** The items that can be used; an item without a name, such as a street number, is no place to eat at. */
function readHits(answer: OutboundAnswer): Place[] {
  if (answer.status !== 200) throw failureOf(answer);
  const items = parseJson(answer.text);
  if (!Array.isArray(items)) throw nonsense('no array of places');
  return items
    .slice(0, MAX_HITS)
    .map((item) => readPlace(propertiesOf(item)))
    .filter((place) => place !== undefined);
}

function readPlace(fields: Properties | undefined): Place | undefined {
  const id = fields && placeIdOf(fields);
  const name = nameOf(fields?.get('name'));
  if (!fields || id === undefined || name === null) return undefined;
  const tags = propertiesOf(fields.get('extratags'));
  return {
    place_id: id,
    name,
    address: shortAddress(propertiesOf(fields.get('address'))) ?? addressOf(fields.get('display_name')),
    phone: phoneOf(tags?.get('phone') ?? tags?.get('contact:phone')),
    website: websiteOf(tags?.get('website') ?? tags?.get('contact:website')),
    ...pointOf(decimalOf(fields.get('lat')), decimalOf(fields.get('lon'))),
  };
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
    names.map((name) => addressOf(address?.get(name))).find((text) => text !== null) ?? '';
  const street = part('road', 'pedestrian', 'square');
  const town = part('city', 'town', 'village', 'municipality');
  if (street === '' || town === '') return null;
  const lines = [`${part('house_number')} ${street}`, `${part('postcode')} ${town}`, part('country')];
  return addressOf(
    lines
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .join(', '),
  );
}
