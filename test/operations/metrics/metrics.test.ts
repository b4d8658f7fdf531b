import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Histogram, by, counter, exposition, gauge } from '../../../src/operations/metrics/exposition.ts';
import { watchEventLoop } from '../../../src/operations/metrics/process.ts';
import { Traffic } from '../../../src/operations/metrics/traffic.ts';
import { WriteMeter } from '../../../src/operations/metrics/writes.ts';
import { openStorage } from '../../../src/storage/storage.ts';
import { StorageFailedError, Transactions } from '../../../src/storage/transaction.ts';
import { atEnd } from '../../support/cleanup.ts';
import { field, headerValues } from '../../support/client.ts';
import { type Scrape, readScrape, valueOf } from '../../support/exposition.ts';
import { sendJson } from '../../support/fake-server.ts';
import { LOCAL, changeStored, signUp } from '../../support/people.ts';
import { startWithRestaurant, upload } from '../../support/photos.ts';
import { mapWithGoogle } from '../../support/places.ts';
import { NO_PROC, askOnce } from '../../support/raw.ts';
import { type Service, startService, temporaryFolder } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';
import { until } from '../../support/until.ts';

async function scrape({ api }: Pick<Service, 'api'>): Promise<Scrape> {
  const { status, body } = await api.get('/metrics');
  assert.equal(status, 200);
  return readScrape(String(body));
}

describe('GET /api/metrics', () => {
  test('answers in the text format of Prometheus, for no cache to keep', async (t) => {
    const { api } = await startService(t);
    const answer = await api.get('/metrics');
    const expected = ['text/plain; version=0.0.4; charset=utf-8', 'private, no-store'];
    assert.deepEqual(headerValues(answer, 'content-type', 'cache-control'), expected);
    readScrape(String(answer.body));
  });

  test('counts requests by method, route and status, and measures them', async (t) => {
    const service = await startService(t);
    const { api, logs } = service;
    for (const path of ['/categories/1', '/categories/2', '/categories/999', '/nowhere']) await api.get(path);
    await api.send('/api/categories/1', { method: 'HEAD' });
    const found = await scrape(service);
    const route = '/api/categories/:id';
    const total = (labels: Readonly<Record<string, string>>): number =>
      valueOf(found, 'catalogue_http_requests_total', labels);
    assert.equal(total({ method: 'GET', route, status: '200' }), 2);
    assert.equal(total({ method: 'GET', route, status: '404' }), 1);
    assert.equal(total({ method: 'HEAD', route, status: '200' }), 1);
    assert.equal(total({ route: 'none', status: '404' }), 1);
    assert.equal(
      valueOf(found, 'catalogue_http_request_duration_seconds_count', { method: 'GET', route }),
      3,
    );
    assert.ok(valueOf(found, 'catalogue_http_request_duration_seconds_sum', { method: 'GET', route }) > 0);
    const bytes = JSON.stringify(logs).matchAll(/"bytes":(\d+)/g);
    const sum = [...bytes].slice(0, 5).reduce((all, [, one]) => all + Number(one), 0);
    assert.equal(valueOf(found, 'catalogue_http_response_bytes_total'), sum);
  });

  test('has the time of the last scheduled backup, and 0 while there was none, so that an alert fires', async (t) => {
    const folder = join(temporaryFolder(t), 'backups');
    const service = await startService(t, { BACKUP_SCHEDULE: '03:30', BACKUP_DIR: folder });
    const name = 'catalogue_backup_last_success_timestamp_seconds';
    assert.equal(valueOf(await scrape(service), name), 0);
    mkdirSync(join(folder, 'catalogue-20260101T033000Z'), { recursive: true });
    assert.equal(valueOf(await scrape(service), name), Date.UTC(2026, 0, 1, 3, 30) / 1000);
    assert.ok(!(await scrape(await startService(t))).has(name));
  });

  test('makes no series of paths and methods that clients invent', async (t) => {
    const service = await startService(t);
    for (const method of ['PROPFIND', 'LOCK', 'TRACE', 'MKCOL'])
      for (const path of ['/api/a', '/api/b', '/api/restaurants'])
        await askOnce(service.port, `${method} ${path}`, ['Host: x']);
    const samples = (await scrape(service)).get('catalogue_http_requests_total')?.samples ?? [];
    assert.deepEqual(
      new Set(samples.map(({ labels: { method, route } }) => `${String(method)} ${String(route)}`)),
      new Set(['OTHER none']),
    );
    assert.equal(
      samples.reduce((sum, { value }) => sum + value, 0),
      12,
    );
  });

  test('counts what was written, and what there is', async (t) => {
    const service = await startService(t);
    await service.api.post('/restaurants', { name: 'Chez Nous' });
    await service.api.post('/suggestions', { name: 'Le Petit Coin' });
    const found = await scrape(service);
    assert.equal(valueOf(found, 'catalogue_restaurants'), 1);
    assert.equal(valueOf(found, 'catalogue_suggestions_pending'), 1);
    assert.equal(valueOf(found, 'catalogue_photos'), 0);
    assert.equal(valueOf(found, 'catalogue_changes'), 2);
    assert.equal(valueOf(found, 'catalogue_database_write_seconds_count'), 2);
    assert.equal(valueOf(found, 'catalogue_database_write_failures_total', { kind: 'full' }), 0);
    assert.equal(valueOf(found, 'catalogue_storage_failed'), 0);
    for (const part of ['main', 'wal'])
      assert.ok(valueOf(found, 'catalogue_database_bytes', { part }) >= 4_096, part);
    const free = valueOf(found, 'catalogue_disk_free_bytes');
    assert.ok(free > 0 && free <= valueOf(found, 'catalogue_disk_size_bytes'));
  });

  test('counts the changes that are left in the log, and the files in the trash', async (t) => {
    const service = await startWithRestaurant(t);
    const { body } = await upload(service.api);
    await upload(service.api);
    await service.api.delete('/photos/1');
    const found = await scrape(service);
    const values = ['changes', 'photos', 'trash_files', 'trash_bytes'].map((name) =>
      valueOf(found, `catalogue_${name}`),
    );
    assert.deepEqual(values, [4, 1, 1, field(body, 'file_size')]);
    changeStored(service.folder, 'DELETE FROM changes WHERE id <= ?', 3);
    changeStored(service.folder, 'UPDATE change_floor SET change_id = 3');
    assert.equal(valueOf(await scrape(service), 'catalogue_changes'), 1);
  });

  test('counts what the rate limits refuse, and whom they remember', async (t) => {
    const limits = { RATE_LIMIT_PER_MINUTE: '1', RATE_LIMIT_BURST: '2', EDGE_LIMITS: 'true' };
    const service = await startService(t, limits);
    const other = { 'X-Forwarded-For': '192.0.2.1' };
    for (const status of [200, 200, 429, 429])
      assert.equal((await service.api.get('/health', other)).status, status);
    const found = await scrape(service);
    const refusals = ['api', 'edge', 'edge_auth', 'places'].map((limit) =>
      valueOf(found, 'catalogue_rate_limit_refusals_total', { limit }),
    );
    assert.deepEqual(refusals, [2, 0, 0, 0]);
    assert.equal(valueOf(found, 'catalogue_rate_limit_clients', { limit: 'api' }), 2);
    assert.equal(valueOf(found, 'catalogue_rate_limit_clients', { limit: 'places' }), 0);
  });

  test('covers the process, its event loop and its versions', async (t) => {
    const service = await startService(t, LOCAL);
    await signUp(service, 'alice');
    const found = await scrape(service);
    const now = Date.now() / 1000;
    const started = valueOf(found, 'process_start_time_seconds');
    assert.ok(started <= now && started > now - 3_600);
    assert.ok(valueOf(found, 'process_cpu_seconds_total') > 0);
    assert.ok(
      valueOf(found, 'process_resident_memory_bytes') > valueOf(found, 'nodejs_heap_size_used_bytes'),
    );
    const { node } = process.versions;
    assert.equal(valueOf(found, 'catalogue_build_info', { node }), 1);
    for (const quantile of ['0.5', '0.9', '0.99', '1'])
      assert.ok(valueOf(found, 'catalogue_event_loop_delay_seconds', { quantile }) >= 0);
    for (const state of ['running', 'waiting'])
      assert.equal(valueOf(found, 'catalogue_password_hashes', { state }), 0);
  });

  test('counts the open files of the process', { skip: NO_PROC }, async (t) => {
    const found = await scrape(await startService(t));
    const open = valueOf(found, 'process_open_fds');
    assert.ok(open > 0 && open < valueOf(found, 'process_max_fds'));
  });

  test('covers the maps provider only where there is one', async (t) => {
    const without = [...(await scrape(await startService(t))).keys()];
    assert.deepEqual(
      without.filter((name) => name.includes('maps')),
      [],
    );
    const { service, provider } = await mapWithGoogle(t, { MAPS_DAILY_LIMIT: '7' });
    await service.api.get('/places/search?q=chez');
    await service.api.get('/places/search?q=chez');
    provider.behave((response) => {
      sendJson(response, 500, {});
    });
    await service.api.get('/places/search?q=other');
    const found = await scrape(service);
    assert.equal(valueOf(found, 'catalogue_maps_calls_total', { outcome: 'ok' }), 1);
    assert.equal(valueOf(found, 'catalogue_maps_calls_total', { outcome: 'failed' }), 1);
    assert.equal(valueOf(found, 'catalogue_maps_calls_today'), 2);
    assert.equal(valueOf(found, 'catalogue_maps_calls_limit'), 7);
    assert.equal(valueOf(found, 'catalogue_maps_left_alone'), 0);
    // The fifth failure in a row.
    for (let failures = 1; failures < 5; failures += 1) await service.api.get('/places/search?q=other');
    assert.equal(valueOf(await scrape(service), 'catalogue_maps_left_alone'), 1);
  });

  test('answers HEAD with the headers alone', async (t) => {
    const { port } = await startService(t);
    const { status, head, body } = await askOnce(port, 'HEAD /api/metrics', ['Host: localhost']);
    assert.deepEqual([status, body], [200, '']);
    assert.match(head, /content-length: [1-9]/i);
  });
});

const REQUEST = { method: 'GET', route: '/api/x', status: 200, ms: 3, bytes: 10, aborted: false };

describe('the text format', () => {
  test('has help, type and a line for each sample', () => {
    const text = exposition([
      counter('one_total', 'The first.', 7),
      gauge(
        'two_bytes',
        'The second.',
        by('part', [
          ['a', 1.5],
          ['b', Infinity],
        ]),
      ),
    ]);
    assert.equal(
      text,
      '# HELP one_total The first.\n# TYPE one_total counter\none_total 7\n' +
        '# HELP two_bytes The second.\n# TYPE two_bytes gauge\ntwo_bytes{part="a"} 1.5\ntwo_bytes{part="b"} +Inf\n',
    );
  });

  test('escapes what would end a label or a line', () => {
    const text = exposition([gauge('x', 'a\\b\nc', by('l', [['"quoted" \\ \n} 1', 1]]))]);
    assert.equal(text, '# HELP x a\\\\b\\nc\n# TYPE x gauge\nx{l="\\"quoted\\" \\\\ \\n} 1"} 1\n');
    readScrape(text);
  });

  test('leaves out what is not known', () => {
    assert.equal(exposition([gauge('x', 'Unknown.', undefined)]), '');
  });
});

describe('a histogram', () => {
  test('counts a value in the first bucket that it fits in, its upper end included', () => {
    const histogram = new Histogram([1, 2]);
    for (const value of [0, 1, 1.01, 2, 2.01, 1_000, NaN]) histogram.observe(value);
    const buckets = histogram.samples({}).filter(({ suffix }) => suffix === '_bucket');
    assert.deepEqual(
      buckets.map(({ labels, value }) => [labels?.['le'], value]),
      [
        ['1', 2],
        ['2', 4],
        ['+Inf', 7],
      ],
    );
  });
});

describe('the counters of requests', () => {
  test('say nothing before the first request, in good form', () => {
    const scrape = readScrape(exposition(new Traffic().families()));
    assert.equal(valueOf(scrape, 'catalogue_http_requests_aborted_total'), 0);
  });

  test('count requests whose client went away, with their status', () => {
    const traffic = new Traffic();
    traffic.observe(REQUEST);
    traffic.observe({ ...REQUEST, aborted: true, bytes: 5 });
    const scrape = readScrape(exposition(traffic.families()));
    assert.equal(valueOf(scrape, 'catalogue_http_requests_aborted_total'), 1);
    assert.equal(valueOf(scrape, 'catalogue_http_requests_total', { status: '200' }), 2);
    assert.equal(valueOf(scrape, 'catalogue_http_response_bytes_total'), 15);
    const bucket = (le: string): number =>
      valueOf(scrape, 'catalogue_http_request_duration_seconds_bucket', { le });
    assert.deepEqual(['0.0025', '0.005', '+Inf'].map(bucket), [0, 2, 2]);
  });

  test('keep no more after many requests than after the first of their kind, whatever clients invent', () => {
    const traffic = new Traffic();
    const statuses = [200, 404, 500];
    const observeAll = (times: number): number => {
      for (let count = 0; count < times; count += 1)
        for (const status of statuses) traffic.observe({ ...REQUEST, status, method: `M${String(count)}` });
      return exposition(traffic.families()).split('\n').length;
    };
    assert.equal(observeAll(1), observeAll(10_000));
  });
});

describe('the watch of the event loop', () => {
  longTest('reports how late it was, and the same to the next scrape', async (t) => {
    const watch = watchEventLoop();
    atEnd(t, watch.stop);
    const worst = (): number =>
      valueOf(readScrape(exposition([watch.family()])), 'catalogue_event_loop_delay_seconds', {
        quantile: '1',
      });
    // It notices the delay only once it has begun to look.
    await until(() => {
      for (const end = performance.now() + 300; performance.now() < end;);
      return worst() >= 0.2;
    });
    assert.ok(worst() >= 0.2);
  });
});

describe('the counters of writes', () => {
  const kinds: readonly [string, string][] = [
    ['full', 'ENOSPC'],
    ['busy', 'SQLITE_BUSY'],
    ['exhausted', 'EMFILE'],
    ['failed', 'SQLITE_IOERR_FSYNC'],
  ];

  test('distinguish the failures of the storage, and pass them on', async (t) => {
    const storage = openStorage(temporaryFolder(t));
    atEnd(t, storage.close);
    const transactions = new Transactions(storage.connection, { patience: { limitMs: 0 } });
    const writes = new WriteMeter(transactions);
    assert.equal(await transactions.write(() => 7), 7);
    for (const [, code] of kinds) {
      const error = Object.assign(new Error('of the system'), { code });
      const failing = transactions.write(() => {
        throw error;
      });
      await assert.rejects(failing, error);
    }
    await assert.rejects(
      transactions.write(() => 8),
      StorageFailedError,
    );
    const scrape = readScrape(exposition(writes.families()));
    for (const kind of ['full', 'busy', 'exhausted', 'failed', 'refused'])
      assert.equal(valueOf(scrape, 'catalogue_database_write_failures_total', { kind }), 1, kind);
    assert.equal(valueOf(scrape, 'catalogue_database_write_seconds_count'), 6);
  });

  test('distinguish writes from the transactions that they share', async (t) => {
    const storage = openStorage(temporaryFolder(t));
    atEnd(t, storage.close);
    const transactions = new Transactions(storage.connection, { longestMs: Infinity });
    const writes = new WriteMeter(transactions);
    await transactions.write(() => 1);
    await Promise.all([
      transactions.write(() => 2),
      transactions.write(() => 3),
      transactions.write(() => 4),
    ]);
    const scrape = readScrape(exposition(writes.families()));
    assert.equal(valueOf(scrape, 'catalogue_database_write_seconds_count'), 4);
    assert.equal(valueOf(scrape, 'catalogue_database_commits_total'), 2);
  });

  test('count a refusal of what was asked as no failure', async (t) => {
    const storage = openStorage(temporaryFolder(t));
    atEnd(t, storage.close);
    const { transactions } = storage;
    const writes = new WriteMeter(transactions);
    const refused = transactions.write(() => {
      throw new RangeError('no such thing');
    });
    await assert.rejects(refused, RangeError);
    const scrape = readScrape(exposition(writes.families()));
    const { samples } = scrape.get('catalogue_database_write_failures_total') ?? {};
    assert.deepEqual(
      samples?.map(({ value }) => value),
      [0, 0, 0, 0, 0],
    );
  });
});
