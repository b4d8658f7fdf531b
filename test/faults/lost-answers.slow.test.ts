import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { record } from '../support/client.ts';
import { findProgram } from '../support/edge.ts';
import { LOCAL } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { scaled } from '../support/size.ts';
import { startSecureService } from '../support/tls.ts';

const PYTHON = findProgram('python3');
const NO_PYTHON = PYTHON === undefined && 'needs the program python3';

const TRIES = scaled(200);
const SIZE = 5_000_000;
const JSON_TYPE = 'application/json';

// Sends its whole body before it reads, and says Connection: close.
const CLIENT = `
import collections, json, ssl, sys, urllib.error, urllib.request
url, type, size, tries = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
seen = collections.Counter()
for _ in range(tries):
    request = urllib.request.Request(url, b' ' * size, {'Content-Type': type}, method='POST')
    try:
        status = urllib.request.urlopen(request, context=ssl._create_unverified_context()).status
    except urllib.error.HTTPError as error:
        status = error.code if 'error' in json.load(error) else 'another body'
    except Exception as error:
        status = repr(error)
    seen[str(status)] += 1
print(json.dumps(seen))
`;

/** How often each status was seen. */
async function seenBy(url: string, type: string, tries: number): Promise<unknown> {
  const args = ['-c', CLIENT, url, type, String(SIZE), String(tries)];
  const { stdout } = await promisify(execFile)(PYTHON ?? '', args);
  return JSON.parse(stdout);
}

const LIMITED = { ...LOCAL, RATE_LIMIT_PER_MINUTE: '1', RATE_LIMIT_BURST: '1' };
const REFUSED: readonly [number, Readonly<Record<string, string>>, string, string][] = [
  [401, LOCAL, '/api/restaurants', JSON_TYPE],
  [404, LOCAL, '/api/nowhere', JSON_TYPE],
  [413, LOCAL, '/api/auth/login', JSON_TYPE],
  [415, LOCAL, '/api/auth/login', 'text/plain'],
  [429, LIMITED, '/api/restaurants', JSON_TYPE],
];

describe('urllib of Python', { skip: NO_PYTHON }, () => {
  for (const [status, variables, path, type] of REFUSED)
    test(`reads each of ${TRIES} answers ${status} to a body of 5 MB`, async (t) => {
      const { url, api } = await startService(t, variables);
      await api.get('/health');
      const seen = record(await seenBy(url + path, type, TRIES));
      // On a slow machine the limit lets one through each minute, which is asked to sign in.
      const passed = status === 429 ? Number(seen['401'] ?? 0) : 0;
      assert.deepEqual(seen, { ...(passed > 0 && { 401: passed }), [status]: TRIES - passed });
      assert.ok(passed < TRIES / 2);
    });

  test('reads each answer over TLS too', async (t) => {
    const { url } = await startSecureService(t, LOCAL);
    const tries = Math.ceil(TRIES / 10);
    assert.deepEqual(await seenBy(`${url}/api/restaurants`, 'application/json', tries), { 401: tries });
  });
});
