import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { propertiesOf } from '../../src/objects.ts';
import { CHECKOUT } from '../support/checkout.ts';
import { array, record, textOf } from '../support/client.ts';

describe('the package', () => {
  test('holds the files of the web app, and neither tests nor source', () => {
    const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline'];
    const output = execFileSync('npm', args, { cwd: CHECKOUT, stdio: ['ignore', 'pipe', 'ignore'] });
    const listed: unknown = JSON.parse(output.toString());
    // One package: in a list, or by its name from npm 12 on.
    const [packed] = Array.isArray(listed) ? array(listed) : Object.values(record(listed));
    const paths = array(propertiesOf(packed)?.get('files')).map((file) => textOf(file, 'path'));
    for (const path of [
      'index.html',
      'main.js',
      'routes.js',
      'sw.js',
      'manifest.webmanifest',
      'icons/icon-192.png',
    ])
      assert.ok(paths.includes(`static/app/${path}`), path);
    assert.deepEqual(
      paths.filter((path) => /^(?:test|src)\/|\.test\./.test(path)),
      [],
    );
  });
});
