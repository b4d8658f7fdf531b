import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { RATED, type Writers, openLog, sentences, writeMuch } from '../support/app-log.ts';
import { changeOf } from '../support/changes.ts';
import { NO_BROWSER, mainPath, test } from '../support/chromium.ts';
import { array, field, record } from '../support/client.ts';
import { importText } from '../support/imports.ts';
import { addRestaurants, putItem } from '../support/lists.ts';
import { changeStored } from '../support/people.ts';
import { type App, holds, numbered, openNew, press, settled, testAccess } from '../support/web-app.ts';

/** The rows of the log, without their times. */
const rows = async ({ page }: App): Promise<string[]> => {
  const texts = await page.locator('.change > .in').allInnerTexts();
  return texts.map((text) => text.trim());
};

const TRASH = '/activity?action=delete';

describe('Activity', { skip: NO_BROWSER }, () => {
  testAccess('The trash', async (t, options) => {
    const write = async (writers: Writers): Promise<void> => {
      await writeMuch(writers);
      const { alice } = writers;
      const [id = 0] = await addRestaurants(alice.api, 'Gone for good');
      const deletion = changeOf(await alice.api.delete(`/restaurants/${id}`));
      assert.equal((await alice.api.post(`/changes/${deletion}/purge`, {})).status, 204);
    };
    const { page } = await openLog(t, write, { ...options, path: TRASH });
    await page.getByText('30 days left').waitFor();
    await page.getByText('deleted for good by you').waitFor();
    return page;
  });

  test('says in sentences who changed what, the newest first', async (t) => {
    const log = await openLog(t, writeMuch);
    assert.deepEqual(await sentences(log), [
      'You deleted Gone',
      'bob added Gone',
      'bob suggested Green Bowl',
      'You put a place on the list Tokyo',
      'You made the list Tokyo',
      'You visited Soba Ya',
      'bob rated Soba Ya',
      'bob changed the phone of Soba Ya',
      'You added Soba Ya',
    ]);
    await log.page.getByText('nothing → +81 3 1234 5678').waitFor();
    assert.equal(await log.page.locator('h2').count(), 1);
  });

  test('says what became of a suggestion, and of a place on a list', async (t) => {
    const log = await openLog(t, async ({ alice, bob }) => {
      const { body } = await bob.api.post('/suggestions', { name: 'Green Bowl' });
      const status = `/suggestions/${String(field(body, 'id'))}/status`;
      await alice.api.patch(status, { status: 'approved' });
      await alice.api.patch(status, { status: 'pending' });
      await putItem(alice.api, 'want', 1);
      await putItem(alice.api, 'want', 1, { note: 'At noon' });
      await alice.api.delete('/lists/want/items/1');
    });
    assert.deepEqual((await sentences(log)).slice(0, 5), [
      'You took a place off the list Want to go',
      'You moved or noted a place on the list Want to go',
      'You put a place on the list Want to go',
      'You reopened the suggestion Green Bowl',
      'You approved the suggestion Green Bowl',
    ]);
  });

  mainPath('has an import as one row, whose Undo takes all of it back', async (t) => {
    const log = await openLog(t, async ({ alice }) => {
      await importText(
        alice.api,
        `name,category\n${numbered(300)
          .map(({ name }) => `${name},Nordic\n`)
          .join('')}`,
      );
      await alice.api.post('/restaurants', { name: 'Four' });
    });
    const { page, alice } = log;
    const imported = 'You imported places.csv: 300 places';
    assert.deepEqual((await rows(log)).slice(0, 3), [
      'You added Four',
      `${imported} Show each`,
      'You added Soba Ya',
    ]);
    await page.getByRole('link', { name: 'Show each' }).click();
    await holds(page, `document.querySelectorAll('.change').length === 100`);
    await page.goBack();
    await page.getByRole('button', { name: `Undo: ${imported}` }).click();
    await page.getByText('You undid an import: 300 places').waitFor();
    await page.locator('.change', { hasText: imported }).getByText('undone').waitFor();
    assert.equal(field((await alice.api.get('/restaurants/paginated')).body, 'total'), 2);
  });

  test('shows an import to all, and its Undo only to administrators', async (t) => {
    const log = await openLog(t, ({ alice }) => importText(alice.api, 'name\nOne\n'), { as: 'bob' });
    assert.deepEqual((await rows(log)).slice(0, 1), ['alice imported a file: 1 place Show each']);
    assert.equal(await log.page.getByRole('button', { name: /imported/ }).count(), 0);
  });

  test('deletes for good from the trash, after a question', async (t) => {
    const { page, alice } = await openLog(t, writeMuch, { path: TRASH });
    await page.getByRole('button', { name: 'Delete for good: Gone' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).click();
    await page.getByText('Gone is gone for good').waitFor();
    await page.locator('.change').getByText('deleted for good by you').waitFor();
    const { body } = await alice.api.get('/changes?order=newest&action=delete');
    assert.equal(field(array(field(body, 'data'))[0], 'kept_until'), null);
  });

  test('is filtered by kind, by me and by what was deleted, in the address', async (t) => {
    const log = await openLog(t, writeMuch);
    const { page } = log;
    await page.getByLabel('Kind').selectOption('Places');
    await holds(page, `document.querySelectorAll('.change').length === 4`);
    await page.getByRole('button', { name: 'By me' }).click();
    await holds(page, `document.querySelectorAll('.change').length === 2`);
    assert.equal(new URL(page.url()).search, '?kind=restaurant&actor=me');
    await page.getByRole('button', { name: 'Trash' }).click();
    await holds(page, `document.querySelectorAll('.change').length === 1`);
    assert.deepEqual(await sentences(log), ['You deleted Gone']);
    await page.goBack();
    await holds(page, `document.querySelectorAll('.change').length === 2`);
  });

  mainPath('takes a change back by one press, and that by another', async (t) => {
    const { page, alice } = await openLog(t, async ({ bob }) => {
      await bob.api.put('/restaurants/1', { phone: '+81 3 1234 5678' });
    });
    const phone = async (): Promise<unknown> => field((await alice.api.get('/restaurants/1')).body, 'phone');
    await page.getByRole('button', { name: 'Undo: bob changed the phone of Soba Ya' }).click();
    await page.getByText('You changed the phone of Soba Ya (undo)').waitFor();
    assert.equal(await phone(), null);
    await page.locator('.change', { hasText: 'bob changed' }).getByText('undone').waitFor();
    await press(page, 'u');
    await page.locator('.change', { hasText: '(undo)' }).nth(1).waitFor();
    assert.equal(await phone(), '+81 3 1234 5678');
  });

  test('says in words why a change cannot be taken back', async (t) => {
    const write = async ({ bob }: Writers): Promise<void> => {
      for (const phone of ['+81 3 1234 5678', '+81 3 8765 4321'])
        await bob.api.put('/restaurants/1', { phone });
    };
    const { page } = await openLog(t, write, { refusals: [409] });
    await page.locator('.change').nth(1).getByRole('button', { name: 'Undo' }).click();
    await page.getByText('This cannot be undone: Soba Ya was changed or rated since.').waitFor();
  });

  test('brings a deleted place back with its ratings and photos', async (t) => {
    const write = async ({ alice, bob }: Writers): Promise<void> => {
      await bob.api.post('/ratings', RATED);
      await alice.api.delete('/restaurants/1');
    };
    const { page, alice } = await openLog(t, write, { path: TRASH });
    await page.getByRole('button', { name: 'Undo: You deleted Soba Ya' }).click();
    await page.getByText('Undone', { exact: true }).waitFor();
    const means = field((await alice.api.get('/restaurants/1')).body, 'avg_rating');
    assert.equal(field(means, 'count'), 1);
    await page.getByRole('link', { name: 'Activity' }).click();
    await page.getByText('You brought back Soba Ya (undo)').waitFor();
  });

  test('offers nothing that the service would refuse', async (t) => {
    const write = async ({ alice, bob }: Writers): Promise<void> => {
      for (const { api } of [alice, bob]) await api.post('/ratings', RATED);
      await bob.api.post('/visits', { restaurant_id: 1 });
    };
    const { page } = await openLog(t, write, { as: 'bob', settings: { WRITE_ACCESS: 'admins' } });
    const offered = await page.locator('.change:has(button) .in').allInnerTexts();
    assert.deepEqual(
      offered.map((text) => text.trim()),
      ['You visited Soba Ya', 'You rated Soba Ya'],
    );
  });

  test('offers to delete for good only what belongs to nobody else, with what goes along', async (t) => {
    const write = async ({ alice, bob }: Writers): Promise<void> => {
      const [own = 0, shared = 0] = await addRestaurants(bob.api, 'Own', 'Shared');
      await bob.api.post('/ratings', { ...RATED, restaurant_id: own });
      await alice.api.post('/ratings', { ...RATED, restaurant_id: shared });
      for (const id of [own, shared]) assert.equal((await bob.api.delete(`/restaurants/${id}`)).status, 204);
    };
    const { page } = await openLog(t, write, { as: 'bob', path: TRASH, refusals: [403] });
    await page.getByRole('button', { name: 'Delete for good: Own' }).click();
    await page.getByText('1 rating and 0 photos of it will be lost too.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Delete for good: Shared' }).count(), 0);
    // Somebody else may have written to it without the app's knowing.
    const error = 'Only an administrator may purge what belongs to others';
    await page.route('**/purge', (route) => route.fulfill({ status: 403, json: { error } }));
    await page.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).click();
    await page.getByText('only an administrator can delete it for good').waitFor();
  });

  test('offers the author to delete for good what somebody else deleted, and not to restore it', async (t) => {
    const write = async ({ alice, bob }: Writers): Promise<void> => {
      for (const { api } of [alice, bob]) await api.post('/ratings', RATED);
      for (const rating of [1, 2]) assert.equal((await alice.api.delete(`/ratings/${rating}`)).status, 204);
    };
    const { page } = await openLog(t, write, { as: 'bob', path: TRASH });
    await page.getByRole('button', { name: 'Delete for good: Soba Ya' }).click();
    assert.deepEqual(await page.locator('.change button').allInnerTexts(), ['Delete for good']);
    await page.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).click();
    await page.locator('.change').getByText('deleted for good by you').waitFor();
  });

  test('says who deleted something for good, and when', async (t) => {
    const { page } = await openLog(t, ({ alice }) => alice.api.delete('/restaurants/1'), {
      path: TRASH,
      prepare: (context) =>
        context.route('**/api/changes?*', async (route) => {
          const response = await route.fetch();
          const body: unknown = await response.json();
          const purged = { at: '2026-05-03T12:00:00.000Z', by: { id: 99, username: 'carol' } };
          const data = array(field(body, 'data')).map((change) => ({
            ...record(change),
            kept_until: null,
            purged,
          }));
          await route.fulfill({ response, json: { ...record(body), data } });
        }),
    });
    await page.getByText(/deleted for good by carol, .*3 May/).waitFor();
    assert.equal(await page.locator('.change button').count(), 0);
  });

  test('says of what is no longer kept that it is gone', async (t) => {
    const expire = async ({ service, alice }: Writers): Promise<void> => {
      const id = changeOf(await alice.api.delete('/restaurants/1'));
      const sql = `UPDATE changes SET kept_until = '2020-01-01T00:00:00.000Z' WHERE id = ?`;
      changeStored(service.folder, sql, id);
    };
    const { page } = await openLog(t, expire, { path: TRASH });
    await page.getByText('gone for good').waitFor();
    assert.equal(await page.locator('.change button').count(), 0);
  });

  test('goes back to the first change page by page, each at its address, none twice', async (t) => {
    const names = numbered(250).map(({ name }) => name);
    const log = await openLog(t, ({ alice }) => addRestaurants(alice.api, ...names));
    const { page } = log;
    const seen = await sentences(log);
    const older = page.getByRole('link', { name: 'Show older' });
    while ((await older.count()) > 0) {
      const [last = ''] = seen.slice(-1);
      await older.click();
      await page.locator('.change', { hasText: last }).waitFor({ state: 'detached' });
      await settled(page);
      seen.push(...(await sentences(log)));
    }
    assert.equal(new Set(seen).size, 251);
    assert.equal(seen.at(-1), 'You added Soba Ya');
    await page.getByRole('link', { name: 'Newest' }).click();
    await page.getByText(String(seen[0])).waitFor();
  });

  test('finds what a filter lets through far back in a long log', async (t) => {
    const write = ({ service }: Writers): Promise<void> => {
      changeStored(
        service.folder,
        `INSERT INTO changes (at, kind, entity_id, action, name, via)
         WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 25000)
         SELECT '2026-01-01T00:00:00.000Z', 'suggestion', n, 'create', 'Made up', 'cli' FROM numbers`,
      );
      return Promise.resolve();
    };
    const log = await openLog(t, write, { path: '/activity?kind=restaurant' });
    await log.page.locator('.change').waitFor();
    assert.deepEqual(await sentences(log), ['You added Soba Ya']);
  });

  test('announces what others change meanwhile, and shows it when asked to', async (t) => {
    const log = await openLog(t, () => Promise.resolve());
    const { page, bob } = log;
    await addRestaurants(bob.api, 'New One', 'New Two');
    await bob.api.post('/ratings', RATED);
    await page.getByRole('button', { name: '3 new' }).click();
    await holds(page, `document.querySelectorAll('.change').length === 4`);
    assert.deepEqual((await sentences(log)).slice(0, 2), ['bob rated Soba Ya', 'bob added New Two']);
    assert.equal(await page.locator('.news').count(), 0);
  });

  test('is empty at first, and so is its trash', async (t) => {
    const { page } = await openNew(t, { path: '/activity' });
    await page.getByText('Nothing was changed yet.').waitFor();
    await page.getByRole('button', { name: 'Trash' }).click();
    await page.getByText('The trash is empty.').waitFor();
  });
});
