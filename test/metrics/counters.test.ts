import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { by, counter, createHistogram, exposition, gauge } from '../../src/metrics/exposition.ts';
import { watchEventLoop } from '../../src/metrics/process.ts';
import { createTraffic } from '../../src/metrics/traffic.ts';
import { atEnd } from '../support/cleanup.ts';
import { readScrape, valueOf } from '../support/exposition.ts';
import { until } from '../support/until.ts';

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
    const histogram = createHistogram([1, 2]);
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
    const scrape = readScrape(exposition(createTraffic().families()));
    assert.equal(valueOf(scrape, 'catalogue_http_requests_aborted_total'), 0);
  });

  test('count requests whose client went away, with their status', () => {
    const traffic = createTraffic();
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
    const traffic = createTraffic();
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
  test('reports how late it was, and the same to the next scrape', async (t) => {
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
