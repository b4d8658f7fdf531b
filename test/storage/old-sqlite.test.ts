import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { field } from '../support/client.ts';
import { addRestaurants } from '../support/lists.ts';
import { LOCAL, signUp } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { has } from '../support/small-disk.ts';

const skip = has('sqlite3') ? false : 'needs the program sqlite3';

// The schema of newer versions cannot be read by the sqlite3 of Ubuntu 22.04 (3.37) or Debian 12 (3.40) if one statement of it is
// unknown to them, even where that is not used. Those versions know neither the index for searching nor its two views, so they cannot
// add or delete restaurants.
test(
  'the sqlite3 of the system reads the database, and changes what SPEC leaves to the operator',
  { skip },
  async (t) => {
    const service = await startService(t, LOCAL);
    const person = await signUp(service, 'alice');
    await addRestaurants(person.api, 'Chez Nous');
    await service.stop();
    const sqlite = (...statements: readonly string[]): string => {
      const { stdout, stderr, status } = spawnSync(
        'sqlite3',
        [join(service.folder, 'catalogue.db'), ...statements],
        {
          encoding: 'utf8',
        },
      );
      assert.deepEqual([status, stderr], [0, '']);
      return stdout.trim();
    };
    assert.equal(
      sqlite('PRAGMA quick_check', "SELECT count(*) FROM sqlite_master WHERE sql LIKE '%->>%'"),
      'ok\n0',
    );
    const tables = sqlite(
      "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT GLOB '*_documents' AND name NOT GLOB 'search_*'",
    );
    for (const name of tables.split('\n')) sqlite(`SELECT count(*) FROM "${name}"`);
    sqlite(`UPDATE users SET is_admin = 1 WHERE id = ${person.id}`);
    const again = await startService(t, { ...LOCAL, DATA_DIR: service.folder });
    const headers = { Authorization: `Bearer ${person.accessToken}` };
    assert.equal(field((await again.api.get('/auth/me', headers)).body, 'is_admin'), true);
  },
);
