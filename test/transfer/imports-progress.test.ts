import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  type Answer,
  type Client,
  array,
  bodyOf,
  createClient,
  field,
  headerValues,
  record,
} from '../support/client.ts';
import { batchOf, filePart, importText, linesOf, spooled } from '../support/imports.ts';
import { changeStored, readStored } from '../support/people.ts';
import { FORM_TYPE, form } from '../support/photos.ts';
import { type Service, startService } from '../support/service.ts';
import { longTest } from '../support/size.ts';
import { until } from '../support/until.ts';
import { startWorld } from '../support/world.ts';
import { holdWriteLock } from '../support/write-lock.ts';

const LINES = { Accept: 'application/x-ndjson' };
const LINES_TYPE = 'application/x-ndjson; charset=utf-8';
// More than are stored within the seconds of a test.
const MANY = 100_000;
const KEY = { 'Idempotency-Key': 'the import' };

const rowsOf = (count: number): string =>
  `name\n${Array.from({ length: count }, (_, index) => `R ${index}\n`).join('')}`;

const stored = ({ folder }: Service): number => readStored(folder, 'SELECT 1 FROM restaurants').length;

function sendFile(
  url: string,
  content: string,
  headers: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(`${url}/api/imports`, {
    method: 'POST',
    headers: { 'Content-Type': FORM_TYPE, ...headers },
    body: new Uint8Array(form(filePart(content))),
    signal: signal ?? null,
  });
}

/** Begins an import of many rows, and returns once some are stored: its answer, and the end of its client. */
async function begin(service: Service, headers: Readonly<Record<string, string>> = {}) {
  const gone = new AbortController();
  const answer = sendFile(service.url, rowsOf(MANY), headers, gone.signal);
  answer.catch(() => undefined);
  await until(() => stored(service) > 0);
  return {
    answer,
    leave: () => {
      gone.abort();
    },
  };
}

/** Imports a place when its turn comes. */
async function nextImport(api: Client): Promise<unknown> {
  return bodyOf(await importText(api, 'name\nThe next\n'));
}

describe('an import whose progress is followed', () => {
  longTest(
    'sends how far it has come, at most four times a second, and the result in the last line',
    async (t) => {
      const { url, folder } = await startService(t);
      const started = performance.now();
      // Nothing is stored before some lines are here.
      const release = holdWriteLock(t, folder);
      const answer = await sendFile(url, rowsOf(600), LINES);
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, LINES_TYPE]);
      let body = '';
      let isHeld = true;
      for await (const chunk of answer.body ?? []) {
        body += Buffer.from(chunk).toString();
        if (isHeld && body.split('\n').length > 2) {
          release();
          isHeld = false;
        }
      }
      const seconds = (performance.now() - started) / 1_000;
      const lines = linesOf({ body });
      const result = lines.at(-1);
      const progress = lines.slice(0, -1);
      assert.ok(progress.length > 1 && progress.length <= seconds * 4, `${progress.length} in ${seconds} s`);
      for (const [index, line] of progress.entries()) {
        const before = progress[index - 1] ?? { rows: 0, share: 0 };
        assert.deepEqual(Object.keys(line), ['rows', 'share']);
        for (const name of ['rows', 'share']) assert.ok(Number(line[name]) >= Number(before[name]));
        assert.ok(Number(line['share']) <= 1);
      }
      assert.deepEqual([field(result, 'created'), field(result, 'batch_id')], [600, 1]);
    },
  );

  longTest('is sent as lines where these are named and JSON is not preferred', async (t) => {
    const { api } = await startService(t);
    for (const [accept, isLines] of [
      ['application/x-ndjson, application/json', true],
      ['application/x-ndjson;q=0.5, application/json', false],
      ['application/x-ndjson;q=0', false],
    ] as const) {
      const { headers } = await importText(api, 'name\nA\n', { dry_run: 'true' }, { Accept: accept });
      assert.equal(headers.get('content-type')?.startsWith('application/x-ndjson'), isLines, accept);
    }
  });

  longTest('breaks off where it fails, and what was stored can be undone', async (t) => {
    const service = await startService(t);
    const { api, folder } = service;
    // The id of the last row is taken.
    changeStored(
      folder,
      `INSERT INTO restaurants (id, name, status, identity_key, search_name, search_text, created_at, updated_at)
       VALUES (601, 'In the way', 'active', '', '', '', '2026', '2026')`,
    );
    await assert.rejects(importText(api, `${rowsOf(600)}Poison\n`, {}, LINES));
    assert.ok(stored(service) > 1);
    changeStored(folder, 'UPDATE id_sequence SET last_id = 600');
    assert.equal((await importText(api, 'name\nPoison\n')).status, 500);
    assert.deepEqual(spooled(folder), []);
    assert.equal((await api.post('/batches/1/revert', {})).status, 200);
    assert.equal(stored(service), 1);
  });
});

describe('while an import is under way', () => {
  longTest('reads are answered and writes are made', async (t) => {
    const service = await startService(t);
    const { api } = service;
    const { leave } = await begin(service, LINES);
    assert.equal((await api.post('/restaurants', { name: 'Meanwhile' })).status, 201);
    assert.equal((await api.get('/restaurants/1')).status, 200);
    leave();
  });

  longTest(
    'others wait with progress lines, administrators first, and those who leave are dropped',
    async (t) => {
      const { service, people, admin, owner, other } = await startWorld(t);
      const release = holdWriteLock(t, service.folder);
      const ended: string[] = [];
      const send = async (name: string, api: Client, headers = {}): Promise<Answer> => {
        const file = `Title,Note,URL\n${name},,\n`;
        const answer = await importText(api, file, {}, { filename: `${name}.csv`, ...headers });
        ended.push(name);
        return answer;
      };
      const queued = (count: number): Promise<void> => until(() => spooled(service.folder).length === count);
      const answers = [send('first', owner)];
      await queued(1);
      answers.push(send('second', owner, LINES));
      await queued(2);
      answers.push(send('third', other));
      await queued(3);
      answers.push(send('admin', admin));
      await queued(4);
      const gone = new AbortController();
      const token = { Authorization: `Bearer ${people.owner.accessToken}` };
      const left = sendFile(service.url, 'name\nGone\n', token, gone.signal);
      await queued(5);
      gone.abort();
      await assert.rejects(left);
      await queued(4);
      release();
      const [, second] = await Promise.all(answers);
      assert.deepEqual(ended, ['first', 'admin', 'second', 'third']);
      assert.ok(second && linesOf(second).length > 1);
      assert.deepEqual(spooled(service.folder), []);
    },
  );

  for (const [title, headers] of [
    ['JSON', {}],
    ['lines', LINES],
  ] as const)
    longTest(
      `a client that waits for ${title} and hangs up ends it, and what was stored can be undone`,
      async (t) => {
        const service = await startService(t);
        const { answer, leave } = await begin(service, headers);
        leave();
        await answer.then((response) => response.text()).catch(() => undefined);
        const batch = batchOf(await nextImport(service.api));
        const rows = stored(service);
        assert.ok(rows > 1 && rows < MANY, `${rows} rows`);
        await until(() => spooled(service.folder).length === 0);
        const [first] = array(field((await service.api.get('/batches')).body, 'data')).slice(-1);
        assert.deepEqual([field(first, 'file'), batch], ['places.csv', 2]);
        assert.equal((await service.api.post('/batches/1/revert', {})).status, 200);
        assert.equal(stored(service), 1);
      },
    );

  longTest('a stop of the service ends it, and the client is told so', async (t) => {
    const service = await startService(t);
    const { answer } = await begin(service);
    await service.stop();
    const response = await answer;
    assert.equal(response.status, 503);
    const { error } = record(await response.json());
    const rows = stored(service);
    assert.match(
      String(error),
      /^The service is stopping; import the file again for the rest; the first \d+ rows were imported as batch 1$/,
    );
    assert.deepEqual(spooled(service.folder), []);
    assert.ok(rows < MANY);
  });
});

describe('an import with an Idempotency-Key', () => {
  longTest('is made once, and answered the same again', async (t) => {
    const { api } = await startService(t);
    const first = await importText(api, 'name\nA\n', {}, KEY);
    await api.delete('/restaurants/1');
    const second = await importText(api, 'name\nA\n', {}, KEY);
    assert.deepEqual([second.status, second.body], [200, first.body]);
    assert.deepEqual(headerValues(second, 'idempotent-replay', 'change'), ['true', '1']);
    assert.deepEqual((await api.get('/restaurants')).body, []);
    const other = await importText(api, 'name\nB\n', {}, KEY);
    assert.equal(other.status, 422);
    const withField = await importText(api, 'name\nA\n', { format: 'csv' }, KEY);
    assert.equal(withField.status, 422);
  });

  longTest('is answered with its result as JSON again, where it was sent as lines', async (t) => {
    const { api } = await startService(t);
    const first = await importText(api, 'name\nA\n', {}, { ...KEY, ...LINES });
    const second = await importText(api, 'name\nA\n', {}, { ...KEY, ...LINES });
    assert.deepEqual(second.body, linesOf(first).at(-1));
    assert.deepEqual(headerValues(second, 'idempotent-replay'), ['true']);
  });

  longTest('is answered again while another import is under way', async (t) => {
    const service = await startService(t);
    const first = await importText(service.api, 'name\nA\n', {}, KEY);
    await service.api.delete('/restaurants/1');
    const { leave } = await begin(service);
    const second = await importText(createClient(service.url), 'name\nA\n', {}, KEY);
    assert.deepEqual([second.status, second.body], [200, first.body]);
    leave();
  });

  longTest('can be sent again after its client hung up', async (t) => {
    const service = await startService(t);
    const { leave } = await begin(service, KEY);
    leave();
    await nextImport(service.api);
    const again = await importText(service.api, 'name\nA\n', {}, KEY);
    assert.deepEqual([again.status, headerValues(again, 'idempotent-replay')], [200, [null]]);
  });
});
