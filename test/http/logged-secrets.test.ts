import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { ask } from '../faults/support.ts';
import { LOCAL } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const SECRET = randomBytes(32).toString('base64url');

/** A path that holds a secret, where it belongs and where it does not. */
const PATHS = [
  ...['/l/S', '/o/S', '/feeds/S.ics', '/feeds/S.atom', '/S', '/manual/S', '/join/S', '/reset/S'],
  ...[
    '/api/shared/S',
    '/api/shared/S.kml',
    '/api/shared/S/join',
    '/api/shared/S/ballot',
    '/api/lists/1/links/S',
  ],
  ...[
    '/api/auth/invitation/S',
    '/api/auth/password-reset/S',
    '/api/restaurants/S',
    '/app/S/main.js',
    '/api/rct_S',
  ],
];

const METHODS = ['GET', 'POST', 'OPTIONS', 'DELETE'];

const escaped = (text: string): string =>
  text.replace(/[A-Za-z]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);

/** Ways to write a target, of which most are refused or lead nowhere. */
const FORMS: Readonly<Record<string, (path: string) => string>> = {
  'as it is': (path) => path,
  'with a query': (path) => `${path}?${SECRET}`,
  'with a slash behind it': (path) => `${path}/`,
  'with more behind it': (path) => `${path}/nothing`,
  'with parameters': (path) => `${path};jsessionid=${SECRET}`,
  'with doubled slashes': (path) => path.replaceAll('/', '//'),
  'with dots': (path) => `/./x/..${path}/.`,
  'with dots that are escaped': (path) => `/%2e%2e${path}`,
  'with escaped slashes': (path) => `/${path.slice(1).replaceAll('/', '%2F')}`,
  'with escaped letters': (path) => `/${escaped(path.slice(1))}`,
  'with one escaped letter': (path) =>
    path.replace(SECRET, `%${SECRET.charCodeAt(0).toString(16)}${SECRET.slice(1)}`),
  'with letters escaped twice': (path) => path.replace(SECRET, escaped(SECRET).replaceAll('%', '%25')),
  'with a broken escape': (path) => `${path}%`,
  'with bytes of no letter': (path) => `${path}%ff`,
  'with a zero': (path) => `${path}%00`,
  'with a backslash': (path) => path.replaceAll('/', '\\'),
  'in capitals but for the secret': (path) =>
    path
      .split(SECRET)
      .map((part) => part.toUpperCase())
      .join(SECRET),
  'in the absolute form': (path) => `http://catalogue.example${path}`,
  'in the absolute form with a user': (path) => `http://${SECRET}@catalogue.example${path}`,
  'with a fragment': (path) => `${path}#${SECRET}`,
  'without a slash': (path) => path.slice(1),
};

/** A text with all of its escapes read, however often they were made. */
function plain(text: string): string {
  const read = text.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  return read === text ? text : plain(read);
}

describe('the access log', () => {
  for (const [who, variables, headers] of [
    ['anyone', LOCAL, {}],
    ['a page of another host, which is refused', {}, { Host: 'evil.example' }],
  ] as const)
    test(`shows no secret of a path, in whatever form ${who} sends it`, async (t) => {
      const { port, logs } = await startService(t, variables);
      const statuses = new Set<number>();
      for (const [at, form] of Object.values(FORMS).entries()) {
        const targets = PATHS.map((path) => form(path.replace('S', SECRET)));
        const sent = targets.map((path, index) =>
          ask(port, path, { method: METHODS[(at + index) % 4] ?? '', headers }),
        );
        for (const { status } of await Promise.all(sent)) statuses.add(status);
      }
      await ask(port, '/health', { headers: { 'X-Request-Id': 'the-last' } });
      await until(() => JSON.stringify(logs.at(-1)).includes('the-last'));
      const lines = logs.map((line) => JSON.stringify(line)).filter((line) => line.includes('"path"'));
      assert.ok(lines.length > PATHS.length * 15, String(lines.length));
      assert.deepEqual(
        lines.filter((line) => plain(line).includes(SECRET)),
        [],
      );
      assert.ok(statuses.has(400) && !statuses.has(500), [...statuses].join());
    });
});
