import type { ServerResponse } from 'node:http';
import type { Cleanup } from './cleanup.ts';
import {
  type Asked,
  type FakeServer,
  type Fault,
  sendJson,
  sendingJson,
  startFakeServer,
} from './fake-server.ts';

type Json = Readonly<Record<string, unknown>>;

/** The key that the fake lets in. */
export const GOOGLE_KEY = 'canary-AIzaSyD-of-the-maps-key_0123456789';

/** A place as Google has it, with more fields than anybody asks for. */
export const CHEZ_NOUS = {
  name: 'places/ChIJ-chez_nous',
  id: 'ChIJ-chez_nous',
  displayName: { text: 'Chez Nous', languageCode: 'fr' },
  formattedAddress: '1 Rue du Bac, 75007 Paris, France',
  location: { latitude: 48.858, longitude: 2.327 },
  types: ['restaurant', 'food'],
  internationalPhoneNumber: '+33 1 23 45 67 89',
  nationalPhoneNumber: '01 23 45 67 89',
  websiteUri: 'https://chez-nous.example/',
  rating: 4.5,
  photos: [{ name: 'places/ChIJ-chez_nous/photos/x' }],
};

/** A city as Google has it. */
export const PARIS = {
  name: 'places/ChIJ-paris',
  id: 'ChIJ-paris',
  displayName: { text: 'Paris', languageCode: 'fr' },
  formattedAddress: 'Paris, France',
  location: { latitude: 48.8575, longitude: 2.3514 },
  types: ['locality', 'political'],
};

const NO_MASK =
  'FieldMask is a required parameter. See https://cloud.google.com/apis/docs/system-parameters on how to provide it.';
const FIELDS = new Set([...Object.keys(CHEZ_NOUS), ...Object.keys(PARIS)]);

/** An error as Google's services answer it. */
export function googleError(code: number, status: string, message: string, reason?: string): Json {
  const detail = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason,
    domain: 'googleapis.com',
    metadata: { service: 'places.googleapis.com' },
  };
  return { error: { code, message, status, ...(reason !== undefined && { details: [detail] }) } };
}

/** What Google itself does to a request that it refuses, by name. The messages echo the key, as some do. */
export const GOOGLE_REFUSALS = {
  'a key that is not valid': sendingJson(
    400,
    googleError(400, 'INVALID_ARGUMENT', `API key not valid: ${GOOGLE_KEY}`, 'API_KEY_INVALID'),
  ),
  'a key that is for other referrers': sendingJson(
    403,
    googleError(
      403,
      'PERMISSION_DENIED',
      `Requests with ${GOOGLE_KEY} from referer <empty> are blocked.`,
      'API_KEY_HTTP_REFERRER_BLOCKED',
    ),
  ),
  'a used up quota': sendingJson(429, googleError(429, 'RESOURCE_EXHAUSTED', `Quota of ${GOOGLE_KEY}`)),
} satisfies Readonly<Record<string, Fault>>;

/** Starts a fake of Places API (New) that knows these places, and the key above. */
export async function startFakeGoogle(
  t: Cleanup,
  places: readonly Json[] = [CHEZ_NOUS, PARIS],
): Promise<FakeServer> {
  return startFakeServer(t, (response, asked) => {
    answer(response, asked, places);
  });
}

function answer(response: ServerResponse, asked: Asked, places: readonly Json[]): void {
  const { headers, method, path } = asked;
  const refuse = (message: string, reason?: string): void => {
    sendJson(response, 400, googleError(400, 'INVALID_ARGUMENT', message, reason));
  };
  const mask = String(headers['x-goog-fieldmask'] ?? '');
  const isSearch = method === 'POST' && path === '/v1/places:searchText';
  if (headers['x-goog-api-key'] !== GOOGLE_KEY) refuse('API key not valid.', 'API_KEY_INVALID');
  else if (mask === '') refuse(NO_MASK);
  else if (!isMask(mask, isSearch ? 'places.' : '')) refuse(`Error expanding 'fields' parameter: ${mask}`);
  else if (isSearch) search(response, asked, mask.replaceAll('places.', ''), places, refuse);
  else {
    const place = places.find(({ id }) => method === 'GET' && path === `/v1/places/${String(id)}`);
    if (place) sendJson(response, 200, masked(place, mask));
    else sendJson(response, 404, googleError(404, 'NOT_FOUND', 'The Place ID is no longer valid.'));
  }
}

function search(
  response: ServerResponse,
  { body }: Asked,
  mask: string,
  places: readonly Json[],
  refuse: (message: string) => void,
): void {
  const wanted: unknown = JSON.parse(body);
  if (typeof wanted !== 'object' || wanted === null) {
    refuse('Empty text_query.');
    return;
  }
  const fields = new Map<string, unknown>(Object.entries(wanted));
  const [textQuery, includedType, pageSize = 20] = ['textQuery', 'includedType', 'pageSize'].map((name) =>
    fields.get(name),
  );
  if (typeof textQuery !== 'string' || textQuery === '') refuse('Empty text_query.');
  else if (typeof pageSize !== 'number' || pageSize < 1 || pageSize > 20) refuse('Invalid page_size.');
  else {
    const hits = places.filter(
      ({ displayName, types }) =>
        JSON.stringify(displayName).toLowerCase().includes(textQuery.toLowerCase()) &&
        (includedType === undefined || (Array.isArray(types) && types.includes(includedType))),
    );
    // Without a hit there is no `places` at all.
    sendJson(response, 200, hits.length === 0 ? {} : { places: hits.map((hit) => masked(hit, mask)) });
  }
}

function isMask(mask: string, prefix: string): boolean {
  return mask.split(',').every((path) => path.startsWith(prefix) && FIELDS.has(path.slice(prefix.length)));
}

function masked(place: Json, mask: string): Json {
  const fields = new Set(mask.split(','));
  return Object.fromEntries(Object.entries(place).filter(([name]) => fields.has(name)));
}
