import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { runOn } from '../support/cli.ts';
import { field } from '../support/client.ts';
import { linesOf } from '../support/imports.ts';
import { LOCAL, signUp } from '../support/people.ts';
import { startService, temporaryFolder } from '../support/service.ts';

/** A catalogue in which alice has noted Chez Nous and has been there. */
async function startNoted(t: TestContext): Promise<string> {
  const service = await startService(t, LOCAL);
  const alice = await signUp(service, 'alice');
  await alice.api.post('/restaurants', { name: 'Chez Nous' });
  await alice.api.put('/lists/want/items/1', { note: 'window seat' });
  await alice.api.post('/visits', { restaurant_id: 1, visited_on: '2026-05-01', note: 'rainy' });
  await signUp(service, 'bob');
  return service.folder;
}

describe('catalogue export --with-people', () => {
  test('writes the lists and visits of all users behind the restaurants, with their emails', async (t) => {
    const folder = await startNoted(t);
    const { code, out } = await runOn(folder, 'export', '-', '--format', 'ndjson', '--with-people');
    assert.equal(code, 0);
    const lines = linesOf({ body: out });
    const at = lines.findIndex((line) => line['type'] === 'list');
    assert.equal(lines[at - 1]?.['name'], 'Chez Nous');
    assert.deepEqual(
      lines.slice(at).map((line) => [line['type'], line['email'], line['kind'] ?? line['note']]),
      [
        ['list', null, 'want'],
        ['list', null, 'favourites'],
        ['list', 'alice@example.com', 'want'],
        ['item', 'alice@example.com', 'window seat'],
        ['list', 'alice@example.com', 'favourites'],
        ['visit', 'alice@example.com', 'rainy'],
        ['list', 'bob@example.com', 'want'],
        ['list', 'bob@example.com', 'favourites'],
      ],
    );
    const [item, visit] = ['item', 'visit'].map((type) => lines.find((line) => line['type'] === type));
    for (const line of [item, visit])
      assert.deepEqual(field(line, 'restaurant'), { id: 1, name: 'Chez Nous' });
    assert.deepEqual([field(item, 'position'), field(visit, 'visited_on')], [1, '2026-05-01']);
  });

  for (const format of ['csv', 'geojson'])
    test(`is refused for ${format}`, async (t) => {
      const { code, err } = await runOn(
        temporaryFolder(t),
        'export',
        '-',
        '--format',
        format,
        '--with-people',
      );
      assert.deepEqual([code, err.split(';')[0]], [2, 'only NDJSON can hold people: --format ndjson']);
    });

  test('writes what an import reads without the people, and says so once', async (t) => {
    const folder = await startNoted(t);
    const { out } = await runOn(folder, 'export', '-', '--format', 'ndjson', '--with-people');
    const copy = temporaryFolder(t);
    writeFileSync(join(copy, 'all.ndjson'), out);
    const ended = await runOn(copy, 'import', join(copy, 'all.ndjson'));
    assert.match(ended.out, / 0 failed\n/);
    assert.match(ended.err, /\npeople: left out: only a backup restores lists and visits, in 8 rows /);
    const plain = await runOn(folder, 'export', '-', '--format', 'ndjson');
    assert.equal((await runOn(copy, 'export', '-', '--format', 'ndjson')).out, plain.out);
  });
});
