import assert from 'node:assert/strict';
import { type TestContext, describe } from 'node:test';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { createRestaurants, rate } from '../support/catalogue.ts';
import { NO_BROWSER, mainPath, test } from '../support/chromium.ts';
import { array, field } from '../support/client.ts';
import { readFeed } from '../support/feeds.ts';
import { addItems, addList } from '../support/lists.ts';
import {
  ALWAYS,
  NEVER,
  type OutingSeen,
  addOuting,
  ballot,
  closed,
  inHours,
  joinAs,
  timedEventsOf,
  voteByLink,
} from '../support/outings.ts';
import { LOCAL, type Person, changeStored, readStored, signUp } from '../support/people.ts';
import { type Service, startService } from '../support/service.ts';
import { becomes, until } from '../support/until.ts';
import {
  type App,
  type AppOptions,
  PHONE,
  holdBack,
  holds,
  openApp,
  scrollsSideways,
  settled,
  violations,
} from '../support/web-app.ts';

const PLACES = [
  {
    name: 'Soba Ya',
    address: 'Rue Une 1, Paris',
    latitude: 48.86,
    longitude: 2.34,
    price_level: 2,
    ...ALWAYS,
  },
  { name: 'Chez Nous', latitude: 48.861, longitude: 2.341, ...ALWAYS },
  { name: 'La Esquina', latitude: 48.862, longitude: 2.342 },
  { name: 'Never Mind', latitude: 48.863, longitude: 2.343, ...NEVER },
];
const OPEN = [1, 2, 3];
const TINY = { width: 320, height: 640 };
/** By gzip, with all modules: a phone on a slow line can vote in time. */
const MOST_BYTES = 85_000;
// The page asks for the others' votes by its own clock.
const CLOCK: AppOptions = { prepare: (context: BrowserContext) => context.clock.install() };

interface Evening {
  readonly service: Service;
  readonly anna: Person;
  readonly ben: Person;
}

async function startEvening(t: TestContext): Promise<Evening> {
  const service = await startService(t, LOCAL);
  const [anna, ben] = [await signUp(service, 'anna'), await signUp(service, 'ben')];
  await createRestaurants(anna.api, PLACES);
  await rate(anna.api, 1, 4);
  return { service, anna, ben };
}

/** Opens a page on a phone; without a user, as a friend without an account does. */
const onPhone = (t: TestContext, service: Service, options: AppOptions): Promise<App> =>
  openApp(t, service, { viewport: PHONE, hasTouch: true, ...options });

const linkTo = ({ token }: OutingSeen): string => `/o/${token}`;

/** One of the votes on a place, such as Yes. */
const choice = (page: Page, place: string, name: string): Locator =>
  page.getByRole('group', { name: place }).getByRole('button', { name });

/** Waits until a vote is chosen, or not. */
const isChosen = (page: Page, place: string, name: string, pressed = true): Promise<void> =>
  page.getByRole('group', { name: place }).getByRole('button', { name, pressed }).waitFor();

/** Votes as a guest on an open page. */
async function voteAs(page: Page, name: string, place: string): Promise<void> {
  await choice(page, place, 'Yes').click();
  await page.getByLabel('Your name').fill(name);
  await page.getByRole('button', { name: 'Vote', exact: true }).click();
  await page
    .getByRole('listitem')
    .filter({ hasText: `${name} guest · has voted` })
    .waitFor();
}

/** The event that the page leads to. */
async function eventOn({ page, context }: App): Promise<unknown[]> {
  const link = page.getByRole('link', { name: 'Add to calendar' });
  const answer = await context.request.get(new URL((await link.getAttribute('href')) ?? '', page.url()).href);
  return timedEventsOf(await answer.text()).map(({ summary, status, location }) => [
    summary,
    status,
    location,
  ]);
}

describe('An outing', { skip: NO_BROWSER }, () => {
  mainPath(
    'is put up, voted on by three phones, one without an account, and in three calendars',
    async (t) => {
      const { service, anna, ben } = await startEvening(t);
      const host = await onPhone(t, service, {
        user: anna,
        prepare: async (context) => {
          await context.clock.install();
          await context.addInitScript('navigator.share = async (given) => (window.given = given)');
        },
      });
      await host.page.getByRole('link', { name: 'Choose together' }).click();
      await host.page.getByLabel('Title').fill('Friday');
      await host.page.getByRole('button', { name: 'Create the outing' }).click();
      await host.page.getByRole('heading', { name: 'Friday' }).waitFor();
      assert.equal(await host.page.getByText('Never Mind').count(), 0);
      await host.page.getByText('4.0 from 1 rating').waitFor();
      await host.page.getByRole('button', { name: 'Copy the message' }).click();
      const { text, url } = await host.page.evaluate<Record<string, string>>('given');
      assert.match(text ?? '', /^Friday\n.+19:30\nSoba Ya, Chez Nous, La Esquina\nVote until .+:$/);
      assert.equal(url, host.page.url());
      const path = new URL(host.page.url()).pathname;

      const guest = await onPhone(t, service, { path, ...CLOCK });
      assert.equal(await guest.page.title(), 'Friday - Catalogue');
      // The document carries the outing.
      assert.equal(guest.requests.length, 0);
      await choice(guest.page, 'Chez Nous', 'Yes').click();
      // Nothing is sent before there is a name.
      await holds(guest.page, `document.activeElement.name === 'name'`);
      assert.deepEqual(
        guest.requests.filter((one) => one.startsWith('PUT')),
        [],
      );
      await guest.page.setViewportSize(TINY);
      assert.deepEqual([await violations(guest.page), await scrollsSideways(guest.page)], [[], false]);
      await guest.page.getByLabel('Your name').fill('Cleo');
      await guest.page.getByRole('button', { name: 'Vote', exact: true }).click();
      await guest.page.getByText('Voted: 1 of 2.').waitFor();
      await holds(guest.page, `document.activeElement.tagName === 'UL'`);
      await choice(guest.page, 'La Esquina', 'Not there').click();
      await guest.page.reload();
      await isChosen(guest.page, 'Chez Nous', 'Yes');
      await isChosen(guest.page, 'La Esquina', 'Not there');

      const friend = await onPhone(t, service, { user: ben, path, ...CLOCK });
      assert.equal(await friend.page.getByLabel('Your name').count(), 0);
      await choice(friend.page, 'Soba Ya', 'Fine').click();
      await choice(friend.page, 'Chez Nous', 'Yes').click();
      await friend.page.getByText('Voted: 2 of 3.').waitFor();
      await guest.page.bringToFront();
      await guest.page.clock.fastForward('00:11');
      await guest.page.getByText('Voted: 2 of 3.').waitFor();
      assert.equal(await guest.page.getByRole('button', { name: 'Remove' }).count(), 0);

      await host.page.bringToFront();
      await host.page.clock.fastForward('00:11');
      await host.page.getByRole('listitem').filter({ hasText: 'Cleo guest · has voted' }).waitFor();
      await joinAs(service.api, { id: 1, token: path.slice('/o/'.length) }, 'Dan', ballot({ 2: 'no' }));
      await host.page.clock.fastForward('00:11');
      await host.page.getByRole('button', { name: 'Remove Dan' }).click();
      await host.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await choice(host.page, 'Soba Ya', 'Yes').click();
      await host.page.getByText('Voted: 3 of 3.').waitFor();
      assert.equal(await host.page.getByRole('button', { name: 'Remove anna' }).count(), 0);
      await host.page.getByRole('button', { name: 'Decide now' }).click();
      for (const app of [host, friend, guest]) {
        await app.page.bringToFront();
        await app.page.clock.fastForward('00:11');
        const winner = app.page.getByRole('region', { name: 'Here we go' });
        await winner.getByRole('link', { name: 'Chez Nous' }).waitFor();
        await winner.getByText('Most votes. Yes 2').waitFor();
        await app.page
          .getByRole('listitem')
          .filter({ hasText: 'Soba Ya' })
          .getByText('Yes 1 · Fine 1')
          .waitFor();
        await winner.getByRole('button', { name: 'Go' }).waitFor();
        assert.deepEqual(await eventOn(app), [['Friday: Chez Nous', 'CONFIRMED', 'Chez Nous']]);
      }
      assert.deepEqual([await violations(guest.page), await scrollsSideways(guest.page)], [[], false]);
      await host.page.goto(`${service.url}/settings/feeds`);
      await host.page.getByRole('button', { name: 'Create address: Your outings in your calendar' }).click();
      const feed = host.page.getByRole('textbox', { name: 'Your outings in your calendar' });
      assert.match(
        await readFeed(service, new URL(await feed.inputValue()).pathname),
        /SUMMARY:Friday: Chez Nous/,
      );
      await host.page.goto(`${service.url}/outings`);
      await host.page.getByText('Chez Nous').waitFor();
      await host.page.getByRole('link', { name: 'Friday' }).click();
      await host.page.waitForURL(`**${path}`);
    },
  );

  mainPath('takes back and changes votes in order, and says why one was not stored', async (t) => {
    const { service, anna } = await startEvening(t);
    const outing = await addOuting(anna.api, OPEN);
    await joinAs(service.api, outing, 'Cleo', ballot({ 1: 'yes' }));
    const { page, requests } = await onPhone(t, service, { path: linkTo(outing), refusals: [409], ...CLOCK });
    await page.getByRole('heading', { name: 'Where do we eat?' }).waitFor();
    await choice(page, 'Soba Ya', 'Yes').click();
    await page.getByLabel('Your name').fill('cleo');
    await page.getByRole('button', { name: 'Vote', exact: true }).click();
    await page.getByText('Someone here has this name already.').waitFor();
    await page.getByLabel('Your name').fill('Dan');
    await page.getByRole('button', { name: 'Vote', exact: true }).click();
    await isChosen(page, 'Soba Ya', 'Yes');
    await page.getByRole('listitem').filter({ hasText: 'Dan guest · has voted' }).waitFor();
    // What is pressed while one vote is on its way is sent once, as it was left.
    requests.length = 0;
    const goOn = await holdBack(page, '**/ballot', { times: 1 });
    for (const [place, name] of [
      ['Soba Ya', 'No'],
      ['Soba Ya', 'Fine'],
      ['Chez Nous', 'Not there'],
      ['La Esquina', 'Not there'],
      ['La Esquina', 'Yes'],
    ] as const)
      await page.getByRole('group', { name: place }).getByRole('button', { name, exact: true }).click();
    goOn();
    await until(() => requests.filter((one) => one.startsWith('PUT')).length === 2);
    await settled(page);
    await isChosen(page, 'La Esquina', 'Not there');
    await isChosen(page, 'Soba Ya', 'Fine');
    await isChosen(page, 'Chez Nous', 'Not there', false);
    await choice(page, 'La Esquina', 'Yes').click();
    await isChosen(page, 'La Esquina', 'Yes', false);
    await page.getByRole('button', { name: "I can't come" }).click();
    await page.getByRole('listitem').filter({ hasText: "Dan guest · can't come" }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Yes' }).count(), 0);
    await page.getByRole('button', { name: 'I can come after all' }).click();
    await isChosen(page, 'Soba Ya', 'Fine');
    // It is over before the page knows.
    await closed(anna.api, outing);
    await choice(page, 'Chez Nous', 'Yes').click();
    await page.getByText('Not saved: Voting has ended.').waitFor();
    await page.getByRole('region', { name: 'Here we go' }).getByRole('link', { name: 'Soba Ya' }).waitFor();
  });

  test('stores a vote once the line is back, without another press', async (t) => {
    const { service, anna } = await startEvening(t);
    const path = linkTo(await addOuting(anna.api, OPEN));
    const { page, context } = await onPhone(t, service, { path, unreachable: true, ...CLOCK });
    await voteAs(page, 'Cleo', 'Soba Ya');
    await context.setOffline(true);
    await choice(page, 'Chez Nous', 'Fine').click();
    await page.getByText('Not saved: The service cannot be reached.').waitFor();
    await isChosen(page, 'Chez Nous', 'Fine');
    await context.setOffline(false);
    await page.clock.fastForward('00:11');
    const stored = (): unknown =>
      field(readStored(service.folder, 'SELECT choices FROM outing_voters WHERE id = 2')[0], 'choices');
    await until(() => stored() === '{"1":"yes","2":"ok"}');
  });

  test('is made from a list, or of a place and those near it, and its form says what does not fit', async (t) => {
    const { service, anna } = await startEvening(t);
    const list = await addList(anna.api, 'Tokyo');
    await addItems(anna.api, list, [1, 4]);
    const { page } = await openApp(t, service, { user: anna, path: `/lists/${list}`, refusals: [400] });
    await page.getByRole('link', { name: 'Choose together' }).click();
    await page.getByText('Places on the list Tokyo').waitFor();
    await page.getByLabel('Title').fill('Sushi?');
    await page.getByRole('button', { name: 'Create the outing' }).click();
    await page.getByText('Fewer than two places fit. 1 more is closed then.').waitFor();
    await page.reload();
    await becomes(() => page.getByLabel('Title').inputValue(), 'Sushi?');
    await addItems(anna.api, list, [2]);
    await page.getByRole('button', { name: 'Create the outing' }).click();
    await page.getByText('On the list Tokyo').first().waitFor();
    await choice(page, 'Chez Nous', 'Yes').waitFor();
    await page.goto(`${service.url}/restaurants/4`);
    await page.getByRole('button', { name: 'More about this place' }).click();
    await page.getByRole('link', { name: 'Choose together' }).click();
    await page.getByText('Never Mind and up to four places near it').waitFor();
    assert.equal(await page.getByLabel('Title').inputValue(), '');
    await page.getByRole('button', { name: 'Create the outing' }).click();
    await page.getByText('Never Mind is closed then.').waitFor();
    await page.goto(`${service.url}/?price_level=2,3&lat=48.86&lng=2.34&radius=3`);
    await page.getByRole('link', { name: 'Choose together' }).click();
    await page.getByText('€€, €€€ · Within 3 km of here').waitFor();
    await page.getByRole('button', { name: 'Create the outing' }).click();
    await page.getByText(/^ *Fewer than two places fit\. *$/).waitFor();
    await page.goto(`${service.url}/outings/new?place=3`);
    await page.getByRole('button', { name: 'Create the outing' }).click();
    await page.getByRole('button', { name: 'Cancel the outing' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the outing' }).click();
    await page.getByText('This outing is cancelled.').first().waitFor();
    assert.deepEqual(await page.locator('.option .name').allTextContents(), [
      'La Esquina',
      'Soba Ya',
      'Chez Nous',
    ]);
    await becomes(() => page.getByRole('button', { name: 'Yes' }).count(), 0);
  });

  test('asks afterwards who was there, and notes the visit with the others', async (t) => {
    const { service, anna, ben } = await startEvening(t);
    const outing = await addOuting(anna.api, OPEN);
    await joinAs(service.api, outing, 'Cleo', ballot({ 1: 'yes' }));
    for (const { api } of [anna, ben]) await voteByLink(api, outing, ballot({ 1: 'yes' }));
    await closed(anna.api, outing);
    const [end, at] = [inHours(-3), inHours(-2)];
    changeStored(service.folder, 'UPDATE outings SET closes_at = ?, at = ?', end, at);
    const { page } = await onPhone(t, service, { user: anna, path: linkTo(outing) });
    const question = page.getByRole('region', { name: 'Were you at Soba Ya?' });
    await question.getByRole('button', { name: 'Yes, note a visit' }).click();
    await page.getByText('Noted a visit to Soba Ya').waitFor();
    await question.waitFor({ state: 'detached' });
    const [visit] = array(field((await anna.api.get('/visits')).body, 'data'));
    assert.deepEqual(array(field(visit, 'companions')).toSorted(), ['Cleo', 'ben']);
    await page.reload();
    await settled(page);
    assert.equal(await question.count(), 0);
    const other = await onPhone(t, service, { user: ben, path: linkTo(outing) });
    await other.page.getByRole('button', { name: 'I was not' }).click();
    await other.page.reload();
    await settled(other.page);
    assert.equal(await other.page.getByText('Were you at').count(), 0);
    const stranger = await onPhone(t, service, { path: linkTo(outing) });
    assert.equal(await stranger.page.getByText('Were you at').count(), 0);
  });

  test('works where there are no accounts, where its creator votes under a name, too, after few bytes', async (t) => {
    const service = await startService(t);
    await createRestaurants(service.api, PLACES);
    const { page } = await onPhone(t, service, { path: '/outings/new' });
    await page.getByText('All places').waitFor();
    await page.getByRole('button', { name: 'Create the outing' }).click();
    await voteAs(page, 'Anna', 'Soba Ya');
    const path = new URL(page.url()).pathname;
    const friend = await onPhone(t, service, { path, extraHTTPHeaders: { 'Accept-Encoding': 'gzip' } });
    const sizes = await friend.page.evaluate<number[]>(`[...new Map(
      [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
        .map(({ name, encodedBodySize }) => [name, encodedBodySize])).values()]`);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    t.diagnostic(`${bytes} bytes until one can vote`);
    assert.ok(bytes > 3_000 && bytes <= MOST_BYTES, `${bytes} bytes`);
    await voteAs(friend.page, 'Ben', 'Soba Ya');
    await page.reload();
    await isChosen(page, 'Soba Ya', 'Yes');
    await page.getByRole('button', { name: 'Decide now' }).click();
    await page.getByRole('region', { name: 'Here we go' }).getByText('Soba Ya').waitFor();
  });

  test('is not behind every link, and says so', async (t) => {
    const { service } = await startEvening(t);
    const { page } = await onPhone(t, service, { path: `/o/${'A'.repeat(43)}`, refusals: [404] });
    await page.getByRole('heading', { name: 'This link does not work any more' }).waitFor();
    await page.goto(`${service.url}/outings`);
    await page.getByText('Choose together where to eat.').waitFor();
    const link = page.locator('#content').getByRole('link', { name: 'Sign in' });
    assert.equal(await link.getAttribute('href'), '/sign-in?to=%2Foutings');
  });
});
