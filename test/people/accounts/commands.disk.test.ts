import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Ended, runCommand } from '../../support/cli.ts';
import { record } from '../../support/client.ts';
import { LOCAL, readStored, signUp } from '../../support/people.ts';
import { startService } from '../../support/service.ts';
import { addPhoto, ratingOf, startWorld } from '../../support/world.ts';

const BLANK = 'password must not be blank';
const OWN = 'password must not be your email or username';
const LOOK_ALIKE = 'username holds invisible or look-alike characters';

describe('commands', () => {
  test('hold names to the rules of the API', async (t) => {
    const service = await startService(t, LOCAL);
    await signUp(service, 'paypal');
    const create = (...args: readonly string[]): Promise<Ended> =>
      runCommand(['user', 'create', ...args], {
        variables: { ...LOCAL, DATA_DIR: service.folder },
        input: 'correct horse battery',
      });
    const named = await create('b@example.com', '--full-name', 'Chez\u200b\u3164 Nous');
    assert.equal(named.code, 0);
    assert.deepEqual(
      [
        await create('a@example.com', '--username', 'a\u200bb'),
        await create('аb@example.com'),
        await create('a@example.com', '--username', 'paypaI'),
        await create('paypaI@example.com'),
      ].map(({ code, out, err }) => [code, out + err]),
      [
        [1, `${LOOK_ALIKE}\n`],
        [1, `${LOOK_ALIKE}\n`],
        [1, 'a user with the username paypaI already exists\n'],
        [0, 'Created user paypaI@example.com (paypaI-2, id 4).\n'],
      ],
    );
    const [row] = readStored(service.folder, "SELECT full_name FROM users WHERE email = 'b@example.com'");
    assert.deepEqual(row, { full_name: 'Chez Nous' });
  });

  test('hold new passwords to the rules of the API, and so does ADMIN_PASSWORD', async (t) => {
    const service = await startService(t, LOCAL);
    await signUp(service, 'longusername');
    const errorOf = async (input: string, ...args: readonly string[]): Promise<string> => {
      const variables = { ...LOCAL, DATA_DIR: service.folder };
      const { code, err } = await runCommand(['user', ...args], { variables, input });
      assert.equal(code, 1);
      return err;
    };
    assert.equal(await errorOf('Bob.Builder\n', 'create', 'bob.builder@example.com'), `${OWN}\n`);
    assert.equal(await errorOf('         \n', 'create', 'bob.builder@example.com'), `${BLANK}\n`);
    for (const password of ['LongUserName', 'longusername@example.com'])
      assert.equal(await errorOf(password, 'reset-password', 'longusername@example.com'), `${OWN}\n`);
    assert.equal(
      await errorOf('\u200b'.repeat(9), 'reset-password', 'longusername@example.com'),
      `${BLANK}\n`,
    );
    await service.stop();
    const administrator = { ADMIN_EMAIL: 'head.chef@example.com', ADMIN_PASSWORD: 'Head.Chef' };
    await assert.rejects(startService(t, { ...LOCAL, ...administrator, DATA_DIR: service.folder }), {
      message: `ADMIN_EMAIL and ADMIN_PASSWORD: ${OWN}`,
    });
  });

  test('export no author of what users wrote, and an import ignores it', async (t) => {
    const { service, people, owner, admin } = await startWorld(t);
    await admin.post('/restaurants', { name: 'Chez Nous' });
    await owner.post('/ratings', ratingOf(1));
    await addPhoto(owner, 1);
    await service.stop();
    const variables = { DATA_DIR: service.folder };
    for (const format of ['csv', 'ndjson', 'geojson']) {
      const { code, out } = await runCommand(['export', '-', '--format', format], { variables });
      assert.equal(code, 0);
      assert.ok(out.includes('Chez Nous') && !/alice|author/.test(out), format);
    }
    const { restaurant_id: _none, ...rating } = record(ratingOf(1, 'Imported'));
    const author = { id: people.owner.id, username: 'alice' };
    const time = '2026-01-31T19:30:00.000Z';
    const ratings = [{ ...rating, author, author_id: author.id, created_at: time }];
    const input = `${JSON.stringify({ name: 'Chez Nous', ratings })}\n`;
    assert.equal((await runCommand(['import', '-', '--format', 'ndjson'], { variables, input })).code, 0);
    const { api } = await startService(t, { DATA_DIR: service.folder });
    const imported = record((await api.get('/ratings/2')).body);
    assert.deepEqual(
      [imported['author'], imported['created_at'], imported['updated_at']],
      [null, time, time],
    );
  });
});
