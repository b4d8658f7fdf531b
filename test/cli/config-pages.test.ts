import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { runCommand } from '../support/cli.ts';
import { temporaryFolder } from '../support/service.ts';
import { configOf, faultsOf, warningsOf } from '../support/settings.ts';

const SHAPE =
  'MAP_TILES must be none, a file that ends in .pmtiles, or an https address with {z}, {x} and {y}, not';
const ATTRIBUTED = { MAP_ATTRIBUTION: '© a map' };

describe('the configuration of pages', () => {
  test('has a name and no map by default', () => {
    const blank = { CATALOGUE_NAME: ' ', MAP_TILES: '' };
    assert.deepEqual(configOf(blank).pages, { name: 'Catalogue', tiles: { kind: 'none' } });
    assert.deepEqual(warningsOf(blank), []);
  });

  test('accepts names of sixty characters, whatever their bytes', () => {
    assert.deepEqual(faultsOf({ CATALOGUE_NAME: '🍜'.repeat(60) }), []);
    const fault = 'CATALOGUE_NAME must be at most 60 characters, without control characters';
    for (const name of ['x'.repeat(61), 'a\nb', 'a\u0000b', 'a\u009bb'])
      assert.deepEqual(faultsOf({ CATALOGUE_NAME: name }), [fault]);
  });

  test('accepts sources of a map of three hundred characters', () => {
    const tiles = 'https://tiles.example/{z}/{x}/{y}.png';
    assert.deepEqual(faultsOf({ MAP_TILES: tiles, MAP_ATTRIBUTION: '©'.repeat(300) }), []);
    const fault = 'MAP_ATTRIBUTION must be at most 300 characters, without control characters';
    assert.deepEqual(faultsOf({ MAP_TILES: tiles, MAP_ATTRIBUTION: '©'.repeat(301) }), [fault]);
  });

  for (const tiles of [
    'https://tiles.example/{z}/{x}/{y}.png',
    'https://Tiles.example:8443/v1?z={z}&x={x}&y={y}&key=a%20b',
    'https://tiles.example/{z}/{x}/{y}@2x.webp',
  ])
    test(`accepts the map ${tiles}`, () => {
      assert.deepEqual(faultsOf({ MAP_TILES: tiles, ...ATTRIBUTED }), []);
    });

  for (const tiles of [
    'osm',
    'None',
    'http://tiles.example/{z}/{x}/{y}.png',
    'https://tiles.example/{z}/{x}.png',
    'https://tiles.example/{z}/{x}/{y}/{r}.png',
    'https://{z}.example/{x}/{y}.png',
    'https://tiles.example;script-src/{z}/{x}/{y}.png',
    'https://user:word@tiles.example/{z}/{x}/{y}.png',
    'https://tiles.example/{z}/{x}/{y}.png#here',
    'https://tiles.example/{z} /{x}/{y}.png',
    'https://tiles.example/city.pmtiles',
    'javascript:{z}{x}{y}',
    '/srv/city.mbtiles',
  ])
    test(`refuses the map ${tiles}`, () => {
      assert.deepEqual(faultsOf({ MAP_TILES: tiles, ...ATTRIBUTED }), [`${SHAPE} "${tiles}"`]);
    });

  test('wants the file of a map to be there when it starts, and so does doctor', async (t) => {
    const folder = temporaryFolder(t);
    const [missing, present, directory] = ['a', 'b', 'c'].map((name) => join(folder, `${name}.pmtiles`));
    writeFileSync(present ?? '', 'PMTiles');
    mkdirSync(directory ?? '');
    const [none, file] = [{ MAP_TILES: missing ?? '' }, { MAP_TILES: present ?? '' }];
    assert.deepEqual(faultsOf({ ...file, ...ATTRIBUTED }), []);
    assert.match(faultsOf({ MAP_TILES: directory ?? '' }).join(), /cannot be used \(it is no file\): /);
    const wanted = `MAP_TILES names a file that cannot be used (there is no such file or folder): ${missing}`;
    assert.deepEqual(faultsOf({ ...none, ...ATTRIBUTED }), [wanted]);
    const variables = { ...none, DATA_DIR: join(folder, 'data') };
    const start = await runCommand(['serve'], { variables });
    assert.deepEqual([start.code, start.err.includes('MAP_TILES names a file')], [1, true]);
    const doctor = await runCommand(['doctor'], { variables });
    assert.match(doctor.out, /^fault {2}MAP_TILES names a file that cannot be used/m);
  });

  test('warns about a map whose source is not named', () => {
    assert.deepEqual(warningsOf({ MAP_TILES: 'https://tiles.example/{z}/{x}/{y}.png' }), [
      'MAP_TILES is set without MAP_ATTRIBUTION: name the source of the map',
    ]);
  });
});

describe('the configuration of accounts in production', () => {
  const PRODUCTION = {
    NODE_ENV: 'production',
    AUTH_MODE: 'local',
    JWT_SECRET_KEY: '0123456789abcdef0123456789abcdef',
  };
  const OPEN =
    'anyone may make an account and write the catalogue: set REGISTRATION=invite or closed, or WRITE_ACCESS=admins';
  for (const [title, variables, warnings] of [
    ['warns where anyone may register and write', {}, [OPEN]],
    ['has no warning with invitations', { REGISTRATION: 'invite' }, []],
    ['has no warning where registration is closed', { REGISTRATION: 'closed' }, []],
    ['has no warning where administrators write', { WRITE_ACCESS: 'admins' }, []],
    ['has no warning in development', { NODE_ENV: 'development' }, []],
  ] as const)
    test(title, () => {
      assert.deepEqual(warningsOf({ ...PRODUCTION, ...variables }), warnings);
    });

  test('is a risk for doctor', async (t) => {
    const variables = { ...PRODUCTION, DATA_DIR: temporaryFolder(t), TRUSTED_PROXIES: '10.0.0.2' };
    const { out } = await runCommand(['doctor'], { variables });
    assert.equal(out.split('\n').filter((line) => line === `risk   ${OPEN}`).length, 1);
  });
});
