import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { run } from '../support/backups.ts';
import { field } from '../support/client.ts';
import { makeDatabaseBefore } from '../support/old-database.ts';
import { LOCAL, readStored, signUp } from '../support/people.ts';
import { startService, temporaryFolder } from '../support/service.ts';
import { federateWithFake } from '../support/sign-in.ts';

const NOW = '2026-01-01T00:00:00.000Z';

describe('a username that a provider brings', () => {
  const CLEANED: readonly [string, string, string][] = [
    ['loses invisible characters', 'no\u00adra\u200b\u202e', 'nora'],
    ['keeps single blanks of many and of any kind', '\u00a0Nora \t\u2003\u2800 B\u3000', 'Nora B'],
    ['keeps the script of most of its letters', 'Nоra Ввedenskaya', 'Nra edenskaya'],
    ['keeps the letters of another script when they are more', 'Нора N', 'Нора'],
    ['loses markup that invisible characters hid', '<\u200bb>nora<\u200b/b>', 'nora'],
    ['makes place for the email when nothing is left', '\u200b\u3164 \u00a0', 'someone'],
    ['keeps what is written together', '山田 Taro', '山田 Taro'],
  ];
  for (const [title, preferred_username, username] of CLEANED)
    test(title, async (t) => {
      const { service, signIn } = await federateWithFake(t, {
        email: 'someone@example.com',
        preferred_username,
      });
      assert.ok('access_token' in (await signIn()));
      assert.deepEqual(readStored(service.folder, 'SELECT username FROM users'), [{ username }]);
    });

  test('gets a number when it looks like another one', async (t) => {
    const person = { email: 'someone@example.com', preferred_username: 'paypaI' };
    const { service, signIn } = await federateWithFake(t, person);
    await signUp(service, 'paypal');
    await signUp(service, 'paypa1-2');
    await signIn();
    const stored = readStored(service.folder, 'SELECT username FROM users ORDER BY id');
    assert.deepEqual(
      stored.map((row) => field(row, 'username')),
      ['paypal', 'paypa1-2', 'paypaI-3'],
    );
  });
});

describe('usernames of before the rules', () => {
  test('stay as they are, and no new one may look like them', async (t) => {
    const folder = temporaryFolder(t);
    const names = ['paypal', 'раураl', 'ali\u200bce', '\u3164'];
    makeDatabaseBefore(folder, 'username_skeletons', (connection) => {
      const insert = connection.prepare(
        `INSERT INTO users (email, email_key, username, username_key, created_at, updated_at)
         VALUES (:email, :email, :username, :username, '${NOW}', '${NOW}')`,
      );
      for (const [index, username] of names.entries())
        insert.run({ email: `${index}@example.com`, username });
    });
    await run(folder, 'migrate');
    const service = await startService(t, { ...LOCAL, DATA_DIR: folder });
    const password = 'correct horse battery';
    for (const username of ['paypa1', 'alice'])
      assert.equal(
        (await service.api.post('/auth/register', { email: 'new@example.com', username, password })).status,
        409,
      );
    const free = await service.api.post('/auth/register', {
      email: 'n@example.com',
      username: 'n',
      password,
    });
    assert.equal(free.status, 201);
    const stored = readStored(folder, 'SELECT username FROM users ORDER BY id');
    assert.deepEqual(
      stored.map((row) => field(row, 'username')),
      [...names, 'n'],
    );
  });
});
