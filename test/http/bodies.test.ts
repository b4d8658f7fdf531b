import assert from 'node:assert/strict';
import { type Socket, connect } from 'node:net';
import { describe, test } from 'node:test';
import { field, headerValues } from '../support/client.ts';
import { readScrape, valueOf } from '../support/exposition.ts';
import { rawPost } from '../support/malformed.ts';
import { LOCAL } from '../support/people.ts';
import { nextData, parseAnswers, sendRaw } from '../support/raw.ts';
import { type Service, startService } from '../support/service.ts';
import { SCALE, longTest } from '../support/size.ts';
import { becomes, until } from '../support/until.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const MEGABYTE = 1024 * 1024;

async function post(
  service: Service,
  body: string | Buffer,
  headers: Record<string, string> = JSON_TYPE,
): Promise<[number, unknown]> {
  const answer = await service.api.send('/api/categories', { method: 'POST', headers, body });
  return [answer.status, answer.body];
}

// So much of a body is scanned at once, and no more is parsed on the event loop.
const SLICE = 256 * 1024;

/** The same JSON with more bytes than a slice. */
const large = (body: string | Buffer): Buffer => Buffer.concat([Buffer.alloc(SLICE, ' '), Buffer.from(body)]);

const nested = (depth: number): string =>
  `{"name":"Deep ${depth}","x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
const many = (tokens: number): string => `{"name":"Wide ${tokens}","x":[${'1,'.repeat(tokens - 7)}1]}`;

describe('the content type', () => {
  const accepted = [
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8";v=1',
  ];
  test('may be written in any way', async (t) => {
    const service = await startService(t);
    for (const [index, type] of accepted.entries()) {
      const [status] = await post(service, `{"name":"Type ${index}"}`, { 'Content-Type': type });
      assert.equal(status, 201, type);
    }
  });

  const NO_JSON = 'Content-Type must be application/json';
  const refused: readonly [string, Readonly<Record<string, string>>, string][] = [
    ...[
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/jsonp',
      'application/problem+json',
      '',
    ].map((type): [string, Record<string, string>, string] => [
      `"${type}"`,
      { 'Content-Type': type },
      NO_JSON,
    ]),
    ['no type', {}, NO_JSON],
    ['another charset', { 'Content-Type': 'application/json; charset=latin1' }, 'charset must be utf-8'],
    ['a compressed body', { ...JSON_TYPE, 'Content-Encoding': 'gzip' }, 'Content-Encoding is not supported'],
  ];
  test('is refused with 415 where it is another, with a body and without', async (t) => {
    const service = await startService(t);
    for (const [title, headers, error] of refused)
      for (const body of [Buffer.from('{"name":"A"}'), Buffer.alloc(0)])
        assert.deepEqual(await post(service, body, headers), [415, { error }], title);
  });

  test('any other is refused for DELETE too, whether or not its route reads a body', async (t) => {
    const { api } = await startService(t);
    await api.post('/restaurants', { name: 'Chez Nous' });
    await api.put('/lists/want/items/1', {});
    for (const path of ['/restaurants/1', '/categories/1', '/lists/want/items/1']) {
      const headers = { 'Content-Type': 'text/plain' };
      const refused = await api.send(`/api${path}`, { method: 'DELETE', headers, body: 'now' });
      assert.deepEqual([refused.status, refused.body], [415, { error: NO_JSON }], path);
    }
    assert.equal((await api.delete('/lists/want/items/1')).status, 204);
    assert.equal(
      (await api.send('/api/restaurants/1', { method: 'DELETE', headers: JSON_TYPE })).status,
      204,
    );
  });
});

describe('a JSON body', () => {
  const refused: readonly [string, string | Buffer, string][] = [
    ['that is empty', '', 'Request body is required'],
    ['that is malformed', '{"name":', 'Malformed JSON'],
    ['with something behind it', '{"name":"A"} x', 'Malformed JSON'],
    ['with a comment', '{"name":"A"/**/}', 'Malformed JSON'],
    ['with single quotes', `{'name':'A'}`, 'Malformed JSON'],
    ['with NaN', '{"name":NaN}', 'Malformed JSON'],
    ['with a byte order mark', '\ufeff{"name":"A"} ]', 'Malformed JSON'],
    ['that is an array', '[]', 'Request body must be a JSON object'],
    ['that is null', 'null', 'Request body must be a JSON object'],
    ['that is a string', '"name"', 'Request body must be a JSON object'],
    [
      'that is not UTF-8',
      Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
      'Request body is not valid UTF-8',
    ],
    ['that is UTF-16', Buffer.from('\ufeff{"name":"A"}', 'utf16le'), 'Request body is not valid UTF-8'],
    ['nested 33 deep', nested(33), 'JSON is nested deeper than 32 levels'],
    ['nested a million deep', '['.repeat(MEGABYTE), 'JSON is nested deeper than 32 levels'],
    ['with 20,001 structural tokens', many(20_001), 'JSON has too many values'],
    ['with a number of a million digits', `{"name":${'9'.repeat(MEGABYTE)}}`, 'Malformed JSON'],
    ['with a lone surrogate', '{"name":"\\ud800"}', 'name is not valid Unicode'],
  ];
  longTest('is refused with 400 and what is wrong with it, and the service goes on', async (t) => {
    const service = await startService(t);
    for (const [title, body, error] of refused)
      for (const sent of [Buffer.from(body), ...(body.length > 0 ? [large(body)] : [])])
        assert.deepEqual(await post(service, sent), [400, { error }], `${title}, ${sent.length} bytes`);
    assert.equal((await service.api.get('/health')).status, 200);
  });

  test('may be 32 levels deep and have 20,000 structural tokens', async (t) => {
    const service = await startService(t);
    for (const body of [nested(32), many(20_000)]) assert.equal((await post(service, body))[0], 201);
  });

  test('may have any number of blanks before a value', async (t) => {
    const body = `{"name":${' \n\t'.repeat(1_000)}"Far"${' '.repeat(3_000)},"x":${'\n'.repeat(3_000)}1}`;
    assert.equal((await post(await startService(t), body))[0], 201);
  });

  test('may have brackets and escaped quotes in its strings', async (t) => {
    const service = await startService(t);
    const name = `"${'[{'.repeat(20)}\\"`;
    const answer = await service.api.post('/categories', { name, filler: '[,'.repeat(30_000) });
    assert.equal(answer.status, 201);
    assert.equal(field(answer.body, 'name'), name);
  });

  test('is read as a whole though it is looked at in slices', async (t) => {
    const service = await startService(t);
    const name = String.raw`\\ \" [[{{ , \u0022 é`;
    for (let shift = 0; shift < name.length + 30; shift += SCALE < 1 ? 5 : 1) {
      const body = `{"filler":"${'x'.repeat(SLICE - 50 + shift)}","x":[1],"name":"${shift} ${name}"}`;
      const [status, made] = await post(service, body);
      assert.deepEqual([status, field(made, 'name')], [201, `${shift} \\ " [[{{ , " é`]);
    }
  });

  test('cannot reach a prototype', async (t) => {
    const service = await startService(t);
    const hostile =
      '{"__proto__":{"name":"P"},"constructor":{"prototype":{"name":"C"}},"prototype":{"name":"X"}}';
    for (const body of [hostile, large(hostile)])
      assert.deepEqual(await post(service, body), [400, { error: 'name is required' }]);
    assert.equal(Object.hasOwn(Object.prototype, 'name'), false);
    assert.equal((await post(service, '{"name":"Own","__proto__":{"toString":1}}'))[0], 201);
  });
});

describe('a body over 10 MB', () => {
  const tooLarge = { error: 'Request body is larger than 10 MB' };

  test('is refused with 413 that the client can read, and the connection goes on', async (t) => {
    const service = await startService(t);
    assert.deepEqual(await post(service, Buffer.alloc(10 * MEGABYTE + 1, 0x20)), [413, tooLarge]);
    assert.equal((await service.api.get('/health')).status, 200);
  });

  longTest('is not what 10 MB are: they are read', async (t) => {
    const body = `{"name":"Just fits"}${' '.repeat(10 * MEGABYTE - 20)}`;
    assert.equal((await post(await startService(t), body))[0], 201);
  });
});

describe('a JSON body under /api/auth', () => {
  const LIMIT = 64 * 1024;
  const padded = (size: number): string =>
    JSON.stringify({ email: 'a@b.example', password: '' }).padEnd(size);

  test('may have 64 KB', async (t) => {
    const { api } = await startService(t, LOCAL);
    const init = { method: 'POST', headers: JSON_TYPE, body: padded(LIMIT) };
    assert.equal((await api.send('/api/auth/login', init)).status, 400);
  });

  test('is refused with 413 over that, announced or in chunks', async (t) => {
    const { api, port } = await startService(t, LOCAL);
    const body = padded(LIMIT + 1);
    const error = 'Request body is larger than 64 KB';
    for (const path of ['login', 'register', 'refresh', 'logout'] as const) {
      const answer = await api.send(`/api/auth/${path}`, { method: 'POST', headers: JSON_TYPE, body });
      assert.deepEqual([answer.status, answer.body], [413, { error }], path);
    }
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const head =
      'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n';
    const [answer] = parseAnswers(await sendRaw(port, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`));
    assert.deepEqual([answer?.status, answer?.body], [413, JSON.stringify({ error })]);
  });
});

const LONG_SILENCE = 10_000;
const SMALL = { BODY_MEMORY_MB: '1' };
const CROWDED = 'Too many large requests at once. Please try again.';

async function bytesIn({ api }: Service): Promise<number> {
  const { body } = await api.get('/metrics');
  return valueOf(readScrape(String(body)), 'catalogue_request_body_bytes');
}

/** A connection with so many bytes of a body on their way that has `length` bytes in all; they have been counted. */
async function begin(service: Service, bytes: number, length = 2_000_000): Promise<Socket> {
  const before = await bytesIn(service);
  const socket = connect(service.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(rawPost(`Content-Length: ${length}\r\n`, ' '.repeat(bytes)));
  await until(async () => (await bytesIn(service)) >= before + bytes);
  return socket;
}

describe('the memory for JSON bodies', () => {
  test('is full with the largest refused first, and small ones go on', async (t) => {
    // Bodies may wait for one another as long as a busy machine takes.
    const service = await startService(t, SMALL, { pace: { windowMs: 20_000, leastBytes: 0 } });
    const body = '{"name":"Small"}';
    const small = await begin(service, 0, body.length);
    const large = await begin(service, 600_000);
    const medium = await begin(service, 400_000);
    const answered = nextData(large);
    medium.write(' '.repeat(100_000));
    const [answer] = parseAnswers(await answered);
    assert.deepEqual([answer?.status, answer?.body], [503, JSON.stringify({ error: CROWDED })]);
    assert.match(answer?.head ?? '', /^Retry-After: 5$/m);
    small.write(body);
    const [made] = parseAnswers(await nextData(small));
    assert.equal(made?.status, 201);
    // The rest of what made the large one too much may still be arriving.
    await becomes(() => bytesIn(service), 500_000);
    for (const socket of [small, large, medium]) socket.destroy();
    await until(async () => (await bytesIn(service)) === 0);
  });

  longTest('is let go of when a client vanishes, and takes as much again', async (t) => {
    const service = await startService(t, SMALL);
    for (let round = 0; round < 5; round += 1) {
      const held = [await begin(service, 500_000), await begin(service, 500_000)];
      for (const socket of held) socket.resetAndDestroy();
      await until(async () => (await bytesIn(service)) === 0);
    }
  });

  test('is let go of once a request is answered, whatever the answer', async (t) => {
    const service = await startService(t);
    const { api } = service;
    for (const [body, status] of [
      ['{"name":"Made"}', 201],
      ['{"name":', 400],
      ['{}', 400],
    ] as const) {
      const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body };
      assert.equal((await api.send('/api/categories', init)).status, status);
      assert.equal(await bytesIn(service), 0);
    }
    // More than a login may have.
    const chunk = `20000\r\n${' '.repeat(0x20000)}\r\n0\r\n\r\n`;
    const post = rawPost('Transfer-Encoding: chunked\r\nConnection: close\r\n', chunk);
    const login = post.replace('/api/categories', '/api/auth/login');
    const [refused] = parseAnswers(await sendRaw(service.port, login, LONG_SILENCE));
    assert.equal(refused?.status, 413);
    assert.equal(await bytesIn(service), 0);
  });

  test('refuses one body that is larger than all of it', async (t) => {
    const service = await startService(t, SMALL);
    const headers = { 'Content-Type': 'application/json' };
    const body = ' '.repeat(1024 * 1024 + 1);
    const answer = await service.api.send('/api/categories', { method: 'POST', headers, body });
    assert.deepEqual([answer.status, answer.body], [503, { error: CROWDED }]);
    assert.deepEqual(headerValues(answer, 'retry-after'), ['5']);
    assert.equal(await bytesIn(service), 0);
  });
});
