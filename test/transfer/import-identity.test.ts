import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { array, field } from '../support/client.ts';
import { countsOf, importText } from '../support/imports.ts';
import { startService } from '../support/service.ts';
import { longTest } from '../support/size.ts';

const map = (feature: string): string => `https://www.google.com/maps/place/X/data=!1s0x1:0x${feature}`;

describe('two rows of one name without an exact address', () => {
  // What each of them has, and whether that tells them apart.
  const pairs: readonly (readonly [what: string, one: object, other: object, isTwo: boolean])[] = [
    ['nothing', {}, {}, false],
    ['ids of OpenStreetMap', { external_ids: { osm: 'N1' } }, { external_ids: { osm: 'N2' } }, true],
    ['ids of other data sets', { fsq_id: 'a' }, { external_ids: { osm: 'N2' } }, false],
    ['ids at Google', { google_place_id: 'a' }, { google_place_id: 'b' }, true],
    ['features of a map', { url: map('a1') }, { url: map('b2') }, true],
    ['one feature, by two links', { url: map('a1') }, { url: 'https://maps.google.com/?cid=161' }, false],
    ['websites', { website: 'https://a.example' }, { website: 'https://b.example/x' }, true],
    ['one website', { website: 'https://a.example/' }, { website: 'http://www.a.example' }, false],
    ['a website and a map', { website: 'https://a.example' }, { url: map('a1') }, false],
    ['positions', { lat: 48.1, lng: 9.1 }, { lat: 48.2, lng: 9.1 }, true],
    ['nothing, in one city', { city: 'A' }, { city: 'A' }, false],
    ['positions, in one city', { city: 'A', lat: 48.1, lng: 9.1 }, { city: 'A', lat: 48.2, lng: 9.1 }, true],
    [
      'positions, under one postcode',
      { address: '75001 Paris', lat: 48.1, lng: 9.1 },
      { address: '75001 Paris', lat: 48.2, lng: 9.1 },
      true,
    ],
    [
      'positions, in one house',
      { address: 'Ufer 1, A', lat: 48.1, lng: 9.1 },
      { address: 'Ufer 1, A', lat: 48.2, lng: 9.1 },
      false,
    ],
    ['websites, in one city', { city: 'A', url: map('a1') }, { city: 'A', url: map('b2') }, true],
    ['branches, in one city', { city: 'A', branch: 'North' }, { city: 'A', branch: 'South' }, true],
    ['positions within 150 metres', { lat: 48.1, lng: 9.1 }, { lat: 48.1008, lng: 9.1 }, false],
    ['parts of an address', { street: 'Ufer 1', city: 'A' }, { street: 'Ufer 2', city: 'A' }, true],
  ];
  longTest(
    'are two places where something tells them apart, in one file and in two, and again',
    async (t) => {
      const { api } = await startService(t);
      for (const [index, [what, one, other, isTwo]] of pairs.entries()) {
        const lines = (name: string): readonly string[] =>
          [one, other].map((row) => JSON.stringify({ name, ...row }));
        const together = lines(`Together ${index}`).join('\n');
        const first = countsOf((await importText(api, together)).body);
        assert.deepEqual(first, isTwo ? [2, 0, 0, 0, 0] : [1, 0, 0, 0, 1], what);
        const again = countsOf((await importText(api, together)).body);
        assert.deepEqual(again, isTwo ? [0, 0, 2, 0, 0] : [0, 0, 1, 0, 1], what);
        // Their ids are those of the pair before.
        if (/id|feature|part/.test(what)) continue;
        const apart = [];
        for (const line of lines(`Apart ${index}`))
          apart.push(countsOf((await importText(api, line)).body)[0]);
        assert.deepEqual(apart, isTwo ? [1, 1] : [1, 0], what);
      }
    },
  );

  test('add a third one to two that are there, and change neither, where nothing says which it is', async (t) => {
    const { api } = await startService(t);
    const [one, two] = ['N1', 'N2'].map((osm) => JSON.stringify({ name: 'X', external_ids: { osm } }));
    await importText(api, `${one}\n${two}`);
    const third = JSON.stringify({ name: 'X', phone: '1' });
    assert.deepEqual(countsOf((await importText(api, third)).body), [1, 0, 0, 0, 0]);
    assert.deepEqual(countsOf((await importText(api, third)).body), [0, 0, 1, 0, 0]);
    const phones = array((await api.get('/restaurants')).body).map((place) => field(place, 'phone'));
    assert.deepEqual(phones.toSorted(), ['1', null, null]);
  });

  test('are both renamed when their source renames them', async (t) => {
    const { api } = await startService(t);
    const branches = (name: string): string =>
      ['N1', 'N2'].map((osm) => JSON.stringify({ name, external_ids: { osm } })).join('\n');
    assert.deepEqual(countsOf((await importText(api, branches('Old'))).body), [2, 0, 0, 0, 0]);
    assert.deepEqual(countsOf((await importText(api, branches('New'))).body), [0, 2, 0, 0, 0]);
  });

  longTest('have notes of their own, and neither changes the other', async (t) => {
    const { api } = await startService(t);
    const head = 'Title,Note,URL\n';
    const [a, b] = ['a1', 'b2'].map((feature) => `X,note of ${feature},${map(feature)}\n`);
    await importText(api, `${head}${a}`, {}, { filename: 'First.csv' });
    const { body } = await importText(api, `${head}${b}`, {}, { filename: 'First.csv' });
    assert.deepEqual(countsOf(body), [1, 0, 0, 0, 0]);
    const list = Number(field(field(body, 'list'), 'id'));
    const items = array((await api.get(`/lists/${list}/items`)).body);
    assert.deepEqual(
      items.map((item) => [field(item, 'note'), field(field(item, 'restaurant'), 'website')]),
      [
        ['note of a1', map('a1')],
        ['note of b2', map('b2')],
      ],
    );
    // Each can be changed, deleted and restored next to the other; the API adds no third one of the name.
    assert.equal((await api.put('/restaurants/2', { phone: '1' })).status, 200);
    assert.equal((await api.post('/restaurants', { name: 'X' })).status, 409);
    const { headers } = await api.delete('/restaurants/2');
    assert.equal((await api.post(`/changes/${headers.get('change') ?? ''}/revert`, {})).status, 200);
    assert.equal(array((await api.get('/restaurants')).body).length, 2);
  });
});
