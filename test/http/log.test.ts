import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { type LogLevel, createLogger } from '../../src/http/log.ts';
import { CHECKOUT } from '../support/checkout.ts';
import { field } from '../support/client.ts';
import { partOf } from '../support/manual.ts';
import { startService } from '../support/service.ts';

const ENTRY = {
  offered: null,
  id: 'i',
  method: 'GET',
  route: null,
  path: '/p',
  status: 200,
  ms: 1.5,
  bytes: 2,
  client: '::1',
  aborted: false,
};

function linesOf(
  options: { level?: LogLevel; pretty?: boolean },
  act: (logger: ReturnType<typeof createLogger>) => void,
): string[] {
  const lines: string[] = [];
  act(createLogger({ level: 'info', pretty: false, ...options, write: (line) => lines.push(line) }));
  return lines;
}

/** Without what is said of the start. */
function requests(logs: readonly unknown[]): readonly unknown[] {
  return logs.filter((line) => field(line, 'message') === 'request');
}

describe('the access log', () => {
  test('has one line of JSON for each request', async (t) => {
    const { api, logs } = await startService(t);
    await api.get('/categories/1');
    await api.get('/nowhere');
    const [found, missing, ...more] = requests(logs);
    assert.deepEqual(more, []);
    assert.ok(typeof found === 'object' && found !== null);
    assert.deepEqual(Object.keys(found), [
      'time',
      'level',
      'message',
      'id',
      'method',
      'route',
      'path',
      'status',
      'ms',
      'bytes',
      'client',
    ]);
    assert.match(String(field(found, 'time')), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(field(found, 'route'), '/api/categories/:id');
    assert.deepEqual(
      [field(found, 'path'), field(found, 'status'), field(found, 'client')],
      ['/api/categories/1', 200, '127.0.0.1'],
    );
    assert.equal(field(found, 'bytes'), JSON.stringify((await api.get('/categories/1')).body).length);
    assert.deepEqual([field(missing, 'route'), field(missing, 'status')], [null, 404]);
  });

  test('leaves queries out: they hold whereabouts and maybe tokens', async (t) => {
    const { api, logs } = await startService(t);
    await api.get('/restaurants?lat=48.8566&lng=2.3522&token=canary');
    assert.equal(field(requests(logs)[0], 'path'), '/api/restaurants');
    assert.doesNotMatch(JSON.stringify(logs), /canary|48\.8566/);
  });

  test('shows nothing private of a path, however it is written', async (t) => {
    const { api, logs } = await startService(t);
    const paths = [
      ['/api/lists/want/items/1', '/api/lists/…'],
      ['/api/lists', '/api/lists'],
      ['/api/%6Cists/want/items/1', '/api/lists/…'],
      ['/api//lists//17', '/api//lists//…'],
      ['/API/Lists/17', '/API/Lists/…'],
      ['/api/lists/17/nothing', '/api/lists/…/nothing'],
      ['/api/visits/7?q=1', '/api/visits/…'],
      ['/api/users/7', '/api/users/…'],
      ['/api/auth/tokens/7', '/api/auth/tokens/…'],
      ['/api/shared/secret.kml', '/api/shared/…'],
      ['/l/secret', '/l/…'],
      ['/feeds/secret.ics', '/feeds/…'],
      ['/lists/favourites', '/lists/…'],
      ['/api/lists/17%', '/api/lists/…%'],
      ['/restaurants/1', '/restaurants/…'],
      ['/api/restaurants/1', '/api/restaurants/1'],
      ['/api/auth/login', '/api/auth/login'],
    ] as const;
    for (const [path] of paths) await api.send(path, {});
    assert.deepEqual(
      requests(logs).map((line) => field(line, 'path')),
      paths.map(([, shown]) => shown),
    );
  });

  test('cuts long paths', async (t) => {
    const { api, logs } = await startService(t);
    await api.get(`/${'a'.repeat(5_000)}`);
    assert.ok(JSON.stringify(requests(logs)[0]).length < 1_600);
  });
});

describe('a log line', () => {
  test('is written at its level and above alone', () => {
    const all = (logger: ReturnType<typeof createLogger>): void => {
      logger.debug('d');
      logger.info('i');
      logger.access(ENTRY);
      logger.warn('w');
      logger.error('e');
    };
    const counts = (['debug', 'info', 'warn', 'error', 'silent'] as const).map(
      (level) => linesOf({ level }, all).length,
    );
    assert.deepEqual(counts, [5, 4, 2, 1, 0]);
  });

  test('is one line of JSON whatever it quotes', () => {
    const hostile = 'a\nb\r\u001b[31m\u2028\u202e"\\';
    const lines = linesOf({}, (logger) => {
      logger.warn(hostile, { path: hostile, long: 'x'.repeat(2_000) });
    });
    assert.equal(lines.length, 1);
    const [line = ''] = lines;
    assert.equal(line.indexOf('\n'), line.length - 1);
    assert.equal(field(JSON.parse(line), 'path'), hostile);
    assert.equal(String(field(JSON.parse(line), 'long')).length, 1_025);
  });

  test('cannot steer a terminal', () => {
    const lines = linesOf({ pretty: true }, (logger) => {
      logger.access({ ...ENTRY, path: '/\u001b[2J\u009b31m\u202e\u2066\r\n' });
      logger.error('bad\u001b]0;title\u0007');
    });
    assert.equal(lines.length, 2);
    for (const line of lines) assert.match(line, /^[^\p{Cc}\u2028-\u202e\u2066-\u2069]*\n$/u);
    assert.match(lines[0] ?? '', /\\u\{1b\}\[2J/);
  });
});

const SOURCES = new URL('src/', CHECKOUT);
// Every way in which a module writes a line: a logger's, or a function that app.ts makes of one.
const CALL = /\b(debug|info|warn|error|report)\(\s*'((?:[^'\\\n]|\\.)+)'/g;

const section = partOf('observe.md', 'Log lines');
const documented = [...section.matchAll(/^\| `([^`]+)` \| (\w+) \|/gm)].map(
  ([, message = '', level = '']) => ({
    message,
    level,
  }),
);

function written(): { message: string; level: string }[] {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...readFileSync(new URL(file, SOURCES), 'utf8').matchAll(CALL)])
    .map(([, name = '', message = '']) => ({ message, level: name === 'report' ? 'warn' : name }));
}

const byMessage = (a: { message: string }, b: { message: string }): number =>
  a.message < b.message ? -1 : 1;

describe('the log lines', () => {
  test('are all described in the manual with their level, and no others', () => {
    assert.ok(documented.length > 10);
    // Some are written in more than one place.
    const all = new Map(written().map((line) => [line.message, line]));
    assert.deepEqual(documented.toSorted(byMessage), [...all.values()].toSorted(byMessage));
  });

  test('of requests are described with each of their fields', () => {
    const source = readFileSync(new URL('http/log.ts', SOURCES), 'utf8');
    const entry = /interface AccessEntry \{([\s\S]*?)^\}/m.exec(source)?.[1] ?? '';
    const fields = [...entry.matchAll(/readonly (\w+):/g)].map(([, name = '']) => name);
    assert.ok(fields.length > 5);
    assert.deepEqual(
      fields.filter((name) => !section.includes(`\`${name}\``) && !section.includes(`\`"${name}":`)),
      [],
    );
  });
});
