import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { PLACE_NAMES } from '../../src/restaurants/fields.ts';
import type { Filters } from '../../src/restaurants/filters.ts';
import { type Lists, createLists, createPendingLists } from '../../src/restaurants/list.ts';
import type { Connection } from '../../src/storage/database.ts';
import { loadQueries, sqlFolder, withColumns } from '../../src/storage/statements.ts';
import { openStorage } from '../../src/storage/storage.ts';
import { temporaryFolder } from '../support/service.ts';

// Statements that return a whole table on purpose, some on a table of one row, and one on the list of tables.
const WHOLE_TABLE: readonly string[] = [
  'doctor.sql sumPhotos',
  ...['lookups.sql list', 'lookups.sql listSearchNames'],
  'accounts.sql listUsers',
  'restaurants.sql nextId',
  ...['changes.sql getFloor', 'compaction.sql setFloor'],
  // As many as there were imports, and as there are deletions that can be undone.
  ...['changes.sql countBatches', 'compaction.sql deleteEmptyBatches', 'operations.sql sumTrash'],
  ...['backup.sql findPhotoTable', 'doctor.sql sizeOfChanges'],
];
// Looks all data over, in a process of its own.
const WHOLE_DATABASE = 'check.sql';
// Parts of statements, and triggers, which have no plan of their own.
const FRAGMENT =
  /^(select(Newest|Name|Rating|Candidates|Count|Change|Batch)|(from|where|and|start|end|after|order|watch)[A-Z]\w*)$/;

/** The steps of a plan that read a table from end to end without an index. */
function tableScans(connection: Connection, sql: string): string[] {
  const names = [...sql.matchAll(/:([A-Za-z_]+)/g)].map(([, name = '']) => [name, null] as const);
  const explain = connection.prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`);
  const steps = explain.all(Object.fromEntries(names)).map(({ detail }) => detail);
  return steps.filter(
    (step) => /^SCAN (?!CONSTANT ROW)/.test(step) && !step.includes(' INDEX ') && !isShort(step),
  );
}

/** Subqueries that were written down before, which are as short as what they hold, and a table of one row. */
function isShort(step: string): boolean {
  return /^SCAN (chosen|change_floor|blocks|\(subquery-\d+\))$/.test(step);
}

function namedStatements(): { readonly name: string; readonly sql: string }[] {
  const files = readdirSync(new URL('queries/', sqlFolder)).filter((file) => file !== WHOLE_DATABASE);
  return files.flatMap((file) => {
    const [, ...parts] = readFileSync(new URL(`queries/${file}`, sqlFolder), 'utf8').split(/^-- name: /m);
    return parts.map((part) => {
      const [name = '', ...lines] = part.split('\n');
      return {
        name: `${file} ${name}`,
        sql: withColumns(lines.join('\n').replaceAll('{table}', 'categories'), PLACE_NAMES),
      };
    });
  });
}

/** Every combination of filters; words and places are left aside by the list functions. */
function filterCombinations(): Filters[] {
  let combinations: Partial<Filters>[] = [{}];
  const choices: readonly Partial<Filters>[] = [
    { categoryId: 1 },
    { foodTypeIds: [1, 2] },
    { status: 'closed' },
    { minRating: 3 },
  ];
  for (const choice of choices) combinations = combinations.flatMap((made) => [made, { ...made, ...choice }]);
  const none = { categoryId: undefined, foodTypeIds: undefined, status: undefined };
  return combinations.map((made) => ({
    ...none,
    minRating: undefined,
    match: undefined,
    near: undefined,
    ...made,
  }));
}

function runEveryList(lists: Lists): void {
  const box = { south: 1, north: 2, west: 1, east: 2 };
  const page = { limit: 10, offset: 0 };
  for (const filters of filterCombinations()) {
    for (const sort of ['newest', 'name', 'rating'] as const)
      for (const after of [undefined, { key: sort === 'rating' ? 3 : 'x', id: 1 }])
        lists.walk(filters, sort, { ...page, after });
    lists.pick(filters, [1, 2]);
    lists.countOf(filters, [1, 2]);
  }
  lists.idsInBox(box, 10);
  lists.idsAfter(0, 10);
}

describe('query plans', () => {
  test('read no table from end to end in any named statement', (t) => {
    const { connection, close } = openStorage(temporaryFolder(t));
    t.after(close);
    const statements = namedStatements().filter(({ name }) => !FRAGMENT.test(name.split(' ')[1] ?? ''));
    assert.ok(statements.length > 30);
    const scans = statements
      .filter(({ name }) => !WHOLE_TABLE.includes(name))
      .flatMap(({ name, sql }) => tableScans(connection, sql).map((step) => `${name}: ${step}`));
    assert.deepEqual(scans, []);
  });

  test('read no table from end to end in any list, whatever its filters and sort', (t) => {
    const { connection, close } = openStorage(temporaryFolder(t));
    t.after(close);
    const assembled = new Set<string>();
    const prepare = connection.prepare.bind(connection);
    Object.defineProperty(connection, 'prepare', {
      value: (sql: string) => {
        assembled.add(sql);
        return prepare(sql);
      },
    });
    const sql = loadQueries(connection).file('restaurants');
    const lists = createLists(sql);
    runEveryList(lists);
    for (const filters of filterCombinations()) lists.storedTotal(filters);
    runEveryList(createPendingLists(sql));
    assert.ok(assembled.size > 200, `${assembled.size} shapes`);
    const scans = [...assembled].flatMap((sql) =>
      tableScans(connection, sql).map((step) => `${step} in ${sql}`),
    );
    assert.deepEqual(scans, []);
  });

  test('are told apart: a table without an index on the column is found out', (t) => {
    const { connection, close } = openStorage(temporaryFolder(t));
    t.after(close);
    assert.deepEqual(tableScans(connection, 'SELECT id FROM restaurants WHERE phone = :phone'), [
      'SCAN restaurants',
    ]);
  });
});
