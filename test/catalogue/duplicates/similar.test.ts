import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRestaurants, createSuggestions } from '../../support/catalogue.ts';
import { changeOf, revert } from '../../support/changes.ts';
import { type Client, array, bodyOf, field, idOf, ids, record } from '../../support/client.ts';
import { PLACE, SAME, floors, idsOfSimilar, pairPage, similarTo } from '../../support/duplicates.ts';
import { LOCAL, changeStored } from '../../support/people.ts';
import { startService } from '../../support/service.ts';

type Asked = Readonly<Record<string, string | number>>;

const NAME = { name: SAME.name };
const SPOT = { lat: SAME.latitude, lng: SAME.longitude };
const WHOLE = { ...NAME, address: SAME.address, phone: SAME.phone, website: 'chez-nous.example', ...SPOT };

/** What a search says of the only place that it finds. */
async function found(api: Client, asked: Asked): Promise<unknown> {
  const places = await similarTo(api, asked);
  if (places.length === 0) return 'nothing';
  assert.equal(places.length, 1);
  const { certain, reasons, distance_m } = record(places[0]);
  return { certain, reasons, distance_m };
}

describe('a place that is asked for', () => {
  const FOUND_BY: readonly (readonly [string, Asked, boolean, readonly string[]])[] = [
    ['its name alone', NAME, false, ['name']],
    ['its name and phone number', { ...NAME, phone: SAME.phone }, true, ['phone', 'name']],
    ['its name and address', { ...NAME, address: SAME.address }, true, ['name', 'address']],
    [
      'its name, address and the host of its website',
      { ...NAME, address: SAME.address, website: 'chez-nous.example' },
      true,
      ['name', 'address', 'website'],
    ],
    ['its name and a spot close by', { ...NAME, ...SPOT }, true, ['name', 'near']],
    ['all of it', WHOLE, true, ['phone', 'name', 'address', 'website', 'near']],
  ];
  test('is found by what is known of it, written in another way', async (t) => {
    const { api } = await startService(t);
    const [id] = await createRestaurants(api, [PLACE, { name: 'Osteria Bella' }]);
    for (const [what, asked, certain, reasons] of FOUND_BY) {
      const [place] = await similarTo(api, asked);
      assert.equal(field(field(place, 'restaurant'), 'id'), id, what);
      assert.deepEqual([field(place, 'certain'), field(place, 'reasons')], [certain, reasons], what);
    }
  });

  test('is shown as the restaurant that it is, with its distance in metres', async (t) => {
    const { api } = await startService(t);
    const [id] = await createRestaurants(api, [PLACE]);
    const [place] = await similarTo(api, WHOLE);
    const { body } = await api.get('/restaurants');
    assert.deepEqual([field(place, 'restaurant')], body);
    assert.equal(field(place, 'distance_m'), 13);
    assert.equal(field((await similarTo(api, NAME))[0], 'distance_m'), null);
    assert.equal(id, 1);
  });

  test('is not another one', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [PLACE]);
    for (const asked of [
      { name: 'Osteria Bella' },
      { name: 'Osteria Bella', ...SPOT },
      { name: 'Restaurant', lat: 1, lng: 1 },
    ])
      assert.equal(await found(api, asked), 'nothing', JSON.stringify(asked));
  });

  test('is a branch of a chain in another town, but not certainly', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [PLACE]);
    const asked = { name: 'Chez Nous', address: '8 Place Bellecour, Lyon', lat: 45.758, lng: 4.832 };
    const [place] = await similarTo(api, asked);
    if (place !== undefined) assert.equal(field(place, 'certain'), false);
  });

  const SCRIPTS: readonly (readonly [string, string])[] = [
    ['Café Sankt Jørgen', 'CAFE SANKT JORGEN'],
    ['Ｓｕｓｈｉ　Ｄａｉ', 'Sushi Dai'],
    ['寿司大', '寿司大'],
    ['토속촌 삼계탕', '토속촌삼계탕'],
    ['Ресторан Пушкинъ', 'ресторан пушкинъ'],
    ['Ταβέρνα του Ψυρρή', 'ΤΑΒΕΡΝΑ ΤΟΥ ΨΥΡΡΗ'],
    ['مطعم أبو طارق', 'مطعم ابو طارق'],
    ['ร้านเจ๊ไฝ', 'ร้านเจ๊ไฝ'],
    ['करीम होटल', 'करीम होटल'],
    ['מסעדת מחניודה', 'מסעדת מחניודה'],
    ['🍜', '🍜'],
  ];
  test('is found by a name in any script', async (t) => {
    const { api } = await startService(t);
    const created = await createRestaurants(
      api,
      SCRIPTS.map(([name], index) => ({ name, latitude: index, longitude: 20 })),
    );
    for (const [index, [, name]] of SCRIPTS.entries())
      assert.deepEqual(
        idsOfSimilar(await similarTo(api, { name, lat: index, lng: 20 })),
        [created[index]],
        name,
      );
  });

  test('is found among pending suggestions, too', async (t) => {
    const { api } = await startService(t);
    const [restaurant] = await createRestaurants(api, [PLACE]);
    const [suggestion] = await createSuggestions(api, [SAME]);
    const places = await similarTo(api, WHOLE);
    assert.deepEqual(
      places.map((place) => [
        field(field(place, 'restaurant'), 'id'),
        field(field(place, 'restaurant'), 'is_suggestion'),
      ]),
      [
        [restaurant, false],
        [suggestion, true],
      ],
    );
  });
});

describe('a place whose name is in another script', () => {
  const NAMES = [
    ['すし大', 'The Big Fish'],
    ['さくら', '桜'],
    ['BAR 桜', 'Bar Sakura'],
    ['명동교자', 'Myeongdong Kyoja'],
    ['九記牛腩', 'Kau Kee'],
    ['ทิพย์สมัย', 'Thip Samai'],
    ['مطعم أبو طارق', 'Abou Tarek'],
    ['מחניודה', 'Machneyuda'],
    ['करीम होटल', 'Karim'],
    ['அன்னலட்சுமி', 'Annalakshmi'],
    ['Чайка', 'The Seagull'],
    ['Ψαρόσπιτο', 'Fish House'],
  ] as const;
  const IN_ONE_SCRIPT = [
    ['すし大', 'さくら寿司'],
    ['スシダイ', 'さくら'],
    ['九記牛腩', '桜'],
    ['Kau Kee', 'Phở Hà'],
    ['மதுரை', 'அன்னலட்சுமி'],
    ['Чайка', 'Пушкин'],
    ['BAR 桜', 'Bar Tokyo 日本'],
  ] as const;
  // A phone number of many places says nothing: each pair has a number of its own.
  const PHONE = { phone: '+81 3 5555 01##' };
  const HOUSE = { address: '12 桜通り, 町##' };
  const CASES: readonly (readonly [
    what: string,
    known: object,
    asked: object,
    metres: number,
    found: boolean,
  ])[] = [
    ['the house number', HOUSE, { address: '12-3 Main St' }, 40, true],
    ['a part of the house number', { address: '12a 桜通り, 町##' }, { address: '12 Main St' }, 40, true],
    ['the phone number', PHONE, { phone: '03-5555-01##' }, 40, true],
    ['the phone number, elsewhere', { ...PHONE, ...HOUSE }, { ...PHONE, address: '1 High St' }, 40, true],
    ['nothing', {}, {}, 40, false],
    ['another house number', HOUSE, { address: '13 Main St' }, 40, false],
    ['another phone number', PHONE, { phone: '03-5555-02##' }, 40, false],
    ['the phone number, further away', PHONE, PHONE, 60, false],
    ['the house number, further away', HOUSE, { address: '12 Main St' }, 60, false],
  ];
  const numbered = (place: object, index: number): Asked =>
    Object.fromEntries(
      Object.entries(place).map(([name, value]) => [name, String(value).replace('##', `${index + 10}`)]),
    );

  for (const [what, known, asked, metres, isFound] of CASES)
    test(`is ${isFound ? 'found, but never certain,' : 'not found'} with ${what}`, async (t) => {
      const { api } = await startService(t);
      const all = [...NAMES, ...IN_ONE_SCRIPT];
      await createRestaurants(
        api,
        all.map(([name], index) => ({ name, ...numbered(known, index), latitude: index, longitude: 135 })),
      );
      for (const [index, [, name]] of all.entries()) {
        const spot = { lat: index + metres / 111_195, lng: 135 };
        const [place, ...others] = await similarTo(api, { name, ...numbered(asked, index), ...spot });
        const expected = isFound && index < NAMES.length ? [false, metres] : [undefined, undefined];
        const { certain, distance_m } = record(place ?? {});
        assert.deepEqual([certain, distance_m, others], [...expected, []], name);
      }
    });

  test('is found with the phone number where nobody knows how far it is, but not with the house number', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [{ name: 'さくら', ...PHONE, ...HOUSE }]);
    const asked = { name: 'The Seagull', address: '12 Main St' };
    assert.equal(field(await found(api, { ...asked, ...PHONE }), 'certain'), false);
    assert.equal(await found(api, asked), 'nothing');
  });

  test('is listed as a pair, and is not certain even if it is the same letter by letter', async (t) => {
    const { api } = await startService(t);
    const place = { ...PHONE, latitude: 1, longitude: 135 };
    await createRestaurants(api, [
      { name: 'Пушкин', ...place },
      { name: 'Pushkin', ...place },
    ]);
    const [pair] = array(field(await pairPage(api), 'data'));
    assert.deepEqual([field(pair, 'certain'), field(pair, 'reasons')], [false, ['phone', 'name', 'near']]);
  });
});

describe('the places that are found', () => {
  test('are certain ones first', async (t) => {
    const { api } = await startService(t);
    const [likely, certain] = await createRestaurants(api, [{ name: PLACE.name }, PLACE]);
    assert.deepEqual(idsOfSimilar(await similarTo(api, WHOLE)), [certain, likely]);
  });

  test('are at most ten', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, floors(12));
    assert.equal((await similarTo(api, WHOLE)).length, 10);
  });

  test('are for strangers, too', async (t) => {
    const { api } = await startService(t, LOCAL);
    const answer = await api.get('/restaurants/similar?name=A');
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, []);
  });

  test('are those of this moment', async (t) => {
    const { api } = await startService(t);
    const all = async (): Promise<number[]> => idsOfSimilar(await similarTo(api, WHOLE));
    assert.deepEqual(await all(), []);
    const id = idOf(await api.post('/restaurants', PLACE));
    assert.deepEqual(await all(), [id], 'created');
    bodyOf(
      await api.put(`/restaurants/${id}`, { ...PLACE, name: 'Osteria Bella', phone: null, website: null }),
    );
    assert.deepEqual(idsOfSimilar(await similarTo(api, NAME)), [], 'renamed');
    bodyOf(await api.put(`/restaurants/${id}`, PLACE));
    assert.deepEqual(idsOfSimilar(await similarTo(api, NAME)), [id], 'named again');
    const deletion = changeOf(await api.delete(`/restaurants/${id}`));
    assert.deepEqual(await all(), [], 'deleted');
    bodyOf(await revert(api, deletion));
    assert.deepEqual(await all(), [id], 'restored');
  });

  test('follow a suggestion that is rejected, deleted or converted', async (t) => {
    const { api } = await startService(t);
    const all = async (): Promise<unknown[]> =>
      (await similarTo(api, WHOLE)).map((place) => field(field(place, 'restaurant'), 'is_suggestion'));
    const [rejected, deleted, converted] = await createSuggestions(api, floors(3));
    assert.deepEqual(await all(), [true, true, true]);
    bodyOf(await api.patch(`/suggestions/${rejected}/status`, { status: 'rejected' }));
    assert.deepEqual(await all(), [true, true], 'rejected');
    assert.equal((await api.delete(`/suggestions/${deleted}`)).status, 204);
    assert.deepEqual(await all(), [true], 'deleted');
    bodyOf(await api.post(`/suggestions/${converted}/convert`, {}));
    assert.deepEqual(await all(), [false], 'converted');
  });

  test('follow what a replica reads of its primary', async (t) => {
    const { api, folder } = await startService(t);
    const replica = await startService(t, { DATA_DIR: folder, READ_ONLY: 'true' });
    assert.deepEqual(await similarTo(replica.api, NAME), []);
    const [id] = await createRestaurants(api, [PLACE]);
    assert.deepEqual(idsOfSimilar(await similarTo(replica.api, NAME)), [id]);
    assert.equal((await api.delete(`/restaurants/${id}`)).status, 204);
    assert.deepEqual(await similarTo(replica.api, NAME), []);
  });

  test('follow the change log after its oldest changes are gone, and lists do', async (t) => {
    const { api, folder } = await startService(t);
    await createRestaurants(api, [PLACE, { ...PLACE, address: '3 Rue du Bac, Paris' }]);
    assert.equal(field(await pairPage(api), 'total'), 1);
    await api.delete('/restaurants/1');
    await createRestaurants(api, [{ ...PLACE, address: '5 Rue du Bac, Paris' }]);
    changeStored(folder, 'DELETE FROM changes WHERE id < (SELECT max(id) FROM changes)');
    await createRestaurants(api, [{ ...PLACE, address: '7 Rue du Bac, Paris' }]);
    assert.equal((await similarTo(api, NAME)).length, 3);
    assert.equal(field(await pairPage(api), 'total'), 3);
    assert.deepEqual(ids((await api.get('/restaurants')).body), [4, 3, 2]);
  });
});

describe('a search for similar places', () => {
  test('takes blank parameters as absent', async (t) => {
    const { api } = await startService(t);
    const [id] = await createRestaurants(api, [PLACE]);
    for (const blank of ['', '+', '%20%09', '%E3%80%80'])
      for (const name of ['address', 'phone', 'website', 'lat', 'lng', 'name', 'lat=&lng']) {
        const { body } = await api.get(`/restaurants/similar?name=chez+nous&${name}=${blank}`);
        assert.deepEqual(idsOfSimilar(array(body)), [id], `${name}=${blank}`);
      }
  });

  const FAULTS: readonly (readonly [string, string])[] = [
    ['', 'name is required'],
    ['?name=', 'name is required'],
    ['?name=%20&lat=', 'name is required'],
    [`?name=${'x'.repeat(256)}`, 'name must be at most 255 characters'],
    ['?name=a&name=b', 'name must be given once'],
    [`?name=a&address=${'x'.repeat(501)}`, 'address must be at most 500 characters'],
    [`?name=a&phone=${'1'.repeat(51)}`, 'phone must be at most 50 characters'],
    [`?name=a&website=${'x'.repeat(501)}`, 'website must be at most 500 characters'],
    ['?name=a&lat=1', 'lat and lng must be given together'],
    ['?name=a&lng=1&lat=+', 'lat and lng must be given together'],
    ['?name=a&lat=91&lng=1', 'lat must be between -90 and 90'],
    ['?name=a&lat=1&lng=x', 'lng must be a number'],
    ['?lat=91&lng=181', 'lat must be between -90 and 90; lng must be between -180 and 180; name is required'],
  ];
  test('says what is wrong with it', async (t) => {
    const { api } = await startService(t);
    for (const [query, error] of FAULTS) {
      const { status, body } = await api.get(`/restaurants/similar${query}`);
      assert.deepEqual([status, body], [400, { error }], query);
    }
  });
});
