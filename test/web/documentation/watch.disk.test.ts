import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { CHECKOUT, moduleAt } from '../../support/checkout.ts';
import { type Cleanup, atEnd } from '../../support/cleanup.ts';
import { temporaryFolder } from '../../support/service.ts';

const at = (path: string): string => moduleAt(path, import.meta.url).href;

// The services of both test files answer with a status that is not documented.
const STOPPED_BY_TESTS = `
import { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { startService } from '${at('../../support/service.ts')}';

const { writeHead } = ServerResponse.prototype;
ServerResponse.prototype.writeHead = function (status, ...rest) {
  return writeHead.call(this, status === 200 ? 299 : status, ...rest);
};

test('asks', async (t) => {
  const service = await startService(t);
  await fetch(service.url + '/api/health');
});
test('does not ask', async (t) => {
  await startService(t);
});
`;
const LEFT_ALONE = `
import { test } from 'node:test';
import { startServer } from '${at('../../../src/http/server.ts')}';
import { noContent, send } from '${at('../../../src/http/reply.ts')}';
import { parseAddressRanges } from '${at('../../../src/http/address.ts')}';
import { watch } from '${at('../../support/watch.ts')}';

test('passes', async () => {
  const { pipeline } = watch(async (request, response) => {
    await send(response, noContent(), { 'X-Request-Id': 'x' }, false);
  });
  const options = { host: '127.0.0.1', port: 0, maxConnectionsPerAddress: 9, trustedProxies: parseAddressRanges([]) };
  const server = await startServer(pipeline, options);
  await fetch('http://127.0.0.1:' + server.port + '/api/health');
  await server.stop(100);
});
`;
const FAULT = /GET \/api\/health -> (299|204): the status is not documented for getHealth/;

/** Runs a test file with this content. */
function runFile(
  t: TestContext,
  content: string,
): { readonly code: number | null; readonly out: string; readonly err: string } {
  const folder = temporaryFolder(t);
  const file = join(folder, 'content.test.js');
  writeFileSync(file, content);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--test-reporter=tap', file], {
    cwd: CHECKOUT,
    env: { PATH: process.env['PATH'] ?? '' },
    encoding: 'utf8',
  });
  return { code: status, out: stdout, err: stderr };
}

describe('a service that answers what is not documented', () => {
  test('fails the test that sent the request, whatever the test asserts', (t) => {
    const { code, out, err } = runFile(t, STOPPED_BY_TESTS);
    assert.match(out, /^not ok 1 - asks$/m);
    assert.match(out, FAULT);
    assert.match(out, /^ok 2 - does not ask$/m);
    assert.deepEqual([code, err], [1, '']);
  });

  test('fails the test file where no test looks at the answers any more', (t) => {
    const { code, out, err } = runFile(t, LEFT_ALONE);
    assert.match(out, /^ok 1 - passes$/m);
    assert.match(err, FAULT);
    assert.equal(code, 1);
  });
});

describe('what a test registers for its end', () => {
  /** Registers functions for the end of a test, and ends it. */
  async function endWith(...stops: readonly (() => unknown)[]): Promise<void> {
    const hooks: Parameters<Cleanup['after']>[0][] = [];
    const t: Cleanup = { after: (hook) => hooks.push(hook) };
    for (const stop of stops) atEnd(t, stop);
    for (const hook of hooks) await hook();
  }

  test('runs one after the other, last first', async () => {
    const ran: string[] = [];
    await endWith(
      () => ran.push('folder'),
      async () => {
        await new Promise(setImmediate);
        ran.push('server');
      },
      () => ran.push('client'),
    );
    assert.deepEqual(ran, ['client', 'server', 'folder']);
  });

  test('runs to its end when some of it fails, and then fails the test with all that went wrong', async () => {
    const ran: string[] = [];
    const failing = (message: string) => (): void => {
      ran.push(message);
      throw new Error(message);
    };
    await assert.rejects(
      endWith(() => ran.push('folder'), failing('server')),
      { message: 'server' },
    );
    await assert.rejects(
      endWith(failing('folder'), () => Promise.reject(new Error('server'))),
      {
        name: 'AggregateError',
        message: 'Error: server\nError: folder',
      },
    );
    assert.deepEqual(ran, ['server', 'folder', 'folder']);
  });
});
