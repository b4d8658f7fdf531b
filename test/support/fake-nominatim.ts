import type { ServerResponse } from 'node:http';
import type { Cleanup } from './cleanup.ts';
import { type Asked, type FakeServer, sendJson, startFakeServer } from './fake-server.ts';

type Json = Readonly<Record<string, unknown>>;

const LICENCE = 'Data © OpenStreetMap contributors, ODbL 1.0. http://osm.org/copyright';

/** A restaurant as Nominatim has it in format jsonv2 with all details. */
export const OSTERIA = {
  place_id: 90_210,
  licence: LICENCE,
  osm_type: 'node',
  osm_id: 107_775,
  lat: '48.8580210',
  lon: '2.3270001',
  category: 'amenity',
  type: 'restaurant',
  place_rank: 30,
  importance: 0.00008,
  addresstype: 'amenity',
  name: 'Osteria',
  display_name: 'Osteria, 1, Rue du Bac, 7th Arrondissement, Paris, Île-de-France, 75007, France',
  address: {
    amenity: 'Osteria',
    house_number: '1',
    road: 'Rue du Bac',
    city: 'Paris',
    state: 'Île-de-France',
    postcode: '75007',
    country: 'France',
    country_code: 'fr',
  },
  extratags: { cuisine: 'italian', 'contact:phone': '+33 1 98 76 54 32', website: 'https://osteria.example' },
  boundingbox: ['48.8579710', '48.8580710', '2.3269501', '2.3270501'],
};

/** A city as Nominatim has it. */
export const LYON = {
  place_id: 90_211,
  licence: LICENCE,
  osm_type: 'relation',
  osm_id: 120_965,
  lat: '45.7578137',
  lon: '4.8320114',
  category: 'boundary',
  type: 'administrative',
  addresstype: 'city',
  name: 'Lyon',
  display_name: 'Lyon, Métropole de Lyon, Rhône, France',
  address: { city: 'Lyon', state: 'Auvergne-Rhône-Alpes', country: 'France', country_code: 'fr' },
  extratags: null,
};

const ALLOWED = new Set(['q', 'format', 'limit', 'featureType', 'addressdetails', 'extratags', 'osm_ids']);

/** Starts a fake of a Nominatim server that knows these items. */
export async function startFakeNominatim(
  t: Cleanup,
  items: readonly Json[] = [OSTERIA, LYON],
): Promise<FakeServer> {
  return startFakeServer(t, (response, asked) => {
    answer(response, asked, items);
  });
}

function answer(response: ServerResponse, asked: Asked, items: readonly Json[]): void {
  const { path, query } = asked;
  const agent = asked.headers['user-agent'] ?? '';
  // As the public server does with libraries that do not say whom they serve.
  if (agent === '' || /^(node|undici)/.test(agent))
    response.writeHead(403).end('<html>Access blocked</html>');
  else if (query.get('format') !== 'jsonv2') response.end('<html>A map</html>');
  else if ([...query.keys()].some((name) => !ALLOWED.has(name))) refuse(response, 'Unknown parameter');
  else if (path === '/search') search(response, query, items);
  else if (path === '/lookup') lookUp(response, query, items);
  else response.writeHead(404).end('Not found');
}

function refuse(response: ServerResponse, message: string): void {
  sendJson(response, 400, { error: { code: 400, message } });
}

function search(response: ServerResponse, query: URLSearchParams, items: readonly Json[]): void {
  const words = query.get('q')?.toLowerCase() ?? '';
  const limit = Number(query.get('limit') ?? 10);
  if (words === '') {
    refuse(response, 'Nothing to search for.');
    return;
  }
  const hits = items
    .filter(({ display_name }) => String(display_name).toLowerCase().startsWith(words))
    .filter(({ addresstype }) => query.get('featureType') !== 'city' || addresstype === 'city')
    .slice(0, Math.min(limit, 40));
  sendItems(response, query, hits);
}

function lookUp(response: ServerResponse, query: URLSearchParams, items: readonly Json[]): void {
  const wanted = (query.get('osm_ids') ?? '').split(',');
  if (wanted.length > 50) {
    refuse(response, 'Too many object IDs.');
    return;
  }
  const found = items.filter(({ osm_type, osm_id }) =>
    wanted.includes(`${String(osm_type).charAt(0).toUpperCase()}${String(osm_id)}`),
  );
  sendItems(response, query, found);
}

/** Answers items without what was not asked for. */
function sendItems(response: ServerResponse, query: URLSearchParams, items: readonly Json[]): void {
  const shown = items.map(({ address, extratags, ...rest }) => ({
    ...rest,
    ...(query.get('addressdetails') === '1' && { address }),
    ...(query.get('extratags') === '1' && { extratags }),
  }));
  sendJson(response, 200, shown);
}
