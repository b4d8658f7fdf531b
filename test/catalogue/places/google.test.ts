import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { array } from '../../support/client.ts';
import { CHEZ_NOUS, GOOGLE_KEY, PARIS, googleError } from '../../support/fake-google.ts';
import { sendingJson } from '../../support/fake-server.ts';
import { mapWithGoogle, outcome, warnings } from '../../support/places.ts';
import { startService } from '../../support/service.ts';

const CHEZ_NOUS_FOUND = {
  place_id: 'ChIJ-chez_nous',
  name: 'Chez Nous',
  address: '1 Rue du Bac, 75007 Paris, France',
  phone: '+33 1 23 45 67 89',
  website: 'https://chez-nous.example/',
  latitude: 48.858,
  longitude: 2.327,
};
const PARIS_FOUND = {
  place_id: 'ChIJ-paris',
  name: 'Paris',
  address: 'Paris, France',
  phone: null,
  website: null,
  latitude: 48.8575,
  longitude: 2.3514,
};
const PLACE_MASK = 'id,displayName,formattedAddress,location,internationalPhoneNumber,websiteUri';

describe('places of Google', () => {
  test('are searched by words, asking for the fields that are used and no other', async (t) => {
    const { service, provider } = await mapWithGoogle(t);
    const answer = await service.api.get('/places/search?q=chez+nous');
    assert.deepEqual(outcome(answer), [200, [CHEZ_NOUS_FOUND]]);
    const [asked] = provider.asked;
    assert.deepEqual([asked?.method, asked?.path, asked?.query.size], ['POST', '/v1/places:searchText', 0]);
    assert.equal(asked?.headers['x-goog-api-key'], GOOGLE_KEY);
    assert.equal(
      asked.headers['x-goog-fieldmask'],
      PLACE_MASK.split(',')
        .map((name) => `places.${name}`)
        .join(','),
    );
    assert.equal(asked.headers['accept-encoding'], 'identity');
    assert.deepEqual(JSON.parse(asked.body), { textQuery: 'chez nous', pageSize: 20 });
  });

  test('are told one by one', async (t) => {
    const { service, provider } = await mapWithGoogle(t);
    assert.deepEqual(outcome(await service.api.get('/places/ChIJ-chez_nous')), [200, CHEZ_NOUS_FOUND]);
    const [asked] = provider.asked;
    assert.deepEqual(
      [asked?.method, asked?.path, asked?.headers['x-goog-fieldmask'], asked?.body],
      ['GET', '/v1/places/ChIJ-chez_nous', PLACE_MASK, ''],
    );
  });

  test('that are cities are found by a call that asks for less', async (t) => {
    const { service, provider } = await mapWithGoogle(t);
    assert.deepEqual(outcome(await service.api.get('/geocode/cities?q=Paris')), [200, [PARIS_FOUND]]);
    const [asked] = provider.asked;
    assert.equal(
      asked?.headers['x-goog-fieldmask'],
      'places.id,places.displayName,places.formattedAddress,places.location',
    );
    assert.deepEqual(JSON.parse(asked.body), { textQuery: 'Paris', includedType: 'locality', pageSize: 20 });
  });

  test('that do not exist are an empty list, and 404 for one', async (t) => {
    const { service } = await mapWithGoogle(t);
    assert.deepEqual(outcome(await service.api.get('/places/search?q=nowhere')), [200, []]);
    assert.deepEqual(outcome(await service.api.get('/geocode/cities?q=chez')), [200, []]);
    assert.deepEqual(outcome(await service.api.get('/places/ChIJ-gone')), [
      404,
      { error: 'Place not found' },
    ]);
    assert.deepEqual(warnings(service), []);
  });

  test('are not taken from an error that comes with 200', async (t) => {
    const { service, provider } = await mapWithGoogle(t);
    provider.behave(sendingJson(200, googleError(500, 'INTERNAL', 'oops')));
    const error = 'Maps provider gave an answer that cannot be used';
    for (const path of ['/places/search?q=x', '/places/ChIJ-paris', '/geocode/cities?q=x'])
      assert.deepEqual(outcome(await service.api.get(path)), [502, { error }], path);
  });

  test('are asked for under the path of MAPS_BASE_URL', async (t) => {
    const { provider } = await mapWithGoogle(t);
    const settings = { MAPS_API_KEY: GOOGLE_KEY, MAPS_BASE_URL: `${provider.url}/proxy/` };
    const { api } = await startService(t, settings);
    assert.equal((await api.get('/places/search?q=x')).status, 502);
    assert.deepEqual(
      provider.asked.map(({ path }) => path),
      ['/proxy/v1/places:searchText'],
    );
  });

  const odd: readonly [string, object, object][] = [
    ['markup in a name', { displayName: { text: '<b>Chez</b> <script>x</script>Nous' } }, {}],
    ['a name of 300 characters', { displayName: { text: '🍕'.repeat(300) } }, { name: '🍕'.repeat(255) }],
    ['an address of 600 characters', { formattedAddress: 'a'.repeat(600) }, { address: 'a'.repeat(500) }],
    ['a phone of 60 digits', { internationalPhoneNumber: '1'.repeat(60) }, { phone: '1'.repeat(50) }],
    ['half a character', { formattedAddress: 'Paris \ud83c' }, { address: 'Paris �' }],
    ['an address that is a number', { formattedAddress: 75007 }, { address: null }],
    ['a website that is a script', { websiteUri: 'javascript:alert(1)' }, { website: null }],
    ['a website with blanks', { websiteUri: 'https://a.example/ b' }, { website: null }],
    [
      'a website of 600 characters',
      { websiteUri: `https://a.example/${'a'.repeat(582)}` },
      { website: null },
    ],
    [
      'a place beyond the pole',
      { location: { latitude: 90.1, longitude: 2 } },
      { latitude: null, longitude: null },
    ],
    ['one coordinate', { location: { latitude: 48.8 } }, { latitude: null, longitude: null }],
    [
      'coordinates as text',
      { location: { latitude: '48.8', longitude: '2.3' } },
      { latitude: null, longitude: null },
    ],
    ['no coordinates', { location: null }, { latitude: null, longitude: null }],
  ];
  test('are told without harm whatever they hold', async (t) => {
    const { service, provider } = await mapWithGoogle(t);
    for (const [index, [title, change, expected]] of odd.entries()) {
      provider.behave(sendingJson(200, { places: [{ ...CHEZ_NOUS, ...change }] }));
      const answer = await service.api.get(`/places/search?q=${index}`);
      assert.deepEqual(outcome(answer), [200, [{ ...CHEZ_NOUS_FOUND, ...expected }]], title);
    }
  });

  test('are left out of a search when they have no id or no name, and never more than 20', async (t) => {
    const { service, provider } = await mapWithGoogle(t);
    const bad = [
      { ...CHEZ_NOUS, id: undefined },
      { ...CHEZ_NOUS, id: '../admin' },
      { ...CHEZ_NOUS, id: 5 },
      { ...CHEZ_NOUS, displayName: { text: ' <b></b> ' } },
      { ...CHEZ_NOUS, displayName: 'Chez Nous' },
      null,
      5,
      'text',
      [],
    ];
    provider.behave(sendingJson(200, { places: [...bad, PARIS] }));
    assert.deepEqual(outcome(await service.api.get('/places/search?q=a')), [200, [PARIS_FOUND]]);
    provider.behave(sendingJson(200, { places: Array(30).fill(PARIS) }));
    assert.equal(array((await service.api.get('/places/search?q=b')).body).length, 20);
  });
});

describe('a look-up of places', () => {
  const refused: readonly [string, string][] = [
    ['/places/search', 'q is required'],
    ['/places/search?q=', 'q must not be blank'],
    ['/places/search?q=%20+', 'q must not be blank'],
    [`/places/search?q=${'x'.repeat(201)}`, 'q must be at most 200 characters'],
    ['/places/search?q=a&q=b', 'q must be given once'],
    ['/places/search?q=%ff', 'q is not valid percent-encoded UTF-8'],
    ['/geocode/cities', 'q is required'],
    ['/geocode/cities?q=%09', 'q must not be blank'],
    ['/places/a.b', 'Invalid place ID'],
    ['/places/..%2f..%2fv1', 'Invalid place ID'],
    ['/places/%2e%2e%2e', 'Invalid place ID'],
    ['/places/a%3Fkey=b', 'Invalid place ID'],
    ['/places/a%23b', 'Invalid place ID'],
    ['/places/osm:N1', 'Invalid place ID'],
    ['/places/%20', 'Invalid place ID'],
    [`/places/${'x'.repeat(256)}`, 'Invalid place ID'],
  ];
  test('is refused without a call of the provider when it cannot be one', async (t) => {
    const { service, provider } = await mapWithGoogle(t, { MAPS_DAILY_LIMIT: '1' });
    for (const [path, error] of refused)
      assert.deepEqual(outcome(await service.api.get(path)), [400, { error }], path.slice(0, 40));
    assert.equal(provider.asked.length, 0);
    assert.equal((await service.api.get('/places/search?q=Chez')).status, 200);
  });

  test('of an id with a slash in it is a path that is not there', async (t) => {
    const { service, provider } = await mapWithGoogle(t);
    assert.equal((await service.api.get('/places/a/b')).status, 404);
    assert.equal(provider.asked.length, 0);
  });

  test('takes words in every script, as they are', async (t) => {
    const { service, provider } = await mapWithGoogle(t);
    const words = '寿司 "&key=x\\ \u0000😀';
    assert.equal((await service.api.get(`/places/search?q=${encodeURIComponent(words)}`)).status, 200);
    assert.deepEqual(JSON.parse(provider.asked[0]?.body ?? ''), { textQuery: words, pageSize: 20 });
  });

  test('answers 503 where no provider is configured', async (t) => {
    const error = 'Maps provider is not configured';
    for (const variables of [{}, { MAPS_API_KEY: 'key', MAPS_PROVIDER: 'none' }]) {
      const { api } = await startService(t, variables);
      for (const path of ['/places/search?q=x', '/places/x', '/geocode/cities?q=x'])
        assert.deepEqual(outcome(await api.get(path)), [503, { error }]);
    }
  });
});
