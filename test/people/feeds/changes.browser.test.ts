import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { NO_BROWSER, mainPath, openContext, test } from '../../support/chromium.ts';
import { changeOf, reverted } from '../../support/changes.ts';
import { makeFeed, readFeed } from '../../support/feeds.ts';
import { addRestaurants } from '../../support/lists.ts';
import { changeStored } from '../../support/people.ts';
import { type Service, startService } from '../../support/service.ts';
import { addPhoto, ratingOf, startWorld } from '../../support/world.ts';

/** A feed or one of its entries. */
interface Feed {
  readonly id: string;
  readonly title: string;
  readonly updated: string;
  readonly author: string | null;
  readonly links: readonly string[];
  readonly entries: readonly Feed[];
}

/** A feed as a browser parses XML. Throws where it is not well-formed. */
async function parsed(text: string): Promise<Feed> {
  const page = await (await openContext()).newPage();
  return page.evaluate<Feed>(`(() => {
    const root = new DOMParser().parseFromString(${JSON.stringify(text)}, 'application/xml').documentElement;
    if (root.namespaceURI !== 'http://www.w3.org/2005/Atom') throw new Error(root.textContent);
    const read = (parent) => {
      const all = (name) => [...parent.children].filter(({ localName }) => localName === name);
      const textOf = (name) => all(name)[0]?.textContent ?? null;
      const links = all('link').map((link) => link.getAttribute('rel') + ' ' + link.getAttribute('href'));
      const [id, title, updated, author] = ['id', 'title', 'updated', 'author'].map(textOf);
      return { id, title, updated, author, links, entries: all('entry').map(read) };
    };
    return read(root);
  })()`);
}

async function read(service: Service, url: string): Promise<Feed> {
  return parsed(await readFeed(service, url));
}

const titles = ({ entries }: Feed): string[] => entries.map(({ title }) => title);

describe('the feed of changes', { skip: NO_BROWSER }, () => {
  mainPath(
    'has public changes as sentences, the newest first, with links to what they are about',
    async (t) => {
      const { service, owner, admin } = await startWorld(t);
      await addRestaurants(admin, 'Chez Nous', 'Le Coin');
      await owner.post('/ratings', ratingOf(1));
      await addPhoto(owner, 1);
      await owner.post('/suggestions', { name: 'Auberge' });
      await owner.put('/restaurants/1', { phone: '123' });
      await owner.post('/categories', { name: 'Breton' });
      await owner.post('/food-types', { name: 'Crêpes' });
      await owner.post('/visits', { restaurant_id: 1 });
      await owner.post('/lists', { name: 'Mine' });
      await reverted(owner, changeOf(await owner.delete('/restaurants/2')));
      const feed = await read(service, await makeFeed(owner, 'changes'));
      const page = (path: string): string[] => [`alternate ${service.url}${path}`];
      assert.deepEqual(
        feed.entries.map(({ title, links }) => [title, links]),
        [
          ['alice brought back Le Coin', page('/restaurants/2')],
          ['alice deleted Le Coin', page('/activity')],
          ['alice added the food type Crêpes', page('/activity')],
          ['alice added the category Breton', page('/activity')],
          ['alice changed Chez Nous', page('/restaurants/1')],
          ['alice added the suggestion Auberge', page('/suggestions?sel=3')],
          ['alice added a photo of Chez Nous', page('/restaurants/1')],
          ['alice added a rating of Chez Nous', page('/restaurants/1')],
          ['carol added Le Coin', page('/restaurants/2')],
          ['carol added Chez Nous', page('/restaurants/1')],
        ],
      );
      assert.deepEqual([feed.entries[0]?.author, feed.entries.at(-1)?.author], ['alice', 'carol']);
    },
  );

  test('says what it is, where it is and when it last changed', async (t) => {
    const service = await startService(t, { CATALOGUE_NAME: 'Dinner & friends' });
    const url = await makeFeed(service.api, 'changes');
    const empty = await read(service, url);
    assert.deepEqual(
      [empty.title, empty.author, empty.entries],
      ['Dinner & friends', 'Dinner & friends', []],
    );
    assert.ok(empty.links.includes(`self ${service.url}${url}`));
    await addRestaurants(service.api, 'A');
    const feed = await read(service, url);
    assert.equal(feed.id, empty.id);
    assert.ok(feed.updated === feed.entries[0]?.updated && feed.updated > empty.updated);
    for (const { id, updated } of [feed, ...feed.entries]) {
      assert.match(id, /^tag:127\.0\.0\.1,\d{4}-\d\d-\d\d:\/[\w/]+$/);
      assert.equal(new Date(updated).toISOString(), updated);
    }
  });

  test('has the newest hundred, each under an id of its own that stays', async (t) => {
    const { service, owner, admin } = await startWorld(t);
    const names = Array.from({ length: 120 }, (_, index) => `Place ${index + 1}`);
    await addRestaurants(admin, ...names);
    const url = await makeFeed(owner, 'changes');
    const feed = await read(service, url);
    assert.deepEqual(
      titles(feed),
      names
        .slice(20)
        .toReversed()
        .map((name) => `carol added ${name}`),
    );
    assert.equal(new Set(feed.entries.map(({ id }) => id)).size, 100);
    await addRestaurants(admin, 'One more');
    assert.deepEqual((await read(service, url)).entries.slice(1), feed.entries.slice(0, 99));
  });

  test('names no author where authors are hidden, but to administrators', async (t) => {
    const { service, owner, admin } = await startWorld(t, { AUTHORS: 'none' });
    await addRestaurants(owner, 'A');
    const text = await readFeed(service, await makeFeed(owner, 'changes'));
    assert.doesNotMatch(text, /alice/);
    const [hidden] = (await parsed(text)).entries;
    assert.deepEqual([hidden?.title, hidden?.author], ['Someone added A', null]);
    const [shown] = (await read(service, await makeFeed(admin, 'changes'))).entries;
    assert.deepEqual([shown?.title, shown?.author], ['alice added A', 'alice']);
  });

  test('is well-formed whatever names hold', async (t) => {
    const service = await startService(t);
    const { api } = service;
    await addRestaurants(api, 'A & B < C > D "E" \'F\' ]]> &amp; 🍜 Ω', 'Controls');
    changeStored(
      service.folder,
      "UPDATE changes SET name = 'a' || char(0, 1, 8, 11, 12, 27, 65534, 65535) || 'b' WHERE entity_id = 2",
    );
    assert.deepEqual(titles(await read(service, await makeFeed(api, 'changes'))), [
      'Someone added ab',
      'Someone added A & B < C > D "E" \'F\' ]]> &amp; 🍜 Ω',
    ]);
  });
});
