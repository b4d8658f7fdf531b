import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { CHECKOUT } from '../support/checkout.ts';
import { LOCAL } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { longTest } from '../support/size.ts';

// Arguments of database calls that are no literals: statements and fragments by names that a file of sql/ has to hold, whole
// migrations, and settings that stand in the program.
const GIVEN_BY_NAME = [
  'operations/inspection/check.ts: prepare(statement)',
  'catalogue/lookups/store.ts: prepare(`restaurantsOf${scope}`)',
  'catalogue/lookups/store.ts: prepare(`suggestionsOf${scope}`)',
  'catalogue/lookups/store.ts: prepare(`attach${scope}ToRestaurants`)',
  'catalogue/lookups/store.ts: prepare(`attach${scope}ToSuggestions`)',
  'catalogue/lookups/sweep.ts: prepare(`restaurantsFrom${noun}`)',
  'catalogue/lookups/sweep.ts: prepare(`suggestionsFrom${noun}`)',
  'history/store.ts: prepare(...ofAll, ...rest, order)',
  'people/accounts/secrets.ts: prepare(`count${kind.name}`)',
  'people/accounts/secrets.ts: prepare(`revoke${kind.name}`)',
  'storage/database.ts: pragma(`application_id = ${String(APPLICATION_ID)}`)',
  'storage/database.ts: pragma(`${name} = ${value}`)',
  'storage/database.ts: pragma(name, { simple: true })',
  'storage/database.ts: pragma(setting)',
  'storage/migrations.ts: exec(MIGRATIONS_TABLE)',
  'storage/migrations.ts: exec(sql)',
  'storage/schema.ts: exec(text)',
  'storage/statements.ts: prepare(this.#text)',
  'storage/storage.ts: pragma(`busy_timeout = ${String(ms)}`)',
];

const SOURCES = new URL('src/', CHECKOUT);
const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);
const sources = new Map(files.map((file) => [file, readFileSync(new URL(file, SOURCES), 'utf8')]));

describe('the source', () => {
  test('has its SQL in sql/: no statement text in src/ but pragmas, transactions, the migration record and the look at the schema', () => {
    const pattern = /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE TABLE)\b[^\n]*/g;
    const found = files.flatMap((file) => {
      const code = (sources.get(file) ?? '').replace(/\/\*\*[\s\S]*?\*\/|\/\/.*$/gm, '');
      return [...code.matchAll(pattern)].map(() => file);
    });
    assert.deepEqual(
      [...new Set(found)],
      ['database', 'migrations', 'schema', 'shipped-migrations'].map((name) => `storage/${name}.ts`),
    );
  });

  test('passes no assembled text to a database, but fragments of sql/ by their names', () => {
    const call = /(?<=\w)\.(prepare|exec|pragma)\b(?:<(?:[^<>]|<[^<>]*>)*>)?\(/g;
    const given = files.flatMap((file) => {
      const text = sources.get(file) ?? '';
      // A pattern has an exec of its own.
      const hasConnection = /\bConnection\b|better-sqlite3/.test(text);
      return [...text.matchAll(call)].flatMap((found) => {
        const argument = argumentsAt(text, found.index + found[0].length);
        const isLiteral = /^\s*(?:|'[^']*'(?:,\s*'[^']*')*|`[^`$]*`)(?:, \{ simple: true \}|,?\s*)$/.test(
          argument,
        );
        const isOther = found[1] === 'exec' && !hasConnection;
        return isLiteral || isOther ? [] : [`${file}: ${found[1] ?? ''}(${argument})`];
      });
    });
    assert.deepEqual([...new Set(given)].sort(), GIVEN_BY_NAME.toSorted());
  });

  longTest('has no statement that the database does not understand, in any mode', async (t) => {
    // Each is prepared at its first use; this prepares them all.
    const { loadAhead, folder, stop } = await startService(t, LOCAL);
    await loadAhead();
    await stop();
    const replica = await startService(t, { ...LOCAL, READ_ONLY: 'true', DATA_DIR: folder });
    await replica.loadAhead();
  });
});

/** The text in the brackets of a call, from behind the opening one. */
function argumentsAt(text: string, start: number): string {
  let depth = 1;
  let end = start;
  for (; depth > 0 && end < text.length; end += 1)
    if (text[end] === '(') depth += 1;
    else if (text[end] === ')') depth -= 1;
  return text.slice(start, end - 1);
}
