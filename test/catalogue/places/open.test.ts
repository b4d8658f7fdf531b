import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { PlacesClient, type PlacesOptions } from '../../../src/catalogue/places/client.ts';
import { openStorage } from '../../../src/storage/storage.ts';
import { atEnd } from '../../support/cleanup.ts';
import { GOOGLE_KEY, startFakeGoogle } from '../../support/fake-google.ts';
import { temporaryFolder } from '../../support/service.ts';

/** A client of Google at `baseUrl`, and the reasons that it gave to the operator. */
function openGoogle(
  t: TestContext,
  baseUrl: string,
  hasOwnHost: boolean,
): { readonly places: PlacesClient; readonly reasons: unknown[] } {
  const { queries, transactions, close } = openStorage(temporaryFolder(t));
  atEnd(t, close);
  const settings: PlacesOptions['settings'] = {
    provider: 'google',
    key: GOOGLE_KEY,
    dailyLimit: 0,
    baseUrl,
    hasOwnHost,
  };
  const reasons: unknown[] = [];
  const report: PlacesOptions['report'] = (_message, { reason }) => reasons.push(reason);
  const places = new PlacesClient({
    settings,
    sql: queries.file('places'),
    transactions,
    report,
  });
  return { places, reasons };
}

const freely = (): void => undefined;

describe('a maps provider at a private address', () => {
  for (const host of ['localhost', '127.0.0.1', '[::1]', '[::ffff:127.0.0.1]'])
    test(`is not asked unless the operator named it: ${host}`, async (t) => {
      const { port, asked } = await startFakeGoogle(t);
      const { places, reasons } = openGoogle(t, `http://${host}:${port}`, false);
      await assert.rejects(places.look('searchPlaces', 'chez', freely), {
        name: 'PlacesError',
        kind: 'failed',
      });
      assert.match(String(reasons[0]), /is not a public address$/);
      assert.equal(asked.length, 0);
    });

  test('is asked where the operator named it', async (t) => {
    const { port, asked } = await startFakeGoogle(t);
    const { places, reasons } = openGoogle(t, `http://127.0.0.1:${port}`, true);
    const found = await places.look('searchPlaces', 'chez', freely);
    assert.equal(Array.isArray(found) && found.length, 1);
    assert.deepEqual([asked.length, reasons], [1, []]);
  });
});
