import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'node:test';
import { fileURLToPath } from 'node:url';
import { randomNumbers } from '../../support/catalogue.ts';
import { CHECKOUT } from '../../support/checkout.ts';
import { startWithRestaurant, upload } from '../../support/photos.ts';
import { parseAnswers, sendRaw } from '../../support/raw.ts';
import { type Service, temporaryFolder } from '../../support/service.ts';
import { SCALE, SEED, longTest } from '../../support/size.ts';
import { filesAddress } from '../../support/web-app-files.ts';

const CANARY = 'the canary that no answer may hold';
const REPOSITORY = fileURLToPath(CHECKOUT);
const BASES = [
  '/api/uploads/menu_photos/',
  '/api/docs/assets/x/',
  '/api/docs/assets/',
  '/api/docs/',
  '/api/swagger.yaml/',
  '/app/x/',
  '/manual/',
];
const wordsIn = (text: string): string[] => text.trim().split(/\s+/);
/** Forms of `../../` to which some server was vulnerable. */
const STEPS = [
  ...wordsIn(String.raw`
    ../ ..%2f ..%2F %2e%2e/ %2e%2e%2f .%2e/ %2e./ ./../ ..// ..%2f%2f ....//
    ..\ ..%5c %2e%2e%5c %2e%2e\ ..\/ .../ ..;/ ..;a=b/ ..%00/ ..%0d%0a/ ..%09/
    ..%252f %252e%252e%252f %252e%252e/ ..%255c %25252e%25252e%25252f ..%25c0%25af
    ..%c0%af %c0%ae%c0%ae/ %c0%ae%c0%ae%c0%af ..%c1%9c ..%e0%80%af %e0%80%ae%e0%80%ae/
    ..%f0%80%80%af ..%u2215 %uff0e%uff0e%u2215 ..%ef%bc%8f %ef%bc%8e%ef%bc%8e/ ..%e2%88%95`),
  '..\xc0\xaf',
  '\xc0\xae\xc0\xae/',
  '..\x00/',
  '..\xff/',
  '.\t./',
];
const NAMES = [
  ...wordsIn(String.raw`
    . .. ... ./ ../ %2e %2e%2e ~root ~ * ? # % %2 %zz %00
    //etc/passwd /etc/passwd %2fetc%2fpasswd %2Fetc/passwd file:///etc/passwd //127.0.0.1/etc
    CON NUL aux.css COM1 LPT1.txt con.jpg C:%5cWindows%5cwin.ini C:/Windows/win.ini
    \\server\share %5c%5cserver%5cshare docs.css::$DATA docs.css. docs.css%20 docs.css%00
    docs.css%00.js docs.css/ docs.css/.. docs.css/%2e%2e/docs.html docs.css%2f..%2fdocs.html DOCS.CSS
    .env .git/config docs.html swagger.yaml common-passwords.txt catalogue.db canary.txt
    __proto__ constructor toString hasOwnProperty %5f%5fproto__ undefined
    x.jpg arriving`),
  '\x00',
  '[object Object]',
  'a'.repeat(5_000),
  `${'a'.repeat(300)}.jpg`,
  `${'A'.repeat(32)}.jpg`,
  'a/'.repeat(2_000),
  '../../'.repeat(500),
  '%2e%2e%2f'.repeat(500),
];
const ALLOWED = [200, 400, 404, 405];

/** Paths that lead to files of this machine, if any path does. */
function hostilePaths(folder: string, outside: string, photo: string, bases: readonly string[]): string[] {
  const files = [
    'package.json',
    'canary.txt',
    'photos/canary.txt',
    `photos/${photo}`,
    `${outside.slice(1)}/canary.txt`,
  ];
  const steps = STEPS.flatMap((step) => [
    `${step}package.json`,
    `${step.repeat(2)}canary.txt`,
    `${step.repeat(2)}package.json`,
    `${step.repeat(9)}etc/passwd`,
  ]);
  const plain = [...files, ...files.map((file) => `${'../../'.repeat(9)}${file}`)];
  const absolute = [`${folder}/canary.txt`, `${outside}/canary.txt`, `${REPOSITORY}package.json`];
  const ends = [
    ...steps,
    ...NAMES,
    ...plain,
    photo.slice(3),
    ...absolute,
    ...absolute.map(encodeURIComponent),
  ];
  return bases.flatMap((base) => ends.map((end) => base + end));
}

/** The answer to a path, which is sent byte by byte. */
function ask({ port }: Service, method: string, path: string): Promise<string> {
  const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
  return sendRaw(port, Buffer.from(head, 'latin1'));
}

describe('hostile paths', () => {
  longTest('lead only to the intended files, and only to the statuses 200, 400, 404 and 405', async (t) => {
    const service = await startWithRestaurant(t);
    // After the first upload no photo file is removed for lack of a row.
    await upload(service.api);
    const { folder } = service;
    const outside = temporaryFolder(t);
    // Named like a photo, but without a row.
    const photo = `ab/ab${'0'.repeat(30)}.jpg`;
    mkdirSync(join(folder, 'photos', 'ab'), { recursive: true });
    const planted = [
      join(outside, 'canary.txt'),
      ...['canary.txt', 'photos/canary.txt', `photos/${photo}`].map((name) => join(folder, name)),
    ];
    for (const file of planted) writeFileSync(file, CANARY);
    const secrets = [
      CANARY,
      'SQLite format 3',
      '"devDependencies"',
      ...[
        readFileSync('/etc/passwd', 'utf8'),
        readFileSync(join(REPOSITORY, 'static/common-passwords.txt'), 'utf8'),
      ].map((text) => text.slice(0, 30)),
      '{{assets}}',
      '{{base}}',
      folder,
      REPOSITORY,
    ];

    const app = new URL(await filesAddress(service)).pathname;
    const bases = [...BASES, ...['/', '/vendor/lit-html/', '/vendor/'].map((below) => app + below)];
    const wrong: string[] = [];
    const random = randomNumbers(SEED);
    const paths = hostilePaths(folder, outside, photo, bases).filter(() => random() < SCALE);
    for (const [index, path] of paths.entries())
      for (const method of index % 10 === 0 ? ['GET', 'PUT', 'DELETE'] : ['GET']) {
        const text = await ask(service, method, path);
        const statuses = parseAnswers(text).map(({ status }) => status);
        const isFine = statuses.length === 1 && statuses.every((status) => ALLOWED.includes(status));
        const leaks = secrets.filter((secret) => text.includes(secret));
        if (!isFine || leaks.length > 0)
          wrong.push(`${method} ${JSON.stringify(path)}: ${statuses.join()} ${leaks.join()}`);
      }
    assert.deepEqual(wrong, []);
    for (const file of planted) assert.equal(readFileSync(file, 'utf8'), CANARY);
  });
});
