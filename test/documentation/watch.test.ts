import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { CHECKOUT, LOADER, moduleAt } from '../support/checkout.ts';
import { temporaryFolder } from '../support/service.ts';

const at = (path: string): string => moduleAt(path, import.meta.url).href;

// A service of one route that is not in the description, in a test that passes.
const FIXTURE = `
import { test } from 'node:test';
import { startServer } from '${at('../../src/http/server.ts')}';
import { noContent, send } from '${at('../../src/http/reply.ts')}';
import { parseAddressRanges } from '${at('../../src/http/address.ts')}';
import { watched } from '${at('../support/watch.ts')}';

test('passes', async (t) => {
  const pipeline = async (request, response) => {
    await send(response, noContent(), { 'X-Request-Id': 'x' }, false);
  };
  const options = { host: '127.0.0.1', port: 0, maxConnectionsPerAddress: 9, trustedProxies: parseAddressRanges([]) };
  const server = await startServer(watched(pipeline), options);
  t.after(() => server.stop(100));
  await fetch(\`http://127.0.0.1:\${server.port}/secret-door\`);
});
`;

describe('a service that answers what is not documented', () => {
  test('fails the file of the test that sent the request, whatever the test asserts', async (t) => {
    const folder = temporaryFolder(t);
    const file = join(folder, 'content.test.js');
    writeFileSync(file, FIXTURE);
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const environment = { PATH: process.env['PATH'] ?? '' };
    const child = promisify(execFile)(process.execPath, [...LOADER, file], {
      cwd: CHECKOUT,
      env: environment,
    });
    await assert.rejects(
      child,
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => {
        assert.equal(code, 1);
        assert.match(stdout, /^ok 1 - passes|✔ passes/m);
        assert.match(stderr, /GET \/secret-door -> 204: the path is not documented/);
        return true;
      },
    );
  });
});
