import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRestaurants } from '../support/catalogue.ts';
import { ids } from '../support/client.ts';
import { startService } from '../support/service.ts';

// Names that real places have, and that are nearly nothing once punctuation is left out.
const NAMES = ['!!!', '…', '&', '+', '$$', '#1', "Joe's", 'A.O.C.', '4/4', 'C++', '100%', 'Ø', 'ß', 'Σ', 'İ'];

describe('a search for an odd name', () => {
  test('finds the restaurant that is called so, before all others', async (t) => {
    const { api } = await startService(t);
    for (const name of NAMES) {
      const [id] = await createRestaurants(api, [{ name }, { name: `Not ${name}`, description: name }]);
      const { status, body } = await api.get(`/search?q=${encodeURIComponent(name)}`);
      assert.deepEqual([status, ids(body)[0]], [200, id], name);
    }
  });

  test('finds a name of punctuation in lists too, whatever blanks are in it', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [{ name: '¡! \n …\u00a0"' }, { name: 'Another!', description: '¡! …' }]);
    for (const path of ['/search', '/restaurants'])
      for (const query of ['¡! … "', '"', '…\t¡', '¡!'])
        assert.deepEqual(ids((await api.get(`${path}?q=${encodeURIComponent(query)}`)).body), [1], query);
    for (const query of ['\u0301', '\u007f', '\u0000', '---', '" OR "', "''", '\u200b'])
      assert.deepEqual(ids((await api.get(`/search?q=${encodeURIComponent(query)}`)).body), [], query);
  });

  test('finds Greek words whatever the form of their sigma', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [{ name: 'Κώστας' }]);
    for (const query of ['ΚΩΣ', 'κωσ', 'κως', 'ΚΏΣΤΑΣ', 'κωστασ'])
      assert.deepEqual(ids((await api.get(`/search?q=${encodeURIComponent(query)}`)).body), [1], query);
  });
});
