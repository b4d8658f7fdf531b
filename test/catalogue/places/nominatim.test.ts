import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readVersion } from '../../../src/kit/version.ts';
import { array } from '../../support/client.ts';
import { LYON, OSTERIA } from '../../support/fake-nominatim.ts';
import { sending, sendingJson } from '../../support/fake-server.ts';
import { mapWithGoogle, mapWithNominatim, outcome, warnings } from '../../support/places.ts';

const OSTERIA_FOUND = {
  place_id: 'osm:N107775',
  name: 'Osteria',
  address: '1 Rue du Bac, 75007 Paris, France',
  phone: '+33 1 98 76 54 32',
  website: 'https://osteria.example',
  latitude: 48.858021,
  longitude: 2.3270001,
};
const LYON_FOUND = {
  place_id: 'osm:R120965',
  name: 'Lyon',
  address: 'Lyon, Métropole de Lyon, Rhône, France',
  phone: null,
  website: null,
  latitude: 45.7578137,
  longitude: 4.8320114,
};
const DETAILS = { format: 'jsonv2', addressdetails: '1', extratags: '1' };
const NOWHERE = { latitude: null, longitude: null };
const NO_LATITUDES = [
  '',
  ' ',
  'NaN',
  'Infinity',
  '1e3',
  '90.1',
  '-90.0001',
  '0x10',
  '48,8',
  '48.8 ',
  '1'.repeat(400),
  48.8,
  null,
];
const LICENCE = '<https://www.openstreetmap.org/copyright>; rel="license"';

describe('places of Nominatim', () => {
  test('are searched by words, in the name of the service and of whom to turn to', async (t) => {
    const { service, provider } = await mapWithNominatim(t);
    const answer = await service.api.get('/places/search?q=osteria');
    assert.deepEqual(outcome(answer), [200, [OSTERIA_FOUND]]);
    const [asked] = provider.asked;
    assert.deepEqual([asked?.method, asked?.path, asked?.body], ['GET', '/search', '']);
    assert.deepEqual(Object.fromEntries(asked?.query ?? []), { q: 'osteria', limit: '20', ...DETAILS });
    assert.equal(asked?.headers['user-agent'], `restaurant-catalogue/${readVersion()} (maps@food.example)`);
    assert.equal(asked.headers['accept-encoding'], 'identity');
  });

  const objects: readonly [string, string, string][] = [
    ['node', 'osm:N5', 'N5'],
    ['way', 'osm:W5', 'W5'],
    ['relation', 'osm:R9007199254740991', 'R9007199254740991'],
  ];
  test('are told one by one, as the objects of OpenStreetMap', async (t) => {
    const { service, provider } = await mapWithNominatim(t);
    for (const [type, placeId, osmIds] of objects) {
      provider.behave(sendingJson(200, [{ ...OSTERIA, osm_type: type, osm_id: Number(osmIds.slice(1)) }]));
      assert.deepEqual(outcome(await service.api.get(`/places/${placeId}`)), [
        200,
        { ...OSTERIA_FOUND, place_id: placeId },
      ]);
      const asked = provider.asked.at(-1);
      assert.equal(asked?.path, '/lookup');
      assert.deepEqual(Object.fromEntries(asked.query), { osm_ids: osmIds, ...DETAILS });
    }
  });

  test('that are cities are found as such', async (t) => {
    const { service, provider } = await mapWithNominatim(t);
    assert.deepEqual(outcome(await service.api.get('/geocode/cities?q=Lyon')), [200, [LYON_FOUND]]);
    assert.deepEqual(outcome(await service.api.get('/geocode/cities?q=Osteria')), [200, []]);
    const [asked] = provider.asked;
    assert.equal(asked?.path, '/search');
    assert.deepEqual(Object.fromEntries(asked.query), {
      q: 'Lyon',
      limit: '20',
      featureType: 'city',
      ...DETAILS,
    });
  });

  test('that do not exist are an empty list, and 404 for one', async (t) => {
    const { service } = await mapWithNominatim(t);
    assert.deepEqual(outcome(await service.api.get('/places/search?q=nowhere')), [200, []]);
    assert.deepEqual(outcome(await service.api.get('/places/osm:N1')), [404, { error: 'Place not found' }]);
    assert.deepEqual(warnings(service), []);
  });

  test('name their licence, also where they come from the cache; those of Google do not', async (t) => {
    const { service } = await mapWithNominatim(t);
    const paths = ['/places/search?q=osteria', '/places/osm:N107775', '/geocode/cities?q=lyon'];
    for (const path of [...paths, ...paths])
      assert.equal((await service.api.get(path)).headers.get('link'), LICENCE, path);
    const google = await mapWithGoogle(t);
    for (const path of ['/places/search?q=chez', '/places/ChIJ-paris', '/geocode/cities?q=paris']) {
      const answer = await google.service.api.get(path);
      assert.deepEqual([answer.status, answer.headers.get('link')], [200, null], path);
    }
  });

  const tags = (extratags: unknown): object => ({ extratags });
  const odd: readonly [string, object, object][] = [
    [
      'a plain phone and website',
      tags({ phone: '1', website: 'http://a.example' }),
      told('1', 'http://a.example'),
    ],
    [
      'both of each',
      tags({
        phone: '1',
        'contact:phone': '2',
        website: 'https://a.example',
        'contact:website': 'https://b.example',
      }),
      told('1', 'https://a.example'),
    ],
    [
      'what is written in the other place alone',
      tags({ 'contact:phone': '2', 'contact:website': 'https://b.example' }),
      told('2', 'https://b.example'),
    ],
    ['a website without a scheme', tags({ website: 'osteria.example' }), told(null, null)],
    ['no tags', tags(null), told(null, null)],
    ['tags that are text', tags('phone'), told(null, null)],
    ['an address without a street', address({ city: 'Paris' }), { address: OSTERIA.display_name }],
    ['an address without a town', address({ road: 'Rue du Bac' }), { address: OSTERIA.display_name }],
    ['an address that is null', address(null), { address: OSTERIA.display_name }],
    ['a square in a village', address({ square: 'Au Lac', village: 'Bled' }), { address: 'Au Lac, Bled' }],
    ['a street that is a number', address({ road: 5, city: 'Paris' }), { address: OSTERIA.display_name }],
    ['no address at all', { address: null, display_name: null }, { address: null }],
    ['coordinates in short', { lat: '-5', lon: '+1.5e1' }, { latitude: -5, longitude: 15 }],
    ...NO_LATITUDES.map((lat): [string, object, object] => [
      `the latitude ${JSON.stringify(lat).slice(0, 20)}`,
      { lat },
      NOWHERE,
    ]),
    ['a longitude beyond 180', { lon: '180.5' }, NOWHERE],
    ['no longitude', { lon: undefined }, NOWHERE],
  ];
  test('are told without harm whatever they hold', async (t) => {
    const { service, provider } = await mapWithNominatim(t);
    for (const [index, [title, change, expected]] of odd.entries()) {
      provider.behave(sendingJson(200, [{ ...OSTERIA, ...change }]));
      const answer = await service.api.get(`/places/search?q=${index}`);
      assert.deepEqual(outcome(answer), [200, [{ ...OSTERIA_FOUND, ...expected }]], title);
    }
  });

  test('are left out when they have no name or no object of OpenStreetMap, and never more than 20', async (t) => {
    const { service, provider } = await mapWithNominatim(t);
    const bad = [
      ...[undefined, null, '', ' <b></b> ', 5].map((name) => ({ ...OSTERIA, name })),
      ...[undefined, null, 0, -1, 1.5, 1e21, '107775', 'N1/../x'].map((osm_id) => ({ ...OSTERIA, osm_id })),
      ...[undefined, null, '', 'N', 'area', 'toString'].map((osm_type) => ({ ...OSTERIA, osm_type })),
      null,
      5,
      'text',
      [],
    ];
    for (const [index, item] of bad.entries()) {
      provider.behave(sendingJson(200, [item, LYON]));
      const answer = await service.api.get(`/places/search?q=${index}`);
      assert.deepEqual(outcome(answer), [200, [LYON_FOUND]], JSON.stringify(item));
    }
    provider.behave(sendingJson(200, Array(30).fill(LYON)));
    assert.equal(array((await service.api.get('/places/search?q=many')).body).length, 20);
  });
});

describe('a look-up at Nominatim', () => {
  test('of an id that no object of OpenStreetMap has is refused without a call', async (t) => {
    const { service, provider } = await mapWithNominatim(t);
    const wrong = ['X1', 'N0', 'N', 'N01', 'n1', 'N-1', 'N1.5', 'N1,W2', `N${'1'.repeat(17)}`, ''];
    const ids = [
      ...wrong.map((end) => `osm:${end}`),
      'osm',
      'N107775',
      'ChIJ-chez_nous',
      'osm:N1%26format=xml',
    ];
    for (const id of ids) {
      const answer = await service.api.get(`/places/${id}`);
      assert.deepEqual(outcome(answer), [400, { error: 'Invalid place ID' }], id);
    }
    assert.equal(provider.asked.length, 0);
  });

  test('takes words in every script, as they are', async (t) => {
    const { service, provider } = await mapWithNominatim(t);
    const words = '寿司 "&format=xml#+%00😀';
    assert.equal((await service.api.get(`/places/search?q=${encodeURIComponent(words)}`)).status, 200);
    assert.deepEqual(provider.asked[0]?.query.getAll('q'), [words]);
    assert.deepEqual(provider.asked[0].query.getAll('format'), ['jsonv2']);
  });

  for (const status of [403, 429])
    test(`is 502 when the server blocks the service with a page and ${status}`, async (t) => {
      const { service, provider } = await mapWithNominatim(t);
      provider.behave(
        sending(status, '<html><h1>Access blocked</h1></html>', { 'Content-Type': 'text/html' }),
      );
      const error = 'Maps provider refused the request';
      for (const path of ['/places/search?q=x', '/places/osm:N1', '/geocode/cities?q=x'])
        assert.deepEqual(outcome(await service.api.get(path)), [502, { error }], path);
      const reason = `http ${status}`;
      const line = { message: 'maps provider failed', provider: 'nominatim', status, reason };
      assert.deepEqual(warnings(service), [line, line, line]);
    });
});

/** Phone and website of a place. */
function told(phone: string | null, website: string | null): object {
  return { phone, website };
}

function address(parts: unknown): object {
  return { address: parts };
}
