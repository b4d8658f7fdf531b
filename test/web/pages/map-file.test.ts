import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { readMapPart } from '../../../src/web/pages/routes.ts';
import { field, headerValues } from '../../support/client.ts';
import { type Service, startService, temporaryFolder } from '../../support/service.ts';

const CONTENT = Buffer.from('PMTiles and then some bytes of a map');
const PATH = '/tiles/map.pmtiles';

interface WithMap {
  readonly service: Service;
  readonly file: string;
  readonly ask: (headers?: Readonly<Record<string, string>>, method?: string) => Promise<Response>;
}

async function startWithMap(t: TestContext, content = CONTENT, variables = {}): Promise<WithMap> {
  const file = join(temporaryFolder(t), 'city.pmtiles');
  writeFileSync(file, content);
  const service = await startService(t, { MAP_TILES: file, MAP_ATTRIBUTION: '© a map', ...variables });
  return {
    service,
    file,
    ask: (headers = {}, method = 'GET') => fetch(service.url + PATH, { headers, method }),
  };
}

const bytesOf = async (answer: Response): Promise<Buffer> => Buffer.from(await answer.arrayBuffer());

describe('GET /tiles/map.pmtiles', () => {
  test('is named by the settings of pages, and is the whole file', async (t) => {
    const { service, ask } = await startWithMap(t);
    const { body } = await service.api.get('/app-config');
    assert.deepEqual(field(body, 'tiles'), {
      kind: 'pmtiles',
      url: PATH,
      attribution: '© a map',
      offer: null,
    });
    const answer = await ask();
    assert.equal(answer.status, 200);
    assert.deepEqual(await bytesOf(answer), CONTENT);
    const names = ['content-type', 'content-length', 'accept-ranges', 'cache-control', 'content-encoding'];
    assert.deepEqual(headerValues(answer, ...names), [
      'application/vnd.pmtiles',
      String(CONTENT.length),
      'bytes',
      'public, max-age=3600',
      null,
    ]);
    assert.match(answer.headers.get('etag') ?? '', /^"[\w-]+"$/);
  });

  for (const [range, start, end] of [
    ['bytes=0-6', 0, 7],
    ['bytes=8-', 8, CONTENT.length],
    ['bytes=-3', CONTENT.length - 3, CONTENT.length],
  ] as const)
    test(`sends the part of ${range}`, async (t) => {
      const { ask } = await startWithMap(t);
      const answer = await ask({ Range: range });
      assert.equal(answer.status, 206);
      assert.equal(answer.headers.get('content-range'), `bytes ${start}-${end - 1}/${CONTENT.length}`);
      assert.deepEqual(await bytesOf(answer), CONTENT.subarray(start, end));
    });

  test('sends parts of a larger file from where they are', async (t) => {
    const large = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
    const { ask } = await startWithMap(t, large);
    const answer = await ask({ Range: 'bytes=100000-199999' });
    assert.deepEqual(await bytesOf(answer), large.subarray(100_000, 200_000));
  });

  test('answers 416, 304, HEAD and other methods as for every file', async (t) => {
    const { ask } = await startWithMap(t);
    const beyond = await ask({ Range: 'bytes=999-' });
    assert.deepEqual(
      [beyond.status, beyond.headers.get('content-range')],
      [416, `bytes */${CONTENT.length}`],
    );
    const tag = (await ask()).headers.get('etag') ?? '';
    assert.equal((await ask({ 'If-None-Match': tag })).status, 304);
    const head = await ask({ Range: 'bytes=0-1' }, 'HEAD');
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(CONTENT.length)]);
    assert.equal((await ask({}, 'POST')).status, 405);
  });

  test('has another tag once the file is another, so that no parts of two are put together', async (t) => {
    const { file, ask } = await startWithMap(t);
    const tag = (await ask()).headers.get('etag') ?? '';
    assert.equal((await ask({ Range: 'bytes=0-1', 'If-Range': tag })).status, 206);
    const next = Buffer.from(CONTENT).reverse();
    writeFileSync(`${file}.new`, next);
    renameSync(`${file}.new`, file);
    const answer = await ask({ Range: 'bytes=0-1', 'If-Range': tag });
    assert.equal(answer.status, 200);
    assert.notEqual(answer.headers.get('etag'), tag);
    assert.deepEqual(await bytesOf(answer), next);
  });

  test('is 404 where no file is configured, or while it is away or a folder', async (t) => {
    const { file, ask } = await startWithMap(t);
    rmSync(file);
    const answers = [await ask()];
    mkdirSync(file);
    answers.push(await ask());
    const others = { MAP_TILES: 'https://tiles.example/{z}/{x}/{y}.png' };
    for (const { url } of [await startService(t), await startService(t, others)])
      answers.push(await fetch(url + PATH));
    for (const answer of answers)
      assert.deepEqual([answer.status, await answer.json()], [404, { error: 'Map not found' }]);
  });

  test('sends nothing of a file that was replaced after its tag was read', async (t) => {
    const { file, ask } = await startWithMap(t);
    const tag = (await ask()).headers.get('etag') ?? '';
    writeFileSync(`${file}.new`, Buffer.from(CONTENT).reverse());
    renameSync(`${file}.new`, file);
    await assert.rejects(readMapPart(file, tag, 0, 2).next(), { status: 503 });
  });

  test('counts under the limit of files alone, HEAD too, though it is outside of the API', async (t) => {
    const limits = { RATE_LIMIT_PER_MINUTE: '1', RATE_LIMIT_BURST: '2', FILES_RATE_LIMIT_BURST: '3' };
    const { service, ask } = await startWithMap(t, CONTENT, { ...limits, FILES_RATE_LIMIT_PER_MINUTE: '1' });
    const seen = [await ask(), await ask({}, 'HEAD'), await ask({ Range: 'bytes=0-1' }), await ask()];
    assert.deepEqual(
      seen.map((answer) => [
        answer.status,
        ...headerValues(answer, 'ratelimit-limit', 'ratelimit-remaining'),
      ]),
      [
        [200, '3', '2'],
        [200, '3', '1'],
        [206, '3', '0'],
        [429, '3', '0'],
      ],
    );
    assert.equal((await service.api.get('/health')).headers.get('ratelimit-remaining'), '1');
  });
});
