import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { PHOTO_NAMES } from '../../src/catalogue/photos/record.ts';
import { RATING_NAMES } from '../../src/catalogue/ratings/record.ts';
import { PLACE_NAMES } from '../../src/catalogue/restaurants/fields.ts';
import { VISIT_COLUMNS } from '../../src/people/visits/record.ts';
import type { Connection } from '../../src/storage/database.ts';
import { sqlFolder, withColumns } from '../../src/storage/statements.ts';
import { openStorage } from '../../src/storage/storage.ts';
import { atEnd } from '../support/cleanup.ts';
import { temporaryFolder } from '../support/service.ts';

// The columns that the program lists in the statements of a file; in all others, those of a restaurant.
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  'photos.sql': PHOTO_NAMES,
  'ratings.sql': RATING_NAMES,
  'visits.sql': VISIT_COLUMNS,
};
// Statements that return a whole table on purpose, some on a table of one row, and one on the list of tables.
const WHOLE_TABLE: readonly string[] = [
  'doctor.sql sumPhotos',
  'lookups.sql list',
  'lookups.sql listSearchNames',
  'index.sql listLookups',
  'accounts.sql listUsers',
  'accounts.sql countAccounts',
  'accounts.sql otherAdministrator',
  'backup.sql findInvitationTable',
  'backup.sql deleteOpenInvitations',
  'backup.sql deleteResetLinks',
  'people.sql nextErasure',
  'people.sql clearBatches',
  'people.sql listAddressedInvitations',
  'idempotency.sql findClearing',
  'idempotency.sql dropClearing',
  'idempotency.sql setCleared',
  'restaurants.sql nextId',
  // By the command line alone: the log has no index by owner, and none by time; it is read back to the time, and then listed from there.
  'adoption.sql adoptChanges',
  'list-changes.sql beforeTime',
  // From a copy of the database: the names of all files that a backup contains.
  'backup.sql listAllFiles',
  'backup.sql listPhotoAndTrashFiles',

  // As many as there were imports, and as there are deletions that can be undone.
  'changes.sql countBatches',
  'compaction.sql deleteEmptyBatches',
  'metrics.sql sumTrash',
  'backup.sql findPhotoTable',
  'backup.sql findThumbnails',
  'doctor.sql sizeOfChanges',
];
// Looks all data over, in a process of its own.
const WHOLE_DATABASE = 'check.sql';
// Parts of statements, and triggers, which have no plan of their own.
const FRAGMENT =
  /^(select(Account|Invitation|Link|List|Visit|Outing|Change|Batch|Rating|RestaurantName|Photo|ForText)|(from|where|and|start|end|after|order|watch)[A-Z]\w*)$/;

/** The steps of a plan that read a table from end to end without an index. */
function tableScans(connection: Connection, sql: string): string[] {
  const names = [...sql.matchAll(/:([A-Za-z_]+)/g)].map(([, name = '']) => [name, null] as const);
  const explain = connection.prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`);
  const steps = explain.all(Object.fromEntries(names)).map(({ detail }) => detail);
  return steps.filter(
    (step) => /^SCAN (?!CONSTANT ROW)/.test(step) && !step.includes(' INDEX ') && !isShort(step),
  );
}

/** Subqueries that were written down before, which are as short as what they hold, and tables of few rows: as many as tables. */
function isShort(step: string): boolean {
  const names =
    'chain|chosen|clearing|gone|joined|listed|numbered|rated|wanted|change_floor|blocks|purges|sqlite_schema|sqlite_sequence';
  return new RegExp(`^SCAN (${names}|\\(subquery-\\d+\\))$`).test(step);
}

function namedStatements(): { readonly name: string; readonly sql: string }[] {
  const files = readdirSync(new URL('queries/', sqlFolder)).filter((file) => file !== WHOLE_DATABASE);
  return files.flatMap((file) => {
    const [, ...parts] = readFileSync(new URL(`queries/${file}`, sqlFolder), 'utf8').split(/^-- name: /m);
    return parts.map((part) => {
      const [name = '', ...lines] = part.split('\n');
      return {
        name: `${file} ${name}`,
        sql: withColumns(lines.join('\n').replaceAll('{table}', 'categories'), COLUMNS[file] ?? PLACE_NAMES),
      };
    });
  });
}

describe('query plans', () => {
  test('read no table from end to end in any named statement', (t) => {
    const { connection, close } = openStorage(temporaryFolder(t));
    atEnd(t, close);
    const statements = namedStatements().filter(({ name }) => !FRAGMENT.test(name.split(' ')[1] ?? ''));
    assert.ok(statements.length > 30);
    const scans = statements
      .filter(({ name }) => !WHOLE_TABLE.includes(name))
      .flatMap(({ name, sql }) => tableScans(connection, sql).map((step) => `${name}: ${step}`));
    assert.deepEqual(scans, []);
  });

  test('are distinguished: a table without an index on the column is found', (t) => {
    const { connection, close } = openStorage(temporaryFolder(t));
    atEnd(t, close);
    assert.deepEqual(tableScans(connection, 'SELECT id FROM restaurants WHERE website = :website'), [
      'SCAN restaurants',
    ]);
  });
});
