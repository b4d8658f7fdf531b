import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readVersion } from '../../../src/kit/version.ts';
import { field, headerValues } from '../../support/client.ts';
import { LOCAL } from '../../support/people.ts';
import { startService } from '../../support/service.ts';
import { providerSettings } from '../../support/sign-in.ts';

const OSM = {
  url: 'https://tile.openstreetmap.org/{z}/{x}/{y}.png',
  attribution: '© OpenStreetMap contributors',
};
const NO_TILES = { kind: 'none', url: null, attribution: null, offer: null };
const DEFAULTS = {
  name: 'Catalogue',
  version: readVersion(),
  auth_mode: 'none',
  registration: 'open',
  write_access: 'users',
  providers: [],
  read_only: false,
  primary_url: null,
  maps: { provider: 'none', attribution: null },
  tiles: { ...NO_TILES, offer: OSM },
  trash_days: 30,
  max_body_bytes: 10_485_760,
};
const TEMPLATE = 'https://tiles.example/{z}/{x}/{y}.png?key=abc';
const ISSUER = 'https://id.example';

// Variables, and the fields of the answer that they change.
const SETTINGS: readonly (readonly [Readonly<Record<string, string>>, Readonly<Record<string, unknown>>])[] =
  [
    [{}, {}],
    [{ CATALOGUE_NAME: '  Où manger ? <b>  ' }, { name: 'Où manger ? <b>' }],
    [LOCAL, { auth_mode: 'local' }],
    [
      { ...LOCAL, REGISTRATION: 'invite' },
      { auth_mode: 'local', registration: 'invite' },
    ],
    [
      { ...LOCAL, WRITE_ACCESS: 'admins' },
      { auth_mode: 'local', write_access: 'admins' },
    ],
    [
      { MAP_TILES: TEMPLATE, MAP_ATTRIBUTION: '© <OSM> & friends' },
      { tiles: { kind: 'raster', url: TEMPLATE, attribution: '© <OSM> & friends', offer: null } },
    ],
    [{ MAP_TILES: TEMPLATE }, { tiles: { kind: 'raster', url: TEMPLATE, attribution: null, offer: null } }],
    [{ MAP_TILES: 'none' }, { tiles: NO_TILES }],
    [{ MAP_TILES: 'osm' }, { tiles: { kind: 'raster', ...OSM, offer: null } }],
    [{ MAPS_API_KEY: 'secret' }, { maps: { provider: 'google', attribution: 'Google Maps' } }],
    [
      { MAPS_PROVIDER: 'nominatim', MAPS_BASE_URL: 'https://n.example', MAPS_CONTACT: 'a@b.example' },
      { maps: { provider: 'nominatim', attribution: '© OpenStreetMap contributors' } },
    ],
    [
      { TRASH_DAYS: '0', PRIMARY_URL: 'https://food.example' },
      { trash_days: 0, primary_url: 'https://food.example' },
    ],
    [{ AUTH_MODE: 'oauth' }, { auth_mode: 'oauth' }],
    [providerSettings('oidc', ISSUER), { auth_mode: 'both', providers: ['oidc'] }],
    [
      { ...providerSettings('oidc', ISSUER), ...providerSettings('idp', ISSUER), OIDC_CLIENT_ID: '' },
      { auth_mode: 'both', providers: ['idp'] },
    ],
    [{ ...providerSettings('oidc', ISSUER), AUTH_MODE: 'local' }, { auth_mode: 'local' }],
  ];

describe('GET /api/app-config', () => {
  for (const [variables, changed] of SETTINGS)
    test(`says what a page needs to know with ${Object.keys(variables).join(', ') || 'no settings'}`, async (t) => {
      const { api } = await startService(t, variables);
      const { status, body } = await api.get('/app-config');
      assert.deepEqual([status, body], [200, { ...DEFAULTS, ...changed }]);
    });

  test('is a file for its limit, has a tag, and may be cached as long as it is checked', async (t) => {
    const { api } = await startService(t, { RATE_LIMIT_PER_MINUTE: '1', RATE_LIMIT_BURST: '3' });
    const answer = await api.get('/app-config');
    const [caching, limit, tag] = headerValues(answer, 'cache-control', 'ratelimit-limit', 'etag');
    assert.deepEqual([caching, limit], ['no-cache', '300']);
    assert.equal((await api.get('/app-config', { 'If-None-Match': tag ?? '' })).status, 304);
    assert.equal((await api.send('/api/app-config', { method: 'POST' })).status, 405);
  });

  test('says on a replica that it is one, and that no provider works there', async (t) => {
    const primary = await startService(t, providerSettings('oidc', ISSUER));
    await primary.stop();
    const { api } = await startService(t, {
      ...providerSettings('oidc', ISSUER),
      DATA_DIR: primary.folder,
      READ_ONLY: 'true',
      PRIMARY_URL: 'https://food.example',
    });
    const { body } = await api.get('/app-config');
    assert.deepEqual(
      ['read_only', 'primary_url', 'providers'].map((name) => field(body, name)),
      [true, 'https://food.example', []],
    );
  });

  test('is what the documentation page is filled with', async (t) => {
    const { api } = await startService(t, { ...providerSettings('oidc', ISSUER), REGISTRATION: 'invite' });
    const page = String((await api.get('/docs')).body);
    for (const attribute of ['auth-mode="both"', 'registration="invite"', 'providers="oidc"'])
      assert.ok(page.includes(`data-${attribute}`), attribute);
  });
});
