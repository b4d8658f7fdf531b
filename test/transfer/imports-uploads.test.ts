import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { array, field } from '../support/client.ts';
import { NO_NOTES, batchOf, filePart, importText, sendImport, spooled } from '../support/imports.ts';
import { readStored } from '../support/people.ts';
import { FORM_TYPE, form, formHead } from '../support/photos.ts';
import { leaveAnywhere, openFilesOf, parseAnswers, sendInvited, sendRaw } from '../support/raw.ts';
import { type Service, startService } from '../support/service.ts';
import { longTest } from '../support/size.ts';
import { until } from '../support/until.ts';

const SAMPLES = new URL('../../static/app/samples.csv', import.meta.url);
const boundary = FORM_TYPE.split('boundary=')[1] ?? '';
const whole = form(filePart('name\nChez Nous\nLe Coin\n'));
const MALFORMED = 'Malformed multipart body';
const TOO_LARGE =
  'Request body is larger than 10 MB; larger files are imported on the command line: catalogue import FILE';
const MB = 1024 * 1024;

const head = (length: number, ...lines: readonly string[]): string =>
  formHead('/api/imports', length, ...lines);

function assertNothingLeft({ folder }: Service): void {
  assert.deepEqual([spooled(folder), readStored(folder, 'SELECT 1 FROM changes')], [[], []]);
}

/** Asserts that nothing was left behind and that an import still works. */
async function assertUnharmed(service: Service): Promise<void> {
  assertNothingLeft(service);
  assert.equal(field((await sendImport(service.api, whole)).body, 'created'), 2);
  assert.deepEqual(spooled(service.folder), []);
}

const bodies: readonly (readonly [string, string | Buffer, string])[] = [
  ['nothing', '', MALFORMED],
  ['no boundary at all', 'name\nA\n', MALFORMED],
  ['half a header', `--${boundary}\r\nContent-Dispos`, MALFORMED],
  ['no boundary behind the file', whole.subarray(0, -boundary.length - 8), MALFORMED],
  ['half of the last boundary', whole.subarray(0, -20), MALFORMED],
  ['a header with a NUL', `--${boundary}\r\n\0: x\r\n\r\nx\r\n--${boundary}--`, MALFORMED],
  [
    'a broken part behind a whole file',
    Buffer.concat([whole.subarray(0, -4), Buffer.from('\r\nA')]),
    MALFORMED,
  ],
  ['the end alone', `--${boundary}--\r\n`, 'file is required'],
  [
    '10,000 fields',
    form(...Array.from({ length: 10_000 }, () => ({ name: 'a', content: '' }))),
    'Form must have at most 20 fields',
  ],
];

describe('the upload of a file to import', () => {
  longTest('is refused as anything but a whole form of at most 10 MB, and leaves nothing', async (t) => {
    const service = await startService(t);
    const { api, port } = service;
    for (const [title, body, error] of bodies) {
      const answer = await sendImport(api, Buffer.from(body));
      assert.deepEqual([answer.status, answer.body], [400, { error }], title);
      assertNothingLeft(service);
    }
    for (const type of ['text/csv', 'application/json', ''])
      assert.equal((await sendImport(api, whole, { 'Content-Type': type })).status, 415, type);

    // Over 10 MB it is refused before it is sent, or while it arrives, with the way to import it.
    const early = parseAnswers(await sendRaw(port, head(10 * MB + 1)));
    assert.deepEqual(
      early.map(({ status, body }) => [status, body]),
      [[413, JSON.stringify({ error: TOO_LARGE })]],
    );
    const large = form(filePart(Buffer.alloc(10 * MB)));
    const late = await api.send('/api/imports', {
      method: 'POST',
      headers: { 'Content-Type': FORM_TYPE },
      body: new Blob([new Uint8Array(large)]).stream(),
      duplex: 'half',
    });
    assert.deepEqual([late.status, late.body], [413, { error: TOO_LARGE }]);

    // It is no form where its length is less than it says it is.
    const next = 'GET /api/restaurants/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const short = whole.subarray(0, -30);
    const text = await sendRaw(
      port,
      Buffer.concat([Buffer.from(head(short.length)), short, Buffer.from(next)]),
    );
    assert.deepEqual(
      parseAnswers(text).map(({ status }) => status),
      [400, 404],
    );
    await assertUnharmed(service);
  });

  longTest('is asked for with 100 Continue once nothing speaks against it', async (t) => {
    const { port } = await startService(t);
    const invited = head(whole.length, 'Expect: 100-continue', 'Connection: close');
    assert.match(await sendInvited(port, invited, whole, 3_000), /^HTTP\/1\.1 200 /);
  });

  longTest('leaves nothing wherever its client goes away', async (t) => {
    const service = await startService(t);
    await sendImport(service.api, Buffer.alloc(0));
    const request = Buffer.concat([Buffer.from(head(whole.length + 1)), whole]);
    const before = openFilesOf(process.pid);
    await leaveAnywhere(service.port, request, request.length);
    // What the service has not noticed yet it notices within moments.
    await until(() => spooled(service.folder).length === 0 && openFilesOf(process.pid) <= before);
    await assertUnharmed(service);
    const failures = service.logs.filter((line) => JSON.stringify(line).includes('unexpected failure'));
    assert.deepEqual(failures, []);
  });
});

describe('what a crash leaves of an import', () => {
  test('is gone with the next start, but not with that of a replica', async (t) => {
    const { folder, stop } = await startService(t);
    await stop();
    const remains = join(folder, 'imports', 'abc');
    mkdirSync(join(remains, 'copy'), { recursive: true });
    writeFileSync(join(remains, 'file'), 'name\n');
    const replica = await startService(t, { READ_ONLY: 'true', DATA_DIR: folder });
    await replica.stop();
    assert.deepEqual(spooled(folder), ['abc']);
    await startService(t, { DATA_DIR: folder });
    assert.deepEqual(spooled(folder), []);
  });
});

describe('the sample places of the web app', () => {
  longTest('go in without a fault, and out again with all that came with them', async (t) => {
    const { api } = await startService(t);
    const lists = ['/restaurants', '/categories', '/food-types'];
    const all = (): Promise<unknown> => Promise.all(lists.map(async (path) => (await api.get(path)).body));
    const before = await all();
    const { body } = await importText(api, readFileSync(SAMPLES), {}, { filename: 'samples.csv' });
    const places = array((await api.get('/restaurants?include=opening')).body);
    const unsaved = { list: null, lists: [], unknown_total: 0, unknown: [], notes_cut: 0, ...NO_NOTES };
    const none = { ...unsaved, updated: 0, unchanged: 0, failed: 0, duplicates: 0, faults: [] };
    assert.deepEqual(body, { dry_run: false, batch_id: 1, created: places.length, ...none });
    assert.ok(places.length >= 20);
    for (const place of places) {
      for (const name of ['latitude', 'longitude', 'category', 'price_level', 'time_zone', 'opening'])
        assert.notEqual(field(place, name), null, `${String(field(place, 'name'))}: ${name}`);
      assert.notEqual(field(field(place, 'opening'), 'state'), 'unknown');
      assert.match(String(field(place, 'website')), /^https:\/\/[a-z]+\.example\/$/);
    }
    assert.equal((await api.post(`/batches/${batchOf(body)}/revert`, {})).status, 200);
    assert.deepEqual(await all(), before);
  });
});
