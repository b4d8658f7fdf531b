import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { type TestContext, describe } from 'node:test';
import { promisify } from 'node:util';
import busboy from 'busboy';
import type { Page } from 'playwright-core';
import { NO_BROWSER, test } from '../../support/chromium.ts';
import { array, field, textOf } from '../../support/client.ts';
import {
  bodyField,
  goTo,
  openDocs,
  sampleIn,
  sendForm,
  showOptional,
  signIn,
} from '../../support/docs-page.ts';
import { findProgram } from '../../support/edge.ts';
import { type Asked, type FakeServer, sendJson, startFakeServer } from '../../support/fake-server.ts';
import { sample } from '../../support/images.ts';
import { LOCAL, signUp } from '../../support/people.ts';
import { startService, temporaryFolder } from '../../support/service.ts';

/** How a sample is run, by the language that the page names. */
const RUNNERS: readonly (readonly [string, string, readonly string[]])[] = [
  ['curl', 'curl', ['sh', '-c']],
  ['JavaScript', 'node', [process.execPath, '--input-type=module', '-e']],
  ['Python', 'python3', ['python3', '-c']],
];

const HOSTILE = `'"\\ $HOME \${x} $(id) \`id\` %41 \\u0041 {a} 100% 🍜 é`;
// Of a file system they may be names, but no path.
const FILE = `it's "a" $menu \`id\` 🍜.jpg`;
const BODIES: readonly string[] = [
  JSON.stringify({ name: HOSTILE, description: 'two\nlines \u2028 \u0007' }, null, 2),
  `{"name": "x'''y\\"\\"\\"z", "category_id": 12345678901234567890}\n`,
  `@/etc/hostname \\ \u2028 \u0001`,
];

async function run([command = '', ...first]: readonly string[], code: string, cwd: string): Promise<string> {
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], PYTHONUTF8: '1' };
  const { stdout } = await promisify(execFile)(command, [...first, code], { cwd, env });
  return stdout;
}

/** The content of a request, apart from what programs say about themselves. */
async function contentOf({ method, path, query, headers, body }: Asked): Promise<unknown> {
  const type = headers['content-type'] ?? '';
  const known = { method, path, query: [...query], token: headers.authorization, accept: headers.accept };
  if (!type.startsWith('multipart/')) return { ...known, type, body };
  return { ...known, parts: await partsOf(type, body) };
}

async function partsOf(type: string, body: string): Promise<readonly unknown[]> {
  const parts: unknown[] = [];
  const parser = busboy({ headers: { 'content-type': type }, defParamCharset: 'utf8', preservePath: true });
  parser.on('field', (name, value) => parts.push([name, value]));
  parser.on('file', (name, stream, { filename, mimeType }) => {
    void text(stream).then((content) => parts.push([name, filename, mimeType, content]));
  });
  parser.end(body);
  await finished(parser);
  return parts;
}

/** Sends the form to a server that records it, then the sample, and compares what arrived. */
async function compare(
  page: Page,
  recorder: FakeServer,
  language: string,
  runner: readonly string[],
  cwd: string,
): Promise<void> {
  const { origin } = new URL(page.url());
  const before = recorder.asked.length;
  await sendForm(page);
  await run(runner, (await sampleIn(page, language)).replaceAll(origin, recorder.url), cwd);
  const [sent, ran, ...more] = recorder.asked.slice(before);
  assert.ok(sent && ran && more.length === 0);
  // urllib names no type that it accepts, where all are accepted.
  const accepts = { ...ran.headers, accept: ran.headers.accept ?? '*/*' };
  assert.deepEqual(await contentOf({ ...ran, headers: accepts }), await contentOf(sent));
}

/** Sends what the page sends to these paths to a server that records it. */
async function record(t: TestContext, page: Page, path: RegExp): Promise<FakeServer> {
  const recorder = await startFakeServer(t, (response) => {
    sendJson(response, 200, []);
  });
  const { origin } = new URL(page.url());
  await page.route(path, async (route) => {
    await route.continue({ url: route.request().url().replace(origin, recorder.url) });
  });
  return recorder;
}

describe('the code samples of the page at /api/docs', { skip: NO_BROWSER }, () => {
  for (const [language, program, runner] of RUNNERS) {
    const missing = program !== 'node' && findProgram(program) === undefined;
    const skip = missing && `needs the program ${program}`;

    test(`send exactly what the form sends: ${language}`, { skip }, async (t) => {
      const service = await startService(t, LOCAL);
      const alice = await signUp(service, 'alice');
      const folder = temporaryFolder(t);
      writeFileSync(join(folder, FILE), 'a file');
      const { page } = await openDocs(t, service, { hash: 'createRestaurant' });
      await signIn(page, alice.email, alice.password);
      const recorder = await record(t, page, /\/api\/(?:restaurants|search)/);
      for (const body of BODIES) {
        await bodyField(page).fill(body);
        await compare(page, recorder, language, runner, folder);
      }
      await goTo(page, 'deleteRestaurant');
      await page.getByLabel('id', { exact: false }).first().fill(`a/b?c#${HOSTILE}`);
      await compare(page, recorder, language, runner, folder);
      await goTo(page, 'listRestaurants');
      await showOptional(page);
      await page.locator('.try').getByLabel('q', { exact: true }).fill(HOSTILE);
      await page.getByLabel('food_type_ids').fill('7,9');
      await page.getByLabel('If-None-Match').fill(`W/"'\\"`);
      await compare(page, recorder, language, runner, folder);
      await goTo(page, 'uploadPhoto');
      await page.getByLabel('restaurantId').fill('1');
      await showOptional(page);
      await page.getByLabel('caption').fill(`@home; <menu ${HOSTILE}`);
      const file = { name: FILE, mimeType: 'image/jpeg', buffer: Buffer.from('a file') };
      await page.locator('.try').getByLabel('photo').setInputFiles(file);
      await compare(page, recorder, language, runner, folder);
    });

    test(`write to the service and print its answer: ${language}`, { skip }, async (t) => {
      const service = await startService(t);
      const folder = temporaryFolder(t);
      writeFileSync(join(folder, FILE), sample('baseline'));
      const { page } = await openDocs(t, service, { hash: 'createRestaurant' });
      await bodyField(page).fill(JSON.stringify({ name: HOSTILE }));
      assert.match(await run(runner, await sampleIn(page, language), folder), /"name": ?"'\\"/);
      assert.equal(textOf((await service.api.get('/restaurants/1')).body, 'name'), HOSTILE);
      await goTo(page, 'uploadPhoto');
      await page.getByLabel('restaurantId').fill('1');
      const file = { name: FILE, mimeType: 'image/jpeg', buffer: sample('baseline') };
      await page.locator('.try').getByLabel('photo').setInputFiles(file);
      await run(runner, await sampleIn(page, language), folder);
      const [photo] = array((await service.api.get('/restaurants/1/photos')).body);
      assert.equal(field(photo, 'width'), 16);
    });

    test(`show a redirect without following it, and a stream: ${language}`, { skip }, async (t) => {
      const service = await startService(t);
      const redirecting = await startFakeServer(t, (response) => {
        response.writeHead(302, { Location: '/elsewhere' }).end();
      });
      const streaming = await startFakeServer(t, (response) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end('event: ready\n\n');
      });
      const { page } = await openDocs(t, service, { hash: 'beginIdpLogin' });
      const runAt = async ({ url }: FakeServer): Promise<string> =>
        run(runner, (await sampleIn(page, language)).replaceAll(service.url, url), temporaryFolder(t));
      assert.match(await runAt(redirecting), /302[^]*\/elsewhere/);
      assert.equal(redirecting.asked.length, 1);
      await goTo(page, 'streamChanges');
      assert.match(await runAt(streaming), /event: ready/);
    });
  }

  test('show the language that was selected last, also after a reload, and by the arrow keys', async (t) => {
    const { page } = await openDocs(t, await startService(t), { hash: 'listCategories' });
    const selected = page.locator('.samples [role=tab][aria-selected=true]');
    assert.equal(await selected.textContent(), 'curl');
    await selected.focus();
    await page.keyboard.press('ArrowLeft');
    assert.equal(await selected.textContent(), 'Python');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Python');
    await goTo(page, 'search');
    assert.equal(await selected.textContent(), 'Python');
    await page.reload();
    await page.waitForSelector('#title');
    assert.equal(await selected.textContent(), 'Python');
  });

  test('hold no token of a user who is not signed in, nor after a sign-out', async (t) => {
    const service = await startService(t, LOCAL);
    const alice = await signUp(service, 'alice');
    const { page } = await openDocs(t, service, { hash: 'createCategory' });
    const texts = () => page.locator('.samples').textContent();
    assert.doesNotMatch((await texts()) ?? '', /Bearer/);
    await signIn(page, alice.email, alice.password);
    assert.equal((await texts())?.match(/Bearer ey/g)?.length, 3);
    await page.getByRole('button', { name: 'alice' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    assert.doesNotMatch((await texts()) ?? '', /Bearer/);
  });
});
