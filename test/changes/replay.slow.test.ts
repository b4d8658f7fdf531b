import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { createEntities } from '../../src/changes/entities.ts';
import { createCatalogueStores } from '../../src/transfer/stores.ts';
import { createListStore } from '../../src/lists/store.ts';
import { createPhotoStore } from '../../src/photos/store.ts';
import { COMMAND_LINE, KINDS, createChangeLog } from '../../src/storage/change-log.ts';
import { type Storage, openExistingStorage, openStorage } from '../../src/storage/storage.ts';
import { createSuggestionStore } from '../../src/suggestions/store.ts';
import { exportText } from '../../src/transfer/export.ts';
import type { Format } from '../../src/transfer/formats.ts';
import { randomNumbers } from '../support/catalogue.ts';
import { atEnd } from '../support/cleanup.ts';
import { type Client, array, field, record, textOf } from '../support/client.ts';
import { createVisitStore } from '../../src/visits/store.ts';
import { createRandomWriters } from '../support/random-writers.ts';
import { startService, temporaryFolder } from '../support/service.ts';

const WRITES = Number(process.env['REPLAY_WRITES'] ?? 1_500);
const SEED = Number(process.env['FAULT_SEED'] ?? 1);
const FORMATS: readonly Format[] = ['ndjson', 'csv', 'geojson'];

/** All changes, page by page. */
async function* feed(api: Client): AsyncGenerator<readonly unknown[]> {
  for (let since = 'start'; ;) {
    const { status, body } = await api.get(`/changes?limit=1000&since=${encodeURIComponent(since)}`);
    assert.equal(status, 200, JSON.stringify(body));
    yield array(field(body, 'data'));
    if (field(body, 'has_more') !== true) return;
    since = textOf(body, 'next');
  }
}

/** Does to a catalogue what a page of changes says. */
function createReplay(
  { queries, transactions }: Storage,
  stores: ReturnType<typeof createCatalogueStores>,
): (changes: readonly unknown[]) => Promise<void> {
  const { restaurants, ratings, categories, foodTypes } = stores;
  const photos = createPhotoStore(queries.file('photos'));
  const suggestions = createSuggestionStore(queries.file('suggestions'), restaurants);
  const entities = createEntities({
    ...{ restaurants, ratings, photos, suggestions, categories, foodTypes },
    lists: createListStore(queries.file('lists')),
    visits: createVisitStore(queries.file('visits')),
  });
  const log = createChangeLog({ sql: queries.file('change-log'), transactions, trashDays: 30 });

  function apply(change: unknown): readonly string[] {
    const kind = KINDS.find((one) => one === field(change, 'kind'));
    if (!kind) throw new Error(`a change of no kind: ${JSON.stringify(change)}`);
    const write = { ...log.begin(COMMAND_LINE), now: textOf(change, 'at') };
    const [id, action, after] = [
      Number(field(change, 'entity_id')),
      field(change, 'action'),
      field(change, 'after'),
    ];
    if (action === 'delete') {
      entities[kind].remove(id, write);
      return [];
    }
    if (action === 'update') return entities[kind].update(id, record(after), write, {});
    if (action === 'restore' || (kind !== 'category' && kind !== 'food_type'))
      return entities[kind].restore(record(after), write);
    const store = kind === 'category' ? categories : foodTypes;
    const made = store.create(textOf(after, 'name'), write);
    return made.outcome === 'done' && made.record.id === id ? [] : [`${kind} ${id} was made as another`];
  }

  return (changes) =>
    transactions.write(() => {
      for (const change of changes) assert.deepEqual(apply(change), [], JSON.stringify(change));
    });
}

/** The hash of each export. */
function exportsOf(stores: ReturnType<typeof createCatalogueStores>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    FORMATS.map((format) => {
      const hash = createHash('sha256');
      for (const text of exportText(format, stores)) hash.update(text);
      return [format, hash.digest('hex')];
    }),
  );
}

describe('the feed of a catalogue to which eight write at random', () => {
  test(`makes of an empty one a copy that is exported alike, after ${WRITES} writes (seed ${SEED})`, async (t) => {
    const started = performance.now();
    const { api, folder } = await startService(t, { LOG_LEVEL: 'error' });
    const copy = openStorage(temporaryFolder(t));
    atEnd(t, copy.close);
    const stores = createCatalogueStores(copy);
    const writers = createRandomWriters(randomNumbers(SEED));
    await writers.write(api, () => writers.acknowledged() >= WRITES);
    const written = performance.now();

    const replay = createReplay(copy, stores);
    const seen = new Map<string, number>();
    let next = 1;
    for await (const changes of feed(api)) {
      for (const change of changes) {
        assert.equal(field(change, 'id'), next);
        next += 1;
        const key = `${String(field(change, 'kind'))} ${String(field(change, 'action'))}`;
        seen.set(key, (seen.get(key) ?? 0) + 1);
      }
      await replay(changes);
    }
    const original = openExistingStorage(folder);
    atEnd(t, original.close);
    assert.deepEqual(exportsOf(stores), exportsOf(createCatalogueStores(original)));
    assert.ok(KINDS.every((kind) => seen.has(`${kind} create`) && seen.has(`${kind} delete`)));
    const seconds = [written - started, performance.now() - written].map((ms) => Math.round(ms / 100) / 10);
    t.diagnostic(
      JSON.stringify({
        writes: WRITES,
        changes: next - 1,
        seconds,
        seen: Object.fromEntries([...seen].sort()),
      }),
    );
  });
});
