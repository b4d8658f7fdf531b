import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { createRestaurants } from '../../support/catalogue.ts';
import { changeOf, reverted } from '../../support/changes.ts';
import { CHECKOUT } from '../../support/checkout.ts';
import { type Client, bodyOf, idOf } from '../../support/client.ts';
import { eventsOf, makeFeed, readFeed } from '../../support/feeds.ts';
import { addRestaurants } from '../../support/lists.ts';
import { changeStored } from '../../support/people.ts';
import { startService } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';
import { startWorld } from '../../support/world.ts';

const CHEZ_NOUS = { name: 'Chez Nous', address: '1 Rue du Bac, Paris', latitude: 48.858, longitude: -2.327 };
const FULL = {
  restaurant_id: 1,
  visited_on: '2025-10-26',
  note: 'A table by the window',
  companions: ['Grace', 'Mum', 'Tom'],
  total_minor: 4850,
  currency: 'EUR',
  dishes: [
    { name: 'Onion soup', stars: 5, price_minor: 950, note: 'Hot', again: true },
    { name: 'Cake', stars: null, price_minor: null, note: null, again: false },
    { name: 'Coffee' },
  ],
};
const NO_CONTROLS = /^(?:[^\p{Cc}]|\r\n|\t)*$/u;

async function visit(api: Client, fields: object = {}): Promise<number> {
  return idOf(await api.post('/visits', { restaurant_id: 1, visited_on: '2025-10-26', ...fields }));
}

describe('the calendar of visits', () => {
  test('has an event for each visit, on its day, with what was noted of it', async (t) => {
    const service = await startService(t);
    const { api } = service;
    await createRestaurants(api, [CHEZ_NOUS, { name: 'Nowhere' }]);
    await api.post('/visits', FULL);
    await visit(api, { restaurant_id: 2, visited_on: '2025-12-31' });
    const text = await readFeed(service, await makeFeed(api));
    const [plain, full, ...more] = eventsOf(text);
    assert.deepEqual(more, []);
    assert.deepEqual(
      [plain?.summary, plain?.day, plain?.location, plain?.geo, plain?.description],
      ['Nowhere', '2025-12-31', null, null, null],
    );
    assert.deepEqual(
      [full?.summary, full?.day, full?.location, full?.geo, full?.status, full?.sequence, full?.url],
      [
        'Chez Nous',
        '2025-10-26',
        '1 Rue du Bac, Paris',
        [48.858, -2.327],
        'CONFIRMED',
        0,
        `${service.url}/restaurants/1`,
      ],
    );
    assert.equal(
      full?.description,
      'A table by the window\nWith Grace, Mum and Tom\nOnion soup (★★★★★, €9.50, order again): Hot\n' +
        'Cake (not again)\nCoffee\nTotal: €48.50',
    );
    assert.match(text, /^BEGIN:VCALENDAR\r\nVERSION:2\.0\r\nPRODID:.+\r\nX-WR-CALNAME:Catalogue: visits\r\n/);
    assert.match(text, /\r\nDTSTART;VALUE=DATE:20251026\r\nSUMMARY:Chez Nous\r\nTRANSP:TRANSPARENT\r\n/);
    assert.match(text, /\r\nDTSTAMP:\d{8}T\d{6}Z\r\n[^]*\r\nEND:VCALENDAR\r\n$/);
  });

  test('is empty, but a calendar, where there are no visits', async (t) => {
    const service = await startService(t);
    assert.deepEqual(eventsOf(await readFeed(service, await makeFeed(service.api))), []);
  });

  test('keeps the amounts of currencies without cents, and with three digits of them', async (t) => {
    const service = await startService(t);
    await addRestaurants(service.api, 'A');
    await visit(service.api, { total_minor: 4850, currency: 'JPY' });
    await visit(service.api, { total_minor: 4850, currency: 'TND' });
    const events = eventsOf(await readFeed(service, await makeFeed(service.api)));
    assert.deepEqual(
      events.map(({ description }) => description),
      ['Total: TND\u00a04.850', 'Total: JP¥4,850'],
    );
  });

  test('has the same event under a higher sequence when a visit was changed', async (t) => {
    const service = await startService(t);
    const { api } = service;
    await addRestaurants(api, 'A');
    const url = await makeFeed(api);
    const id = await visit(api);
    const [before] = eventsOf(await readFeed(service, url));
    await api.put(`/visits/${id}`, { visited_on: '2025-10-27', note: 'Later' });
    const [after] = eventsOf(await readFeed(service, url));
    assert.deepEqual([after?.uid, after?.day, after?.description], [before?.uid, '2025-10-27', 'Later']);
    assert.ok(Number(after?.sequence) > Number(before?.sequence));
    changeStored(service.folder, "UPDATE visits SET updated_at = '2100-01-01T00:00:00.000Z'");
    const [much] = eventsOf(await readFeed(service, url));
    assert.ok(Number(much?.sequence) > Number(after?.sequence));
    assert.equal(much?.changedAt, '2100-01-01T00:00:00Z');
  });

  test('cancels a deleted visit for 90 days, and has it back when that is undone', async (t) => {
    const { service, owner, admin } = await startWorld(t);
    await addRestaurants(admin, 'A');
    const url = await makeFeed(owner);
    const id = await visit(owner, { note: 'A secret' });
    await owner.put(`/visits/${id}`, { visited_on: '2025-10-28' });
    const [before] = eventsOf(await readFeed(service, url));
    const age = (days: number): void => {
      const at = new Date(Date.now() - days * 24 * 60 * 60 * 1_000).toISOString();
      changeStored(
        service.folder,
        "UPDATE changes SET at = ? WHERE kind = 'visit' AND action = 'delete'",
        at,
      );
    };
    const deletion = changeOf(await owner.delete(`/visits/${id}`));
    const text = await readFeed(service, url);
    const [cancelled, ...more] = eventsOf(text);
    assert.deepEqual(more, []);
    assert.deepEqual(
      [cancelled?.uid, cancelled?.status, cancelled?.day, cancelled?.summary, cancelled?.description],
      [before?.uid, 'CANCELLED', '2025-10-28', 'A', null],
    );
    assert.doesNotMatch(text, /A secret/);
    assert.ok(Number(cancelled?.sequence) >= Number(before?.sequence));

    age(89);
    assert.equal(eventsOf(await readFeed(service, url)).length, 1);
    age(91);
    assert.deepEqual(eventsOf(await readFeed(service, url)), []);

    await reverted(owner, deletion);
    const [restored, ...others] = eventsOf(await readFeed(service, url));
    assert.deepEqual(others, []);
    assert.deepEqual([restored?.uid, restored?.status], [before?.uid, 'CONFIRMED']);
    assert.ok(Number(restored?.sequence) >= Number(cancelled?.sequence));
  });

  test('knows the day of a deleted visit as long as the log does, also where its content is gone', async (t) => {
    const { service, owner, admin } = await startWorld(t);
    await addRestaurants(admin, 'A');
    const url = await makeFeed(owner);
    const ids = [await visit(owner), await visit(owner)];
    await owner.put(`/visits/${ids[0] ?? 0}`, { visited_on: '2025-10-28' });
    const deletions: number[] = [];
    for (const id of ids) deletions.push(changeOf(await owner.delete(`/visits/${id}`)));
    // As it is when the trash has been emptied.
    changeStored(service.folder, "UPDATE changes SET before = NULL WHERE action = 'delete'");
    const daysOf = async (): Promise<string[]> =>
      eventsOf(await readFeed(service, url)).map(({ day }) => day);
    assert.deepEqual(await daysOf(), ['2025-10-26', '2025-10-28']);
    bodyOf(await owner.post(`/changes/${deletions[0] ?? 0}/purge`, {}));
    assert.deepEqual(await daysOf(), ['2025-10-26']);
  });

  test('has the name of a restaurant that is gone', async (t) => {
    const service = await startService(t);
    await createRestaurants(service.api, [CHEZ_NOUS]);
    await visit(service.api);
    await service.api.delete('/restaurants/1');
    const [event] = eventsOf(await readFeed(service, await makeFeed(service.api)));
    assert.deepEqual([event?.summary, event?.location, event?.url], ['Chez Nous', null, null]);
  });
});

const TEXTS: readonly [string, string][] = [
  ['commas, semicolons, colons, quotes and backslashes', 'a, b; c: "d" \\ \\n \\, \\\\ e;;,,'],
  ['line breaks', 'first\nsecond\n\n\nlast'],
  ['what looks like lines of a calendar', 'x\nEND:VEVENT\nEND:VCALENDAR\nBEGIN:VEVENT'],
  ['tabs and spaces', 'a\tb  c'],
  ['Latin letters', 'naïve café Łódź '.repeat(60)],
  ['Greek and Cyrillic', 'Ταβέρνα Пельменная '.repeat(60)],
  ['Japanese', '美味しいラーメンをまた食べたい。'.repeat(60)],
  ['Thai, Hindi and Arabic', 'อร่อยมาก स्वादिष्ट लذيذ جدا '.repeat(40)],
  ['emoji of several characters', '👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿🍜'.repeat(80)],
  ['one long word', 'x'.repeat(4_900)],
  // One octet more each, so that every place of a character is at the end of a line once.
  ...Array.from({ length: 8 }, (_, index): [string, string] => [
    `${index} letters before long ones`,
    'x'.repeat(index) + '🍜é美'.repeat(100),
  ]),
];

describe('the lines of a calendar', () => {
  test('have at most 75 octets, cut no character, and hold the text as it was typed', async (t) => {
    const service = await startService(t);
    await addRestaurants(service.api, 'Fish, Chips; & "Co" \\ Sons');
    for (const [, note] of TEXTS) await visit(service.api, { note });
    const text = await readFeed(service, await makeFeed(service.api));
    const lines = text.split('\r\n');
    assert.equal(lines.pop(), '');
    for (const line of lines) assert.ok(Buffer.byteLength(line) <= 75, line);
    assert.match(text, NO_CONTROLS);
    assert.ok(!text.includes('\ufffd'));
    const events = eventsOf(text).toReversed();
    for (const [index, [title, note]] of TEXTS.entries())
      assert.equal(events[index]?.description, note.trim(), title);
    assert.equal(events[0]?.summary, 'Fish, Chips; & "Co" \\ Sons');
  });

  test('hold no control characters, which older versions may have stored', async (t) => {
    const service = await startService(t);
    await addRestaurants(service.api, 'A');
    await visit(service.api);
    changeStored(service.folder, "UPDATE visits SET note = 'a' || char(0, 7, 27, 13, 10, 127, 13) || 'b'");
    const text = await readFeed(service, await makeFeed(service.api));
    assert.match(text, NO_CONTROLS);
    assert.equal(eventsOf(text)[0]?.description, 'a\n\nb');
  });
});

// Around the nights of the clock change in Europe, America and Australia, a leap day, and the day that Samoa left out.
const DAYS = [
  ...['2025-03-29', '2025-03-30', '2025-03-31', '2025-10-25', '2025-10-26', '2025-10-27'],
  ...['2025-03-08', '2025-03-09', '2025-11-01', '2025-11-02', '2025-04-05', '2025-04-06', '2025-10-04'],
  ...['2024-02-29', '2011-12-29', '2011-12-31', '2025-01-01', '1999-12-31'],
];
const ZONES = [
  ...['UTC', 'Europe/Berlin', 'Europe/London', 'America/New_York', 'America/Los_Angeles', 'America/St_Johns'],
  ...['America/Sao_Paulo', 'Asia/Tokyo', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia'],
  'Pacific/Kiritimati',
];
/** Prints the local days of all events in each zone, as a calendar of that zone shows them. */
const READER = `
  import ICAL from 'ical.js';
  const text = await new Response(process.stdin).text();
  const all = ${JSON.stringify(ZONES)}.map((zone) => {
    process.env.TZ = zone;
    const events = ICAL.Component.fromString(text).getAllSubcomponents('vevent');
    return events.map((event) => {
      const date = new ICAL.Event(event).startDate.toJSDate();
      const two = (number) => String(number).padStart(2, '0');
      return [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
    });
  });
  process.stdout.write(JSON.stringify(all));
`;

describe('the day of a visit', () => {
  longTest('is the same in calendars of twelve time zones, also around the change of clocks', async (t) => {
    const service = await startService(t);
    await addRestaurants(service.api, 'A');
    for (const visited_on of DAYS) await visit(service.api, { visited_on });
    const input = await readFeed(service, await makeFeed(service.api));
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', READER], {
      cwd: CHECKOUT,
      input,
      encoding: 'utf8',
    });
    const expected = DAYS.toSorted().reverse();
    assert.deepEqual(
      JSON.parse(stdout || JSON.stringify(stderr)),
      ZONES.map(() => expected),
    );
  });
});

async function processorMs(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

describe('a long calendar', () => {
  longTest('has every visit once, and is sent as it is read', async (t) => {
    const { service, owner, admin } = await startWorld(t);
    await createRestaurants(admin, [CHEZ_NOUS]);
    await visit(owner, FULL);
    const copies = `INSERT INTO visits (user_id, restaurant_id, visited_on, note, companions, dishes, created_at, updated_at)
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2999)
      SELECT user_id, 1, date('2020-01-01', (i % 2000) || ' days'), 'Note ' || i || ' ' || ?, companions, dishes, created_at, updated_at FROM visits, n`;
    changeStored(service.folder, copies, 'a very good evening '.repeat(10));
    const url = await makeFeed(owner);
    const answer = await service.api.send(url, {});
    assert.equal(answer.headers.get('content-length'), null);
    const events = eventsOf(String(answer.body));
    assert.deepEqual([events.length, new Set(events.map(({ uid }) => uid)).size], [3_000, 3_000]);
    const headers = { 'If-None-Match': answer.headers.get('etag') ?? '' };
    const made = await processorMs(async () => {
      // Whatever was written, the calendar is the same.
      await addRestaurants(admin, 'Nowhere');
      assert.equal((await service.api.send(url, { headers })).status, 304);
    });
    const asked = await processorMs(async () => {
      for (let again = 0; again < 20; again += 1)
        assert.equal((await service.api.send(url, { headers })).status, 304);
    });
    assert.ok(asked < 4 * made, `20 requests took ${asked} ms, and one that has to make it ${made} ms`);
  });
});
