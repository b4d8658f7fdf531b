import type { OutboundAnswer } from '../../kit/fetch.ts';
import { type Properties, parseJson, propertiesOf } from '../../kit/objects.ts';
import {
  type Ask,
  MAX_HITS,
  type MapsProvider,
  type Place,
  PlacesError,
  failureOf,
  nonsense,
  placeOf,
  placesIn,
} from './provider.ts';

export interface GoogleOptions {
  readonly provider: 'google';
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly key: string;
  readonly hasOwnHost: boolean;
}

const PLACE_ID = /^[A-Za-z0-9_-]{1,255}$/;
// Google's terms allow storing only the place id; a minute is enough to answer repeated requests.
const MAX_AGE_MS = 60_000;
// Google bills by the fields requested, and a city has no phone or website.
const CITY_FIELDS = ['id', 'displayName', 'formattedAddress', 'location'];
const PLACE_FIELDS = [...CITY_FIELDS, 'internationalPhoneNumber', 'websiteUri'];

/** Google Places API (New): https://developers.google.com/maps/documentation/places/web-service/op-overview */
export function createGoogle({ baseUrl, key, hasOwnHost }: GoogleOptions): MapsProvider {
  const headers = (fields: readonly string[]): Record<string, string> => ({
    Accept: 'application/json',
    'X-Goog-Api-Key': key,
    'X-Goog-FieldMask': fields.join(','),
  });

  async function search(fields: readonly string[], wanted: object, ask: Ask): Promise<readonly Place[]> {
    const mask = fields.map((field) => `places.${field}`);
    const answer = await ask(`${baseUrl}/v1/places:searchText`, {
      method: 'POST',
      headers: { ...headers(mask), 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...wanted, pageSize: MAX_HITS }),
    });
    // Without hits, the answer is an object without `places`.
    return placesIn(readFields(answer).get('places') ?? [], readPlace, 'places is no array');
  }

  return {
    maxAgeMs: MAX_AGE_MS,
    intervalMs: 0,
    allowPrivate: hasOwnHost,
    attribution: {},
    isPlaceId: (text) => PLACE_ID.test(text),
    searchPlaces: (words, ask) => search(PLACE_FIELDS, { textQuery: words }, ask),
    getPlace: async (placeId, ask) => {
      const address = `${baseUrl}/v1/places/${encodeURIComponent(placeId)}`;
      const answer = await ask(address, { headers: headers(PLACE_FIELDS) });
      if (answer.status === 404) throw new PlacesError('missing');
      const place = readPlace(readFields(answer));
      if (!place) throw nonsense('place without id or name');
      return place;
    },
    findCities: (words, ask) => search(CITY_FIELDS, { textQuery: words, includedType: 'locality' }, ask),
  };
}

function readFields(answer: OutboundAnswer): Properties {
  const fields = propertiesOf(parseJson(answer.text));
  if (answer.status !== 200) throw failureOf(answer, reasonOf(fields));
  if (!fields || fields.has('error')) throw nonsense('no object of places');
  return fields;
}

/** Undefined without an id or a name. */
function readPlace(fields: Properties | undefined): Place | undefined {
  const id = fields?.get('id');
  if (!fields || typeof id !== 'string' || !PLACE_ID.test(id)) return undefined;
  const location = propertiesOf(fields.get('location'));
  return placeOf(id, {
    name: propertiesOf(fields.get('displayName'))?.get('text'),
    address: fields.get('formattedAddress'),
    phone: fields.get('internationalPhoneNumber'),
    website: fields.get('websiteUri'),
    latitude: location?.get('latitude'),
    longitude: location?.get('longitude'),
  });
}

/** The `reason` of a google.rpc.ErrorInfo, because only that reveals a bad key; never the message next to it. */
function reasonOf(fields: Properties | undefined): string | undefined {
  const details = propertiesOf(fields?.get('error'))?.get('details');
  const reasons = (Array.isArray(details) ? details : []).map((detail) =>
    propertiesOf(detail)?.get('reason'),
  );
  return reasons
    .filter((reason) => typeof reason === 'string')
    .find((reason) => /^[A-Z_]{1,64}$/.test(reason));
}
